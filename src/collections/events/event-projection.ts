/** Events between iCalendar and JSCalendar. An ordinary one takes about a millisecond and is done at once; a large one can take
 *  seconds, one with HTML in it 0.2 s, and is given to a thread with a limit. */

import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";
import type { EventAnswer, EventDeed, EventJobs, NamedEventJob } from "./event-jobs.ts";

export interface EventProjection extends AsyncDisposable {
  /** Throws `invalid` with the JSON pointer of what is wrong with a body or a patch. */
  run<D extends EventDeed>(deed: D, job: EventJobs[D]["job"]): Promise<EventJobs[D]["result"]>;
}

/** Octets and characters up to which a job is done at once: some milliseconds. */
const directMax = 8 * 1024;

const overLimit: EventAnswer = {
  refusal: {
    code: "policy_refused",
    message: "The event takes too much work.",
    details: { reason: "limit_reached", hint: "Leave out some of its members." },
  },
};

export function createEventProjection(fairness: Fairness = createFairness()): EventProjection {
  const pool = createThreadPool<NamedEventJob, EventAnswer>({
    thread: houseThreads.events,
    gate: fairness.gate("events", jobsOf(1)),
    timeLimitMs: 5000,
    overLimit,
  });
  return {
    async run(deed, job) {
      const named = { deed, job };
      const answer = isSmall(named)
        ? (await loadJobs()).doEventJob(named)
        : await pool.run(named as NamedEventJob);
      if ("result" in answer) return answer.result as EventJobs[typeof deed]["result"];
      const { code, message, details } = answer.refusal;
      throw new WaypostError(code, message, details);
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** With the formats, which most commands do not need. */
function loadJobs(): Promise<typeof import("./event-jobs.ts")> {
  return import("./event-jobs.ts");
}

function isSmall({ deed, job }: NamedEventJob): boolean {
  const given = "body" in job ? job.body : "change" in job ? job.change : undefined;
  if (given !== undefined) {
    const text = JSON.stringify(given);
    if (text.length > directMax || text.includes("recurrence")) return false;
  }
  if (!("bytes" in job)) return true;
  const { buffer, byteOffset, length } = job.bytes;
  if (length > directMax) return false;
  if (deed === "list" || deed === "part") return true;
  const text = Buffer.from(buffer, byteOffset, length).toString("latin1");
  return !(deed === "describe" && html.test(text)) && !hasLongRule(text);
}

/** HTML is looked at as a page. */
const html = /text\/html|X-ALT-DESC/i;
/** Rules that are no plain steps: 0.1 s for the worst of them. */
const longRule =
  /^(?:EXRULE|RRULE[;:][^\n]*(?:FREQ=(?:HOURLY|MINUTELY|SECONDLY)|BY[A-Z]+=[^\n]*;BY[A-Z]+=))/im;

/** Those of time zones are yearly, and bounded apart. */
function hasLongRule(text: string): boolean {
  return longRule.test(text.replace(/BEGIN:VTIMEZONE.*?END:VTIMEZONE/gis, "").replace(/\r?\n[ \t]/g, ""));
}
