/** Recurrence rules against the vectors of RFC 5545, libical and dateutil. */
import { describe, expect, test } from "vitest";
import { parseCalendarTime } from "#/src/formats/icalendar/calendar-time.ts";
import { expandRule } from "#/src/formats/icalendar/expand-rule.ts";
import { parseRecurrenceRule } from "#/src/formats/icalendar/recurrence-rule.ts";
import { corpusNote, hasCorpus, readCorpusText } from "../../support/corpus.ts";

/** Where the vectors' own library departs from the RFC, or from the other vectors. */
const dialects = new Map([
  [
    "dateutil:testWeeklyByWeekNo",
    "BYWEEKNO is forbidden in WEEKLY; dateutil takes all days of the week then",
  ],
  ["dateutil:testStrKeywords", "BYWEEKDAY is dateutil's own"],
  ["libical:76", "libical takes BYMONTH from DTSTART; RFC 5545 and dateutil take all months"],
  ["libical:77", "libical takes BYMONTH from DTSTART; RFC 5545 and dateutil take all months"],
  ["libical:79", "libical has not implemented it, and so expects nothing"],
]);

interface Vector {
  readonly id: string;
  readonly rrule: string;
  /** The rule with UNTIL in local time. */
  readonly local_rule?: string;
  readonly dtstart: string;
  readonly expected: readonly string[];
  readonly truncated?: boolean;
  /** Only what is not before it is expected. */
  readonly "start-at"?: string;
}

const files = hasCorpus
  ? [
      "written-recurrence/rfc5545-examples.json",
      "rrule-vectors/dateutil-a.json",
      "rrule-vectors/libical.json",
    ]
  : [];

function listVectors(file: string): Vector[] {
  return (JSON.parse(readCorpusText(`calendar/${file}`)) as { vectors: Vector[] }).vectors;
}

function startsOf(vector: Vector): string[] | undefined {
  const rule = parseRecurrenceRule(vector.local_rule ?? vector.rrule)!;
  const start = parseCalendarTime(vector.dtstart)!;
  const started = {
    rule,
    startMs: start.localMs,
    untilMs: rule.until?.localMs,
    isDate: start.form === "date",
  };
  const last = parseCalendarTime(vector.expected.at(-1) ?? "99991231")!;
  const toMs = vector.truncated === true ? last.localMs : Date.UTC(9999, 0);
  return expandRule(started, start.localMs, toMs)?.starts.map((ms) => {
    const text = new Date(ms).toISOString().replace(/[-:]|\.\d+Z$/g, "");
    return start.form === "date" ? text.slice(0, 8) : text;
  });
}

describe.skipIf(!hasCorpus)(`the vectors of the corpus${corpusNote}`, () => {
  for (const file of files) {
    describe(file, () => {
      const vectors = listVectors(file).filter(({ id, rrule }) => rrule !== undefined && !dialects.has(id));
      test.each(vectors.map((vector) => [vector.id, vector.rrule, vector] as const))(
        "%s %s",
        (_, __, vector) => {
          expect(startsOf(vector)).toEqual(vector.expected.map((time) => time.replace(/Z$/, "")));
        },
      );
    });
  }
});
