/** Messages, the newest first, in pages: all of them, or only those that can match by the search index. So a search for rare text does
 *  not read the other messages. */
import type { AgentNumber, MailboxNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { IndexCandidates } from "./indexing/text-index.ts";
import type { Message, Messages } from "./messages.ts";

export interface NewestPage {
  /** In the mailbox that was asked for. */
  readonly messages: readonly Message[];
  /** How many messages were read for it. */
  readonly looked: number;
  /** All messages from this one on have been read; undefined at the end. */
  readonly reached: MessageNumber | undefined;
}

export interface NewestPagesOptions {
  readonly mailbox?: MailboxNumber | undefined;
  readonly before?: MessageNumber | undefined;
  readonly candidates: IndexCandidates | undefined;
  /** Of the next page. */
  size(): number;
}

export async function* newestPages(
  messages: Messages,
  agent: AgentNumber,
  { mailbox, before, candidates, size }: NewestPagesOptions,
): AsyncGenerator<NewestPage> {
  let reached = before ?? (Number.MAX_SAFE_INTEGER as MessageNumber);
  // Messages that the index does not have yet are the newest ones.
  const place = mailbox === undefined ? {} : { mailbox };
  const after = candidates?.upTo ?? 0;
  for (;;) {
    const page = await messages.listNewestMessages(agent, {
      ...place,
      before: reached,
      after,
      limit: size(),
    });
    if (page.length === 0) break;
    reached = page.at(-1)!.number;
    yield { messages: page, looked: page.length, reached };
  }
  if (candidates === undefined) return;
  const { numbers } = candidates;
  for (let end = countBelow(numbers, reached); end > 0; ) {
    const start = Math.max(0, end - size());
    const found: Message[] = [];
    for (let at = end - 1; at >= start; at--) {
      const message = await messages.findMessage(agent, numbers[at] as MessageNumber);
      const isThere = mailbox === undefined || message?.places.some((place) => place.mailbox === mailbox);
      if (message !== undefined && isThere === true) found.push(message);
    }
    yield {
      messages: found,
      looked: end - start,
      reached: start === 0 ? undefined : (numbers[start] as MessageNumber),
    };
    end = start;
  }
}

/** Counts by binary search. */
function countBelow(ascending: Float64Array, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
