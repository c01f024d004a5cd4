import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { acceptEvent, patchEvent } from "#/src/formats/jscalendar/accept-event.ts";
import { readEvent } from "#/src/formats/jscalendar/read-event.ts";
import { updateEvent, writeEvent } from "#/src/formats/jscalendar/write-event.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import { parsed, textOf } from "./calendar-texts.ts";

/** Text with what iCalendar, JSON and pointers escape. */
const text = fc
  .array(
    fc.constantFrom(
      "a",
      "B c",
      ",",
      ";",
      "\\",
      "\n",
      '"',
      "^",
      ":",
      "/",
      "~",
      "é",
      "字",
      "🙂",
      "\\n",
      "^n",
      "\t",
      "\u0007",
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(""))
  .filter((made) => made !== "\u0007".repeat(made.length));
const line = text.map((made) => made.replaceAll(/\p{Cc}/gu, "x"));
const id = fc.constantFrom("a", "k1", "main", "X-9", "home_1");
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** No body has a member `__proto__`. */
const extension = maybe(
  fc.jsonValue({ maxDepth: 2 }).filter((value) => !JSON.stringify(value).includes('"__proto__"')),
);
const utc = fc.constantFrom("2026-01-02T03:04:05Z", "1970-01-01T00:00:00Z");
const uri = fc.constantFrom("https://a.example/,;", "tel:+1", "data:text/plain;base64,YQ==");

function entries(fields: Record<string, fc.Arbitrary<unknown>>) {
  const entry = fc.record({ ...fields, "example.com:x/y": extension });
  return maybe(fc.dictionary(id, entry, { minKeys: 1, maxKeys: 3 }));
}

const participants = maybe(
  fc.uniqueArray(fc.constantFrom("ann", "Bob", "c"), { minLength: 1 }).chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [
          `p-${name}`,
          fc.record({
            calendarAddress: fc.constant(`mailto:${name}@a.example`),
            name: maybe(text),
            kind: fc.constantFrom(undefined, "group", "location"),
            roles: fc.constantFrom(
              undefined,
              { chair: true },
              { optional: true },
              { owner: true },
              { attendee: true },
            ),
            participationStatus: fc.constantFrom(undefined, "accepted", "declined"),
            expectReply: fc.constantFrom(undefined, true, false),
            scheduleAgent: fc.constantFrom(undefined, "client", "server"),
            delegatedTo: fc.constantFrom(undefined, { "p-ann": true }, { nobody: true }),
            sentBy: fc.constantFrom(undefined, "mailto:s@a.example"),
            "example.com:z": extension,
          }),
        ]),
      ),
    ),
  ),
);
const left = maybe(
  fc.record({
    properties: fc.array(
      fc.tuple(
        fc.constantFrom("x-a", "comment"),
        fc.constantFrom({}, { "x-p": ["1", "2"] }),
        fc.constant("text"),
        line,
      ),
      { minLength: 1, maxLength: 2 },
    ),
  }),
);
const override = fc.record({
  title: maybe(text),
  start: fc.constantFrom(undefined, "2026-04-01T00:00:00"),
  locations: entries({ name: text }),
  "example.com:o": extension,
});

