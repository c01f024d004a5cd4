/** Where times stand in events, tasks and contacts, each with an object that has one there. */
import type { JsonObject } from "#/src/formats/jscontact/json.ts";

interface Row {
  /** local: on the clock of the event; utc: in UTC. */
  readonly kind: "local" | "utc";
  readonly body: (time: string) => JsonObject;
}

const start = "2027-07-01T08:30:00";
const event = (kind: Row["kind"], more: (time: string) => JsonObject): Row => ({
  kind,
  body: (time) => ({ title: "Times", start, ...more(time) }),
});
const task = (kind: Row["kind"], more: (time: string) => JsonObject): Row =>
  event(kind, (time) => ({ "@type": "Task", ...more(time) }));

/** By places as `listTimePlaces` has them. */
export const eventRows: Readonly<Record<string, Row>> = {
  start: event("local", (time) => ({ start: time })),
  due: task("local", (time) => ({ due: time })),
  "recurrenceRule/until": event("local", (until) => ({ recurrenceRule: { frequency: "daily", until } })),
  "recurrenceOverrides/*": event("local", (time) => ({
    recurrenceRule: { frequency: "daily", count: 9 },
    recurrenceOverrides: { [time]: { title: "Other" } },
  })),
  // What names an instance in its own body; it cannot be changed.
  recurrenceId: event("local", (recurrenceId) => ({ recurrenceId, recurrenceIdTimeZone: "Europe/Berlin" })),
  created: event("utc", (created) => ({ created })),
  updated: event("utc", (updated) => ({ updated })),
  progressUpdated: task("utc", (progressUpdated) => ({ progress: "completed", progressUpdated })),
  "alerts/*/trigger/when": event("utc", (when) => ({ alerts: { a: { trigger: { when } } } })),
  "alerts/*/acknowledged": event("utc", (acknowledged) => ({
    alerts: { a: { trigger: { offset: "-PT15M" }, acknowledged } },
  })),
  "participants/*/waypost:proposal": event("utc", (time) => ({
    participants: { p: { calendarAddress: "mailto:ann@a.example", "waypost:proposal": time } },
  })),
};

const card = (more: (time: string) => JsonObject): Row => ({
  kind: "utc",
  body: (time) => ({ name: "Ann", ...more(time) }),
});

export const cardRows: Readonly<Record<string, Row>> = {
  created: card((created) => ({ created })),
  updated: card((updated) => ({ updated })),
  "anniversaries/*/date/utc": card((utc) => ({ anniversaries: { a: { kind: "birth", date: { utc } } } })),
  "notes/*/created": card((created) => ({ notes: { n: { note: "Late.", created } } })),
};

/** An instant in summer by the clock of Berlin, in each form; the last two are on that clock. */
export function formsOf(local: string): string[] {
  const utc = new Date(Date.parse(`${local}+02:00`)).toISOString().slice(0, 19);
  return [
    `${utc}Z`,
    `${utc}.250Z`,
    `${utc.slice(0, 16)}Z`,
    `${new Date(Date.parse(`${utc}Z`) - 5 * 3_600_000).toISOString().slice(0, 19)}-05:00`,
    local,
    local.slice(0, 16),
  ];
}

/** The value at a place; `*` is the only member there. At a place of names it is the name. */
export function valueAt(object: JsonObject, place: string): unknown {
  const steps = place.split("/");
  let value: unknown = object;
  for (const [at, step] of steps.entries()) {
    if (step !== "*") value = (value as JsonObject | undefined)?.[step];
    else if (at === steps.length - 1) value = Object.keys(value as JsonObject)[0];
    else value = Object.values(value as JsonObject)[0];
  }
  return value;
}
