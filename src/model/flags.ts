/** System flags and keywords of a message in a mailbox (RFC 9051 section 2.3.2), as a bit mask.
 *
 *  Bits 0 to 4 are the system flags. Bits 8 to 30 are the first 23 keywords of the agent, in the order in which they were
 *  first used; further keywords are kept as text beside the mask, their numbers joined by commas ("23,57"). With 31 bits the mask fits
 *  the operators `&` and `|`. */

import { keywordBytesMax } from "./limits.ts";

export const systemFlags = {
  "\\Seen": 1,
  "\\Answered": 2,
  "\\Flagged": 4,
  "\\Deleted": 8,
  "\\Draft": 16,
} as const;
export type SystemFlag = keyof typeof systemFlags;
export const systemFlagNames = Object.keys(systemFlags) as readonly SystemFlag[];

export const seenFlag = systemFlags["\\Seen"];
export const answeredFlag = systemFlags["\\Answered"];
export const flaggedFlag = systemFlags["\\Flagged"];
export const deletedFlag = systemFlags["\\Deleted"];
export const draftFlag = systemFlags["\\Draft"];
export const systemFlagsMask = 31;

/** A keyword of IMAP (RFC 9051 section 9, `flag-keyword`): an atom. */
export const keywordForm = /^[!#$&'+,\-./0-9:;<=>?@A-Z[^_`a-z|}~]+$/;

/** Whether a name can be a keyword, here as in mail programs. */
export function isKeyword(name: string): boolean {
  return name.length <= keywordBytesMax && keywordForm.test(name);
}

/** Keywords with a number below this have a bit of the mask. */
export const maskedKeywordCount = 23;

export function keywordBit(keywordNumber: number): number {
  return 1 << (8 + keywordNumber);
}

export interface FlagState {
  readonly mask: number;
  /** Numbers of the keywords beyond the mask, ascending, joined by commas; null for none. */
  readonly overflow: string | null;
}

/** The mask and overflow for a set of system bits and keyword numbers. */
export function flagState(systemMask: number, keywordNumbers: Iterable<number>): FlagState {
  let mask = systemMask;
  const beyond: number[] = [];
  for (const number of keywordNumbers) {
    if (number < maskedKeywordCount) mask |= keywordBit(number);
    else if (!beyond.includes(number)) beyond.push(number);
  }
  return { mask, overflow: beyond.length === 0 ? null : beyond.sort((a, b) => a - b).join(",") };
}

/** Numbers of the keywords that are set, ascending. */
export function keywordNumbers(state: FlagState): number[] {
  const numbers: number[] = [];
  for (let number = 0; number < maskedKeywordCount; number++)
    if (state.mask & keywordBit(number)) numbers.push(number);
  if (state.overflow !== null) for (const text of state.overflow.split(",")) numbers.push(Number(text));
  return numbers;
}

/** A system flag in its standard spelling, for a name in any case; undefined if there is no such flag. */
export function systemFlagNamed(name: string): SystemFlag | undefined {
  const lower = name.toLowerCase();
  return systemFlagNames.find((flag) => flag.toLowerCase() === lower);
}
