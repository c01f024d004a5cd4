/** Managed attachments of calendar objects (RFC 8607): bytes that the server keeps as long as an item names them by its
 *  MANAGED-ID. A login that may read such an item may read them. */
import { createHash, randomBytes } from "node:crypto";
import type { Settings } from "#/config/schema.ts";
import { encodeUpload, type NewUpload } from "#/src/mail/uploads.ts";
import { attachmentPlacesMax } from "#/src/model/limits.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { readBlobRange } from "#/storage/blob.ts";
import { listAttachmentPlaces, type PlacedAttachmentRow } from "#/storage/queries/collections/attachments.ts";
import type { Store } from "#/storage/store.ts";
import type { ItemPut } from "#/storage/writing/collections/items.ts";

export interface NewAttachment extends NewUpload {
  readonly managedId: string;
}

export interface PutAttachments {
  readonly added?: readonly NewAttachment[] | undefined;
  /** Whose attachments the text may name beside those of the calendar's owner. */
  readonly attachmentsOf?: readonly AgentNumber[] | undefined;
  /** MANAGED-IDs that must be stored already: throws `policy_refused` with the reason valid-managed-id if one is not. */
  readonly needed?: readonly string[] | undefined;
}

/** An attachment in one of the calendars whose items name it. */
export type PlacedAttachment = PlacedAttachmentRow;

export interface Attachments {
  /** The calendars of an account in which an attachment is named, those of `first` before the others; not all where they are
   *  very many. */
  listAttachmentPlaces(
    account: AccountNumber,
    managedId: string,
    first: AgentNumber,
  ): Promise<readonly PlacedAttachment[]>;
  readAttachment(attachment: PlacedAttachment): Promise<Uint8Array>;
}

export function createAttachments(store: Store): Attachments {
  return {
    listAttachmentPlaces: (account, managedId, first) =>
      listAttachmentPlaces(store, account, managedId, first, attachmentPlacesMax),
    readAttachment: ({ account, blob, size }) => readBlobRange(store, account, blob, 0, size),
  };
}

/** Behind it are a MANAGED-ID and a name. */
export const attachmentsPath = "/dav/attachments/";

const managedIdOctets = 20;

/** A random MANAGED-ID that cannot be guessed. */
export function newManagedId(): string {
  return randomBytes(managedIdOctets).toString("base64url");
}

export const managedIdPattern = /^[A-Za-z0-9_-]{27}$/;

/** Of an attachment that comes in with a MANAGED-ID of elsewhere: the same for the same bytes, so that an import can be run again. */
export function derivedManagedId(foreign: string, bytes: Uint8Array): string {
  const hash = createHash("sha256").update(`${foreign}\n`).update(bytes).digest();
  return hash.subarray(0, managedIdOctets).toString("base64url");
}

/** The URL of an attachment with the public host name, for writes without a request that names the host. */
export function attachmentUrl(
  { server, http, https }: Pick<Settings, "server" | "http" | "https">,
  managedId: string,
  name: string,
): string {
  const [scheme, { port }, usual] = https.enabled ? ["https", https, 443] : (["http", http, 80] as const);
  const origin = `${scheme}://${server.hostname}${port === usual ? "" : `:${port}`}`;
  return `${origin}${attachmentsPath}${managedId}/${encodeURIComponent(name)}`;
}

/** As the store takes them. */
export async function prepareAttachments(
  attachments: PutAttachments | undefined,
): Promise<ItemPut["attachments"]> {
  if (attachments === undefined) return undefined;
  const { added = [], attachmentsOf, needed } = attachments;
  const prepared = [];
  for (const one of added) {
    const { managedId, name, type: mediaType } = one;
    prepared.push({ managedId, name, mediaType, blob: await encodeUpload(one) });
  }
  return { added: prepared, attachmentsOf, needed };
}