const common = {
  "@type": fc.constant("Event"),
  start: fc.constant("2026-03-02T00:00:00"),
  title: maybe(text),
  description: maybe(text),
  descriptionContentType: fc.constantFrom(undefined, "text/html", "text/plain"),
  created: maybe(utc),
  updated: utc,
  sequence: maybe(fc.nat(5)),
  status: fc.constantFrom(undefined, "tentative", "confirmed"),
  freeBusyStatus: fc.constantFrom(undefined, "free", "busy"),
  privacy: fc.constantFrom(undefined, "secret", "public"),
  priority: maybe(fc.nat(9)),
  color: fc.constantFrom(undefined, "navy", "#1e90ff"),
  keywords: maybe(fc.dictionary(text, fc.constant(true), { maxKeys: 3 })),
  locations: entries({
    name: maybe(text),
    coordinates: fc.constantFrom(undefined, "geo:1.5,-2", "geo:1,2;u=3"),
    locationTypes: fc.constantFrom(undefined, { bar: true }, {}),
  }),
  virtualLocations: entries({
    uri,
    name: maybe(text),
    features: fc.constantFrom(undefined, { audio: true }),
  }),
  links: entries({
    href: uri,
    rel: fc.constantFrom(undefined, "enclosure", "icon", "preview"),
    title: maybe(text),
    size: fc.constantFrom(undefined, 5),
    display: fc.constantFrom(undefined, { badge: true }),
    contentType: fc.constantFrom(undefined, "text/plain"),
  }),
  relatedTo: maybe(
    fc.dictionary(line, fc.constantFrom({}, { relation: { child: true, next: true } }, { relation: {} }), {
      maxKeys: 2,
    }),
  ),
  alerts: entries({
    trigger: fc.constantFrom<JsonObject>(
      { offset: "-PT60M" },
      { offset: "PT5M", relativeTo: "end" },
      { when: "2026-01-02T03:04:05Z" },
    ),
    action: fc.constantFrom(undefined, "display", "email"),
    acknowledged: maybe(utc),
    iCalendar: left,
  }),
  participants,
  organizerCalendarAddress: fc.constantFrom(undefined, "mailto:ann@a.example", "boss@a.example"),
  recurrenceRule: fc.constantFrom(
    undefined,
    { frequency: "daily", count: 5 },
    { frequency: "weekly", byDay: [{ day: "mo" }], until: "2026-06-01T00:00:00", "example.com:r": 1 },
  ),
  recurrenceOverrides: maybe(
    fc.dictionary(
      fc.constantFrom("2026-03-03T00:00:00", "2026-03-09T00:00:00", "2026-07-01T00:00:00"),
      fc.oneof(fc.constant({ excluded: true }), fc.constant({}), override),
    ),
  ),
  useDefaultAlerts: fc.constantFrom(undefined, true),
  "example.com:more": extension,
  iCalendar: left,
};
const times = fc.constantFrom<JsonObject>(
  {},
  { timeZone: "Europe/Berlin", duration: "PT90M" },
  { timeZone: "Europe/Berlin", duration: "P1D", endTimeZone: "Asia/Tokyo" },
  { timeZone: "Etc/UTC", duration: "PT24H" },
  { showWithoutTime: true },
  { showWithoutTime: true, duration: "P2D" },
);

/** As JSON carries it: without what is undefined. */
const events = fc
  .tuple(fc.record(common), times)
  .map(([body, time]) => acceptEvent(JSON.parse(JSON.stringify({ ...body, ...time })) as JsonObject, "u1"));

const prodId = "-//Waypost//Waypost//EN";

describe("any event", () => {
  test("is the same after it was written as iCalendar and read", () => {
    fc.assert(
      fc.property(events, (event) => {
        expect(readEvent(parsed(textOf(writeEvent(event, 0))))).toEqual({ prodId, ...event });
      }),
      { numRuns: 150 },
    );
  });

  test("has one form: accepting it again changes nothing", () => {
    fc.assert(
      fc.property(events, (event) => {
        expect(patchEvent(event, {})).toEqual(event);
      }),
      { numRuns: 100 },
    );
  });

  test("replaces another one in its text, and keeps lines that JSCalendar does not have", () => {
    const kept = ["x-kept", {}, "unknown", "1\\,2"];
    const withKept = (event: JsonObject) => {
      const { properties = [] } = (event.iCalendar ?? {}) as { properties?: readonly unknown[] };
      return patchEvent(event, { iCalendar: { properties: [...properties, kept] } } as unknown as JsonObject);
    };
    fc.assert(
      fc.property(events, events, (before, after) => {
        const first = parsed(textOf(writeEvent(withKept(before), 0)));
        const wanted = withKept(after);
        const second = parsed(textOf(updateEvent(first, wanted)));
        expect(readEvent(second)).toEqual({ prodId, ...wanted });
        expect(textOf(second)).toContain("X-KEPT:1\\,2");
      }),
      { numRuns: 80 },
    );
  });
});
