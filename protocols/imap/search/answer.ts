/** Answers of SEARCH and SORT: ESEARCH (RFC 4731, RFC 5267 section 3.1) and the plain lists of RFC 3501 and RFC 5256. */

import { LoopTurns } from "#/src/fairness/loop-turns.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import type { Form } from "../command-context.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { stringText } from "../wire/strings.ts";
import { cutPartial, formatPartialRange, type SearchReturn } from "./options.ts";

export interface ExtendedAnswer {
  readonly tag: string;
  readonly form: Form;
  /** In the order of the result. */
  readonly numbers: readonly number[];
  readonly modseq: Modseq | undefined;
  /** With RELEVANCY: a score for each number (RFC 6203 section 4). */
  readonly relevancy?: readonly number[] | undefined;
  /** The mailbox that was searched if it is not the selected one (RFC 7377), with its name as the client reads it. */
  readonly mailbox?: { readonly name: string; readonly uidValidity: number } | undefined;
}

/** UIDs that the answer names and SAVE keeps: all of them with ALL or COUNT, else those of MIN, MAX and PARTIAL (RFC 9051
 *  section 6.4.4.1, RFC 9394 section 3.2). */
export function namedUids(uids: readonly number[], { options, partial }: SearchReturn): readonly number[] {
  const hasSome = partial !== undefined || options.includes("MIN") || options.includes("MAX");
  if (!hasSome || options.includes("ALL") || options.includes("COUNT") || uids.length === 0) return uids;
  const named = new Set(partial === undefined ? [] : cutPartial(uids, partial));
  if (options.includes("MIN")) named.add(uids[0]!);
  if (options.includes("MAX")) named.add(uids.at(-1)!);
  return [...named];
}

export async function writeExtended(
  answer: ExtendedAnswer,
  returns: SearchReturn,
  out: ResponseWriter,
): Promise<void> {
  const { numbers, modseq } = answer;
  const { options, partial } = returns;
  // SAVE alone has no answer (RFC 5182 section 2.1).
  if (options.every((option) => option === "SAVE")) return;
  const { mailbox } = answer;
  const place = mailbox === undefined ? "" : ` MAILBOX ${mailbox.name} UIDVALIDITY ${mailbox.uidValidity}`;
  const turns = new LoopTurns();
  await turns.turn();
  const parts = [`* ESEARCH (TAG ${stringText(answer.tag)}${place})`];
  if (answer.form === "uid") parts.push("UID");
  if (numbers.length > 0) {
    if (options.includes("MIN")) parts.push(`MIN ${numbers[0]}`);
    if (options.includes("MAX")) parts.push(`MAX ${numbers.at(-1)}`);
    if (options.includes("ALL")) parts.push(`ALL ${await formatInTurns(numbers, turns)}`);
  }
  if (options.includes("COUNT")) parts.push(`COUNT ${numbers.length}`);
  if (partial !== undefined) {
    const cut = cutPartial(numbers, partial);
    parts.push(
      `PARTIAL (${formatPartialRange(partial)} ${cut.length === 0 ? "NIL" : await formatInTurns(cut, turns)})`,
    );
  }
  const { relevancy } = answer;
  if (relevancy !== undefined && numbers.length > 0) {
    const scores = partial === undefined ? relevancy : cutPartial(relevancy, partial);
    parts.push(`RELEVANCY (${scores.join(" ")})`);
  }
  if (modseq !== undefined) parts.push(`MODSEQ ${modseq}`);
  out.line(parts.join(" "));
}

/** A sequence set in the order of the numbers; numbers that ascend by one become a range. */
async function formatInTurns(numbers: readonly number[], turns: LoopTurns): Promise<string> {
  const texts: string[] = [];
  for (let first = 0, last = 0; first < numbers.length; first = ++last) {
    while (last + 1 < numbers.length && numbers[last + 1] === numbers[last]! + 1) last++;
    texts.push(first === last ? `${numbers[first]}` : `${numbers[first]}:${numbers[last]}`);
    if (texts.length % numbersAtOnce === 0) await turns.turn();
  }
  return texts.join(",");
}

const numbersAtOnce = 1000;

/** The SEARCH or SORT response, with MODSEQ as in RFC 7162 sections 3.1.5 and 3.1.6. */
export async function writePlain(
  word: "SEARCH" | "SORT",
  numbers: readonly number[],
  modseq: Modseq | undefined,
  out: ResponseWriter,
): Promise<void> {
  out.text(`* ${word}`);
  const turns = new LoopTurns();
  for (let first = 0; first < numbers.length; first += numbersAtOnce) {
    out.text(` ${numbers.slice(first, first + numbersAtOnce).join(" ")}`);
    await out.flushIfLarge();
    await turns.turn();
  }
  out.line(modseq === undefined ? "" : ` (MODSEQ ${modseq})`);
}
