import { expect, test } from "vitest";
import { isQuick } from "#/src/scheduling/schedulers.ts";

const text = (line: string) =>
  Buffer.from(`BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\n${line}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`);

test.each([
  ["SUMMARY:x", true],
  ["RRULE:FREQ=DAILY", false],
  ["RRU\r\n LE:FREQ=DAILY", false],
  ["R\r\n\tDATE;VALUE=DATE:20260101", false],
  ["RRU\n L\n E:FREQ=DAILY", false],
])("whether %j is scheduled at once is %s, however its lines are folded", (line, expected) => {
  const [now, who] = [text(line), []];
  expect(
    isQuick({
      kind: "decide",
      old: undefined,
      now,
      who,
      nowMs: 0,
      isMerging: false,
      answersProposals: false,
      isTelling: true,
    }),
  ).toBe(expected);
});

test("what others were told is read on threads too, where it is long or repeats", () => {
  const told = (bytes: Uint8Array | undefined) => ({
    ...({ number: 1, state: "left", hold: 0, method: "REQUEST", instances: [""], to: [], bytes } as const),
  });
  const [stored, message, who] = [text("SUMMARY:x"), text("SUMMARY:y"), []];
  const answer = { kind: "answer", stored, message, who, author: "mailto:a@x.test", nowMs: 0 } as const;
  const decide = { kind: "decide", old: undefined, now: stored, who, nowMs: 0 } as const;
  const ways = { isMerging: false, answersProposals: false, isTelling: true };
  for (const [bytes, expected] of [
    [undefined, true],
    [text("SUMMARY:x"), true],
    [text(`DESCRIPTION:${"x".repeat(4096)}`), false],
    [text("RRULE:FREQ=DAILY"), false],
  ] as const) {
    expect(isQuick({ ...answer, author: answer.author as never, told: [told(bytes)] })).toBe(expected);
    expect(isQuick({ ...decide, ...ways, told: [told(bytes)] })).toBe(expected);
  }
});
