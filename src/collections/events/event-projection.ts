/** Events between iCalendar and JSCalendar. One with HTML in it takes 0.2 s. */
import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import type { NamedJob } from "../projected-jobs.ts";
import { createProjection, type Projection, sizesOf } from "../projection.ts";
import type { EventJobs } from "./event-jobs.ts";

export type EventProjection = Projection<EventJobs>;

export function createEventProjection(fairness: Fairness = createFairness()): EventProjection {
  return createProjection<EventJobs>({
    noun: "event",
    thread: houseThreads.events,
    gate: fairness.gate("events", jobsOf(1)),
    isSmall,
    load: async () => (await import("./event-jobs.ts")).doEventJob,
  });
}

function isSmall({ action, job }: NamedJob<EventJobs>): boolean {
  const { bytes, given } = sizesOf(job);
  if (given.length > mainBytesMax || given.includes("recurrence")) return false;
  if (bytes === undefined) return true;
  const { buffer, byteOffset, length } = bytes;
  if (length > mainBytesMax) return false;
  if (action === "list" || action === "part") return true;
  const text = Buffer.from(buffer, byteOffset, length).toString("latin1");
  return !(action === "describe" && html.test(text)) && !hasLongRule(text);
}

/** HTML is looked at as a page. */
const html = /text\/html|X-ALT-DESC/i;
/** Rules that are no plain steps: 0.1 s for the worst of them. */
function isLongRule(line: string): boolean {
  if (line.startsWith("EXRULE")) return true;
  if (!/^RRULE[;:]/.test(line)) return false;
  const parts = line.slice(line.indexOf(":") + 1).split(";");
  return (
    parts.some((part) => /^FREQ=(?:HOURLY|MINUTELY|SECONDLY)/.test(part)) ||
    parts.filter((part) => part.startsWith("BY")).length > 1
  );
}

/** Those of time zones are yearly, and bounded apart. */
function hasLongRule(text: string): boolean {
  let isZone = false;
  for (const line of text
    .toUpperCase()
    .replace(/\r?\n[ \t]/g, "")
    .split(/\r?\n/)) {
    if (line.startsWith("BEGIN:VTIMEZONE")) isZone = true;
    else if (line.startsWith("END:VTIMEZONE")) isZone = false;
    else if (!isZone && isLongRule(line)) return true;
  }
  return false;
}
