/** Contacts between vCard and JSContact. An ordinary one takes less than a millisecond and is done at once; a large one can be
 *  made so that it takes seconds, and is given to a thread with a limit. */

import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { createThreadPool } from "#/src/threads/thread-pool.ts";
import type { ContactAnswer, ContactDeed, ContactJobs, NamedJob } from "./contact-jobs.ts";

export interface ContactProjection extends AsyncDisposable {
  /** Throws `invalid` with the JSON pointer of what is wrong with a body or a patch. */
  run<D extends ContactDeed>(deed: D, job: ContactJobs[D]["job"]): Promise<ContactJobs[D]["result"]>;
}

/** Octets and characters up to which a job is done at once: at most some 20 ms, whatever they are. A listing reads lines alone. */
const directMax = 4 * 1024;
const directListMax = 64 * 1024;

const overLimit: ContactAnswer = {
  refusal: {
    code: "policy_refused",
    message: "The contact takes too much work.",
    details: { reason: "limit_reached", hint: "Leave out some of its members." },
  },
};

export function createContactProjection(fairness: Fairness = createFairness()): ContactProjection {
  const pool = createThreadPool<NamedJob, ContactAnswer>({
    thread: houseThreads.contacts,
    gate: fairness.gate("contacts", jobsOf(1)),
    timeLimitMs: 5000,
    overLimit,
  });
  return {
    async run(deed, job) {
      const named = { deed, job };
      const answer = isSmall(named)
        ? (await loadJobs()).doContactJob(named)
        : await pool.run(named as NamedJob);
      if ("result" in answer) return answer.result as ContactJobs[typeof deed]["result"];
      const { code, message, details } = answer.refusal;
      throw new WaypostError(code, message, details);
    },
    [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose](),
  };
}

/** With the formats, which most commands do not need. */
function loadJobs(): Promise<typeof import("./contact-jobs.ts")> {
  return import("./contact-jobs.ts");
}

function isSmall({ deed, job }: NamedJob): boolean {
  const octets = "bytes" in job ? job.bytes.length : 0;
  if (deed === "list") return octets <= directListMax;
  const given = "body" in job ? job.body : "change" in job ? job.change : undefined;
  return octets <= directMax && (given === undefined || JSON.stringify(given).length <= directMax);
}
