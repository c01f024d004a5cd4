/** Messages, the newest first, in pages: all of them, or those that can fit as far as the index says which, so that a search for
 *  what few messages hold does not look at the others. */
import type { AgentNumber, MailboxNumber, MessageNumber } from "#/src/model/numbers.ts";
import type { IndexCandidates } from "./indexing/text-index.ts";
import type { Message, Messages } from "./messages.ts";

export interface NewestPage {
  /** In the mailbox that was asked for. */
  readonly messages: readonly Message[];
  /** How many had to be looked at for it. */
  readonly looked: number;
  /** Everything from here on was looked at; undefined at the end. */
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
  // What the index has not seen yet is at the newest end.
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

/** By halving. */
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
