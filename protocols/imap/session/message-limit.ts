/** MESSAGELIMIT (RFC 9738): how many messages one command applies to. It applies to those with the highest UIDs, and the answer
 *  has the lowest of these UIDs, so that the client can ask for the rest.
 *  resp-text-code = "MESSAGELIMIT" SP message-limit [SP uniqueid] */
import { countNumbers, type NumberRange, type NumberSet } from "#/src/model/number-set.ts";
import type { Answer } from "../command.ts";
import { no, type Refusal } from "../errors.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

export interface LimitedMessages {
  readonly uids: NumberSet;
  /** The lowest UID that the command applies to, if there were more messages than the limit. */
  readonly lowest: number | undefined;
}

export function limitMessages(uids: NumberSet, limit: number): LimitedMessages {
  if (countNumbers(uids) <= limit) return { uids, lowest: undefined };
  const kept: NumberRange[] = [];
  let left = limit;
  for (let at = uids.length - 1; left > 0; at--) {
    const [first, last] = uids[at]!;
    const from = Math.max(first, last - left + 1);
    kept.unshift([from, last]);
    left -= last - from + 1;
  }
  return { uids: kept, lowest: kept[0]![0] };
}

function limitCode(limit: number, lowest?: number): string {
  return lowest === undefined ? `MESSAGELIMIT ${limit}` : `MESSAGELIMIT ${limit} ${lowest}`;
}

/** The refusal of a command that applies to all of the messages or to none. */
export function overLimit(limit: number, lowest?: number): Refusal {
  return no(limitCode(limit, lowest), `A command may name at most ${limit} messages`);
}

/** The answer of a command that was limited. If it has a response code already, MESSAGELIMIT is in an untagged NO before it
 *  (section 3.1). */
export function limitedAnswer(
  answer: Answer | undefined,
  lowest: number | undefined,
  limit: number,
  out: ResponseWriter,
): Answer | undefined {
  if (lowest === undefined) return answer;
  const code = limitCode(limit, lowest);
  const text = `Done for the last ${limit} messages`;
  if (answer?.code === undefined) return { code, text };
  out.line(`* NO [${code}] ${text}`);
  return answer;
}
