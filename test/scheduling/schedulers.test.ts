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
