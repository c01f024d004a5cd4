/** The newest messages, if they can be found quickly enough for the main thread. */
import type { MessageNumber } from "#/src/model/numbers.ts";
import type { MessageRow } from "../../rows.ts";
import type { NewestMessages } from "../../scans/newest-messages.ts";
import { paddedList, placesFor, type Reader } from "../../sql.ts";
import { messageOf, type StoredMessage, selectMessage } from "./messages.ts";

/** Messages that are read in full: a millisecond at most, except for messages with thousands of parts. */
const readMax = 100;
/** Entries, the newest first, among which those of one mailbox are searched: 0.2 ms. */
const lookedAtMax = 500;

/** undefined if a scan is needed (`scans/newest-messages.ts`), which gives the same result. */
export async function newestMessagesSoon(
  reader: Reader,
  args: NewestMessages,
): Promise<MessageRow[] | undefined> {
  if (args.thread !== undefined || args.limit > readMax) return undefined;
  if (args.mailbox !== undefined) return newestOfMailbox(reader, args, args.mailbox);
  const rows = await reader.all<StoredMessage>(
    `${selectMessage} where agent_id = ? and message_id < ? and message_id > ? order by message_id desc limit ?`,
    ...bounds(args),
    args.limit,
  );
  return rows.map(messageOf);
}

async function newestOfMailbox(
  reader: Reader,
  args: NewestMessages,
  mailbox: number,
): Promise<MessageRow[] | undefined> {
  const places = await reader.all<{ message: MessageNumber; mailbox: number }>(
    `select message_id as message, mailbox_id as mailbox
    from entry
    where agent_id = ? and message_id < ? and message_id > ?
    order by message_id desc
    limit ?`,
    ...bounds(args),
    lookedAtMax,
  );
  const there = places.filter((place) => place.mailbox === mailbox).map(({ message }) => message);
  const newest = [...new Set(there)].slice(0, args.limit);
  if (newest.length < args.limit && places.length === lookedAtMax) return undefined;
  if (newest.length === 0) return [];
  const wanted = paddedList(newest);
  const rows = await reader.all<StoredMessage>(
    `${selectMessage} where agent_id = ? and message_id in (${placesFor(wanted)}) order by message_id desc`,
    args.agent,
    ...wanted,
  );
  // The messages were deleted meanwhile, and there may be older ones.
  return rows.length === 0 ? undefined : rows.map(messageOf);
}

function bounds({ agent, before, after }: NewestMessages): [number, number, number] {
  return [agent, before ?? Number.MAX_SAFE_INTEGER, after ?? 0];
}
