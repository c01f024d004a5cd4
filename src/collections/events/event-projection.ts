/** Events between iCalendar and JSCalendar. One with HTML in it takes 0.2 s. */
import { findsLetters } from "#/src/formats/content-lines/unfold.ts";
import { needsRules } from "#/src/formats/icalendar/needs-rules.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import type { Reading } from "#/src/threads/reading.ts";
import type { NamedJob } from "../projected-jobs.ts";
import { createProjection, type Projection, sizesOf } from "../projection.ts";
import type { EventJobs } from "./event-jobs.ts";

export type EventProjection = Projection<EventJobs>;

export function createEventProjection(reading: Reading): EventProjection {
  return createProjection<EventJobs>(reading, {
    noun: "event",
    reader: "events",
    isSmall,
    load: async () => (await import("./event-jobs.ts")).doEventJob,
  });
}

function isSmall({ action, job }: NamedJob<EventJobs>): boolean {
  const { bytes, given } = sizesOf(job);
  if (given.length > mainBytesMax || repeating.test(given)) return false;
  if (bytes === undefined) return true;
  if (bytes.length > mainBytesMax) return false;
  return !(action === "describe" && html.some((finds) => finds(bytes))) && !needsRules(bytes);
}

/** Members with rules: of the event, and of time zones that it brings. */
const repeating = /recurrence|timezones/i;

/** HTML is looked at as a page. */
const html = ["text/html", "X-ALT-DESC"].map(findsLetters);
