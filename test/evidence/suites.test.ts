/** The validation suites of SPF (RFC 7208) and ARC (RFC 8617) in the corpus. */
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { examineMessage } from "#/src/evidence/examine.ts";
import { corpusNote, hasCorpus, readCorpusText } from "../support/corpus.ts";
import { type Zone, type ZoneRecord, zoneResolve } from "../support/servers/dns-zone.ts";

interface SpfDocument {
  readonly description: string;
  readonly tests: Readonly<
    Record<string, { helo: string; host: string; mailfrom: string; result: string | string[] }>
  >;
  readonly zonedata: Readonly<Record<string, readonly (string | Record<string, unknown>)[]>>;
}

interface ArcDocument {
  readonly description: string;
  readonly tests: Readonly<Record<string, { message: string; cv: string | null }>>;
  readonly "txt-records": Readonly<Record<string, string>> | null;
}

function documents<T>(file: string): T[] {
  return parseAllDocuments(readCorpusText(file))
    .map((one) => one.toJS() as T)
    .filter(Boolean);
}

/** As the suite has it: SPF records stand for TXT records, unless a name says what its TXT records are. */
function zoneOf(zonedata: SpfDocument["zonedata"]): Zone {
  const zone: Record<string, ZoneRecord[]> = {};
  for (const [name, entries] of Object.entries(zonedata)) {
    const records = entries.flatMap((entry): (readonly [string, unknown])[] =>
      typeof entry === "string" ? [] : Object.entries(entry),
    );
    const hasText = records.some(([type]) => type === "TXT");
    zone[name] = [
      ...(entries.includes("TIMEOUT") ? ["TIMEOUT" as const] : []),
      ...records
        .filter(([, value]) => value !== "NONE")
        .flatMap(([type, value]): ZoneRecord[] =>
          type !== "SPF" ? [[type, value]] : hasText ? [] : [["TXT", value]],
        ),
    ];
  }
  return zone;
}

const message = Buffer.from("From: a@example.org\r\n\r\nhello\r\n");

const spfCases = !hasCorpus
  ? []
  : documents<SpfDocument>("mail/mailauth/spf__rfc7208-tests.yml").flatMap(
      ({ description, tests, zonedata }) =>
        Object.entries(tests).map(([name, one]) => ({ name: `${description}: ${name}`, one, zonedata })),
    );

test.runIf(hasCorpus)(`the suites are there${corpusNote}`, () => {
  expect([spfCases.length > 100, arcCases.length > 100]).toEqual([true, true]);
});

test.runIf(hasCorpus).each(spfCases)(`SPF, $name${corpusNote}`, async ({ one, zonedata }) => {
  const { checks } = await examineMessage(
    message,
    { remoteAddress: one.host, heloName: one.helo, reversePath: one.mailfrom },
    "receiver.example",
    zoneResolve(zoneOf(zonedata)),
  );
  expect([one.result].flat()).toContain(checks.spf?.result);
});

/** Where the suite, which is older than the standard, says otherwise or nothing. */
const arcByStandard: Readonly<Record<string, string>> = {
  // RFC 8617 section 5.2 step 2: a newest seal that says fail is a failed chain.
  cv_fail_i1_as_cv_fail: "fail",
  cv_fail_i2_as2_fail: "fail",
  cv_fail_i2_as1_fail: "fail",
  // RFC 6376 section 3.5: without c= it is simple/simple, and h= must not be empty.
  ams_fields_c_na: "fail",
  ams_fields_h_empty: "fail",
};

const arcCases = !hasCorpus
  ? []
  : documents<ArcDocument>("mail/mailauth/arc__arc-draft-validation-tests.yml").flatMap((document) =>
      Object.entries(document.tests).map(([name, one]) => ({
        name: `${document.description.trim()}: ${name}`,
        expected: arcByStandard[name] ?? (one.cv?.trim().toLowerCase() || "none"),
        one,
        records: document["txt-records"] ?? {},
      })),
    );

test.runIf(hasCorpus).each(arcCases)(`ARC, $name${corpusNote}`, async ({ one, records, expected }) => {
  const zone = Object.fromEntries(
    Object.entries(records).map(([name, text]) => [name, [["TXT", text] as ZoneRecord]]),
  );
  const { checks } = await examineMessage(
    Buffer.from(one.message.replaceAll("\n", "\r\n")),
    { remoteAddress: "192.0.2.1", heloName: "x.example", reversePath: "" },
    "receiver.example",
    zoneResolve(zone),
  );
  expect(checks.arc?.result ?? "none").toBe(expected);
});
