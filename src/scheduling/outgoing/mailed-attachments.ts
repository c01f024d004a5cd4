/** Managed attachments (RFC 8607) in mail. Recipients without a credential of this server cannot open their URLs, so the invitation has
 *  the files attached. Its calendar text names only the files that did not fit. */
import type { PutAttachments } from "#/src/collections/attachments.ts";
import type { Collections } from "#/src/collections/collections.ts";
import { hasManagedIds } from "#/src/formats/icalendar/managed-attachments.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { mailedAttachmentBytesMax } from "#/src/model/limits.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import type { Attachment } from "#/src/outbound/composition.ts";
import type { MessageContent } from "../jobs.ts";
import type { Schedulers } from "../schedulers.ts";

/** The attachment with a MANAGED-ID, stored already or by the planned write; undefined if there is none or it exceeds `roomBytes`. */
export type ReadAttached = (managedId: string, roomBytes: number) => Promise<Attachment | undefined>;

export function createAttachedReader(
  collections: Pick<Collections, "listAttachmentPlaces" | "readAttachment">,
  { account, agent }: { readonly account: AccountNumber; readonly agent: AgentNumber },
  { added = [], attachmentsOf = [] }: PutAttachments = {},
): ReadAttached {
  const sources = new Set([agent, ...attachmentsOf]);
  return async (managedId, roomBytes) => {
    const made = added.find((one) => one.managedId === managedId);
    if (made !== undefined)
      return made.bytes.length > roomBytes
        ? undefined
        : { content: Buffer.from(made.bytes), name: made.name, type: made.type };
    const places = await collections.listAttachmentPlaces(account, managedId, agent);
    const place = places.find((one) => sources.has(one.agent));
    if (place === undefined || place.size > roomBytes) return undefined;
    const content = Buffer.from(await collections.readAttachment(place));
    return { content, name: place.name, type: place.mediaType };
  };
}

export interface MailedContent {
  readonly bytes: Uint8Array;
  readonly attachments: readonly Attachment[];
}

/** REPLY and CANCEL have no files. */
export async function mailedContent(
  schedulers: Schedulers,
  { method, bytes }: Pick<MessageContent, "method" | "bytes">,
  read: ReadAttached,
): Promise<MailedContent> {
  const attachments: Attachment[] = [];
  if (!hasManagedIds(bytes)) return { bytes, attachments };
  const carried: string[] = [];
  let roomBytes = mailedAttachmentBytesMax;
  const named = method === "REQUEST" ? await schedulers.run({ kind: "attached", now: bytes }) : undefined;
  for (const managedId of named?.outcome === "attached" ? named.managedIds : []) {
    const found = await read(managedId, roomBytes);
    if (found === undefined) continue;
    roomBytes -= found.content.length;
    attachments.push(found);
    carried.push(managedId);
  }
  const mailed = await schedulers.run({ kind: "mailed", now: bytes, carried });
  if (mailed.outcome !== "changed")
    throw new WaypostError("policy_refused", "The event takes too much work to be sent.", {
      reason: "max-instances",
    });
  return { bytes: mailed.bytes, attachments };
}
