/** Each time of an event, a task and a contact is taken in each form. A new field that is a time needs a row in `test/support/written-times.ts`. */
import { describe, expect, it } from "vitest";
import { findNamedZone } from "#/src/formats/icalendar/find-time-zone.ts";
import { readWrittenTime } from "#/src/formats/icalendar/written-time.ts";
import { acceptEvent, patchEvent } from "#/src/formats/jscalendar/accept-event.ts";
import { eventTimes } from "#/src/formats/jscalendar/written-times.ts";
import { cardTimes } from "#/src/formats/jscontact/contact-schema.ts";
import type { JsonObject } from "#/src/formats/jscontact/json.ts";
import { listTimePlaces } from "#/src/formats/jscontact/time-places.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { cardRows, eventRows, formsOf, valueAt } from "../../support/written-times.ts";

const kolkata = findNamedZone("Asia/Kolkata")!;

function refusalOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (isWaypostError(error)) return error.details.field;
    throw error;
  }
  return undefined;
}

it("has a row for each place of an event, a task and a contact that is a time", () => {
  expect(listTimePlaces(eventTimes).toSorted()).toEqual(Object.keys(eventRows).toSorted());
  expect(listTimePlaces(cardTimes).toSorted()).toEqual(Object.keys(cardRows).toSorted());
});

const places = Object.entries(eventRows);

it.each(places)("%s is the same instant however it is written", (place, { body, kind }) => {
  const taken = formsOf("2027-07-03T08:30:00").map((time) =>
    acceptEvent({ timeZone: "Europe/Berlin", ...body(time) }, "u"),
  );
  for (const event of taken) expect(event).toEqual(taken[0]);
  expect(valueAt(taken[0]!, place)).toBe(kind === "local" ? "2027-07-03T08:30:00" : "2027-07-03T06:30:00Z");
});

const isProposal = (place: string): boolean => place.endsWith("waypost:proposal");

it.each(places.filter(([place, { kind }]) => kind === "utc" && !isProposal(place)))(
  "%s of an event without a zone is on the clock of the calendar",
  (place, { body }) => {
    for (const more of [{}, { showWithoutTime: true, start: "2027-07-01" }]) {
      const event = acceptEvent({ ...body("2027-07-03T08:30"), ...more } as JsonObject, "u", kolkata);
      expect(valueAt(event, place)).toBe("2027-07-03T03:00:00Z");
    }
  },
);

describe("an instance", () => {
  const series = acceptEvent(
    {
      start: "2027-07-01T08:30:00",
      timeZone: "Europe/Berlin",
      recurrenceRule: { frequency: "daily", count: 9 },
      recurrenceOverrides: { "2027-07-03T08:30:00": { title: "Other" } },
    },
    "u",
  );

  it.each(formsOf("2027-07-03T08:30:00"))("is named in a patch by %s", (time) => {
    for (const slash of ["", "/"])
      expect(patchEvent(series, { [`${slash}recurrenceOverrides/${time}/title`]: "New" })).toEqual(
        patchEvent(series, { "recurrenceOverrides/2027-07-03T08:30:00/title": "New" }),
      );
    expect(patchEvent(series, { [`recurrenceOverrides/${time}`]: null }).recurrenceOverrides).toBeUndefined();
  });

  it("is named on the clock that the patch gives the event", () => {
    const { recurrenceOverrides } = patchEvent(series, {
      timeZone: "Etc/UTC",
      "recurrenceOverrides/2027-07-04T08:30:00Z": { excluded: true },
    });
    expect(Object.keys(recurrenceOverrides as JsonObject)).toContain("2027-07-04T08:30:00");
  });

  it("is refused when it is named twice", () => {
    const [one, other] = ["2027-07-04T08:30", "2027-07-04T06:30:00Z"];
    const twice = { [one]: { excluded: true }, [other]: { title: "New" } };
    const whole = { ...series, recurrenceOverrides: twice };
    expect(refusalOf(() => acceptEvent(whole, "u"))).toBe(`/recurrenceOverrides/${other}`);
    const patch = { [`recurrenceOverrides/${one}`]: {}, [`recurrenceOverrides/${other}`]: {} };
    expect(refusalOf(() => patchEvent(series, patch))).toBe(`/recurrenceOverrides/${other}`);
  });

  it("takes times of its own in each form", () => {
    for (const when of formsOf("2027-07-03T08:00:00")) {
      const { recurrenceOverrides } = patchEvent(series, {
        alerts: { a: { trigger: { offset: "-PT15M" } } },
        recurrenceOverrides: { "2027-07-03T08:30": { start: when, "alerts/a/trigger": { when } } },
      }) as { recurrenceOverrides: JsonObject };
      expect(recurrenceOverrides).toEqual({
        "2027-07-03T08:30:00": {
          start: "2027-07-03T08:00:00",
          "alerts/a/trigger": { "@type": "AbsoluteTrigger", when: "2027-07-03T06:00:00Z" },
        },
      });
    }
  });
});

