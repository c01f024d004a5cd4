/** Access to managed attachments (RFC 8607): a login that may read a calendar whose items name an attachment may read it, and may name it
 *  in its own calendars. */
import type { Principal } from "#/src/accounts/accounts.ts";
import type { NewAttachment, PlacedAttachment, PutAttachments } from "#/src/collections/attachments.ts";
import type { Collections } from "#/src/collections/collections.ts";
import { unfoldedOctets } from "#/src/formats/content-lines/unfold.ts";
import { hasManagedIds } from "#/src/formats/icalendar/managed-attachments.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { attachmentsOfItemMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { CollectionReach } from "./collection-reach.ts";

export interface AskedOfAttachments {
  readonly collections: Pick<Collections, "listAttachmentPlaces">;
  readonly principal: Pick<Principal, "account" | "agent">;
  readonly reach: Pick<CollectionReach, "find">;
}

/** undefined for an attachment that does not exist or that the login may not read. */
export async function findReadableAttachment(
  { collections, principal, reach }: AskedOfAttachments,
  managedId: string,
): Promise<PlacedAttachment | undefined> {
  const places = await collections.listAttachmentPlaces(principal.account, managedId, principal.agent);
  for (const place of places) if (await isRead(reach, place)) return place;
  return undefined;
}

async function isRead(
  reach: AskedOfAttachments["reach"],
  { agent, collection }: PlacedAttachment,
): Promise<boolean> {
  try {
    return (await reach.find(agent, collection, "read")) !== undefined;
  } catch (error) {
    // The calendar is visible, but without the right to read.
    if (isWaypostError(error) && error.code === "forbidden_scope") return false;
    throw error;
  }
}

/** Checks the attachments that a stored text names newly: those that are neither `added` with it nor named by `held`, the text that it
 *  replaces. The login must be allowed to read each of them. Throws `policy_refused`, reason valid-managed-id (RFC 8607 section 3.11). */
export async function reachAttachments(
  asked: AskedOfAttachments,
  text: Uint8Array,
  readHeld: () => Promise<Uint8Array | undefined>,
  added: readonly NewAttachment[] = [],
): Promise<PutAttachments | undefined> {
  const named = listNamed(text);
  if (named.size === 0) return undefined;
  const held = await readHeld();
  const known = held === undefined ? new Set<string>() : listNamed(held);
  for (const { managedId } of added) known.add(managedId);
  const needed = [...named].filter((managedId) => !known.has(managedId));
  if (named.size > attachmentsOfItemMax)
    throw new WaypostError("policy_refused", `An item has at most ${attachmentsOfItemMax} attachments.`, {
      reason: "max-attachments-per-resource",
    });
  const attachmentsOf = new Set<AgentNumber>();
  for (const managedId of needed) {
    const place = await findReadableAttachment(asked, managedId);
    if (place === undefined)
      throw new WaypostError("policy_refused", "The text names an attachment that is not there.", {
        reason: "valid-managed-id",
        hint: "The server gives MANAGED-ID when an attachment is added; another ATTACH has none.",
      });
    attachmentsOf.add(place.agent);
  }
  return { added, attachmentsOf: [...attachmentsOf], needed };
}

const attach = /^ATTACH;(?:[^\r\n:"]|"[^"\r\n]*")*/gim;
const managed = /;MANAGED-ID=(?:"([^"]*)"|([^;:,"]*))/i;

function listNamed(text: Uint8Array): Set<string> {
  const named = new Set<string>();
  if (!hasManagedIds(text)) return named;
  for (const [parameters] of unfoldedOctets(text).matchAll(attach)) {
    const found = managed.exec(parameters);
    const managedId = found?.[1] ?? found?.[2] ?? "";
    if (managedId !== "") named.add(managedId);
  }
  return named;
}
