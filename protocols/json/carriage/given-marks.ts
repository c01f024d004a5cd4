/** The marks that this process gave out in the last hour. A text with one of them is not sent: a program that copies what it read, marks
 *  and all, has not understood where the words of others end. */
import { marksIn, newMark } from "#/src/formats/text/marks.ts";
import { type Clock, leftUntil } from "#/src/model/clock.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { marksGivenMax } from "#/src/model/limits.ts";
import { jsonPointer } from "./json-pointer.ts";

export interface GivenMarks {
  give(): string;
  /** Throws `invalid`, `mark_in_text`, for an input with a mark in one of its texts. */
  assertNoneIn(input: unknown): void;
}

export const markMs = 60 * 60 * 1000;

export function createGivenMarks(clock: Clock): GivenMarks {
  /** Until when each counts, the oldest first. */
  const given = new Map<string, number>();
  const counts = (until: number): boolean => leftUntil(until, clock.now(), markMs) > 0;

  function assertNoneIn(value: unknown, path: readonly string[]): void {
    if (typeof value === "string") {
      if (!marksIn(value).some((mark) => counts(given.get(mark) ?? 0))) return;
      throw new WaypostError("invalid", "The text holds a mark that stands around the words of others.", {
        reason: "mark_in_text",
        field: jsonPointer(path),
        hint: "Write the text in your own words, or quote without the marks.",
      });
    }
    if (typeof value !== "object" || value === null) return;
    for (const [name, one] of Object.entries(value)) assertNoneIn(one, [...path, name]);
  }

  return {
    give() {
      const mark = newMark();
      for (const [oldest, until] of given) {
        if (given.size < marksGivenMax && counts(until)) break;
        given.delete(oldest);
      }
      given.set(mark, clock.now() + markMs);
      return mark;
    },
    assertNoneIn: (input) => assertNoneIn(input, []),
  };
}