describe("whole days", () => {
  it.each(["2027-07-03", "2027-07-03T00:00", "2027-07-03T00:00:00Z", "2027-07-03T00:00:00+02:00"])(
    "are taken as %s",
    (day) => {
      const event = acceptEvent(
        {
          start: day,
          showWithoutTime: true,
          recurrenceRule: { frequency: "daily", until: day.replace("03", "09") },
          recurrenceOverrides: { [day.replace("03", "04")]: { excluded: true } },
        },
        "u",
      );
      expect(event).toMatchObject({
        start: "2027-07-03T00:00:00",
        recurrenceRule: { until: "2027-07-09T00:00:00" },
        recurrenceOverrides: { "2027-07-04T00:00:00": { excluded: true } },
      });
      expect(event.timeZone).toBeUndefined();
    },
  );

  it.each(["2027-07-03T10:00:00Z", "2027-07-03T10:00"])("have no time of day: %s", (start) => {
    expect(refusalOf(() => acceptEvent({ start, showWithoutTime: true }, "u"))).toBe("/start");
  });
});

it("takes proposed times as they are written, together", () => {
  const proposed = (times: string, more: JsonObject = { timeZone: "Europe/Berlin" }) =>
    valueAt(
      acceptEvent(
        {
          start: "2027-07-03T08:30:00",
          ...more,
          participants: { p: { calendarAddress: "mailto:a@a.example", "waypost:proposal": times } },
        },
        "u",
      ),
      "participants/*/waypost:proposal",
    );
  expect(proposed("2027-07-04T10:00/2027-07-04T09:00:00Z")).toBe("2027-07-04T08:00:00Z/2027-07-04T09:00:00Z");
  expect(proposed("2027-07-04T10:00", {})).toBe("2027-07-04T10:00:00");
  expect(proposed("2027-07-04/2027-07-05", { showWithoutTime: true, start: "2027-07-03" })).toBe(
    "2027-07-04/2027-07-05",
  );
});

it.each([
  ["that the clock shows twice, the second", { start: "2027-10-31T01:30:00Z", timeZone: "Europe/Berlin" }],
  ["that are none", { start: "2027-02-30T10:00:00" }],
  ["of a day with 25 hours", { start: "2027-02-03T25:00" }],
  ["with a zone that is none", { start: "2027-02-03T10:00:00+25:00" }],
  ["of a day alone", { start: "2027-02-03" }],
  ["in the zone that the event alone knows", { start: "2027-02-03T10:00:00Z", timeZone: "/Own" }],
])("refuses times %s", (_, body) => {
  expect(refusalOf(() => acceptEvent(body, "u"))).toMatch(/^\/(?:start|timeZone)$/);
});

it.each(["start", "due", "recurrenceOverrides", "alerts", "participants"])(
  "refuses other values of %s",
  (name) => {
    for (const value of [
      7,
      {},
      [[]],
      { a: 7 },
      { a: { trigger: 7 } },
      { "2027-07-03T08:30": 7 },
      null,
      true,
    ]) {
      const run = () => acceptEvent({ "@type": "Task", title: "T", [name]: value as never }, "u");
      try {
        run();
      } catch (error) {
        expect(isWaypostError(error)).toBe(true);
      }
    }
  },
);

it("takes a day as the end of a series of times, which goes on to its end", () => {
  const recurrenceRule = { frequency: "daily", until: "2027-07-09" };
  expect(acceptEvent({ start: "2027-07-03T08:30:00", recurrenceRule }, "u").recurrenceRule).toEqual({
    frequency: "daily",
    until: "2027-07-09T23:59:59",
  });
});

it("reads fractions of a second", () => {
  expect(readWrittenTime("2027-07-03T08:30:01.5Z")).toEqual({
    localMs: Date.UTC(2027, 6, 3, 8, 30, 1, 500),
    offsetMs: 0,
  });
});
