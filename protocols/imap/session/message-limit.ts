/** MESSAGELIMIT (RFC 9738): how many messages one command is carried out for. Those with the highest UIDs are taken, and the
 *  client is told the lowest of them, so that it can ask for the rest.
 *  resp-text-code = "MESSAGELIMIT" SP message-limit [SP uniqueid] */
import { countNumbers, type NumberRange, type NumberSet } from "#/src/model/number-set.ts";
import type { Answer } from "../command.ts";
import { no, type Refusal } from "../errors.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

export interface LimitedMessages {
  readonly uids: NumberSet;
  /** The lowest UID that is left, where there were more than the limit. */
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

export function limitCode(limit: number, lowest?: number): string {
  return lowest === undefined ? `MESSAGELIMIT ${limit}` : `MESSAGELIMIT ${limit} ${lowest}`;
}

/** For what is done for all of the messages or none. */
export function overLimit(limit: number, lowest?: number): Refusal {
  return no(limitCode(limit, lowest), `A command is for ${limit} messages at most`);
}

/** The answer of a command that was cut. Where it has a code of its own, the limit stands in a NO before it (section 3.1). */
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
