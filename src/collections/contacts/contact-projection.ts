/** Contacts between vCard and JSContact. */
import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import type { NamedJob } from "../projected-jobs.ts";
import { createProjection, type Projection, sizesOf } from "../projection.ts";
import type { ContactJobs } from "./contact-jobs.ts";

export type ContactProjection = Projection<ContactJobs>;

/** Octets and characters up to which a job is done at once: at most some 20 ms, whatever they are. A listing reads lines alone. */
const directMax = 4 * 1024;
const directListMax = 64 * 1024;

export function createContactProjection(fairness: Fairness = createFairness()): ContactProjection {
  return createProjection<ContactJobs>({
    noun: "contact",
    thread: houseThreads.contacts,
    gate: fairness.gate("contacts", jobsOf(1)),
    isSmall,
    load: async () => (await import("./contact-jobs.ts")).doContactJob,
  });
}

function isSmall({ action, job }: NamedJob<ContactJobs>): boolean {
  const { bytes, given } = sizesOf(job);
  const octets = bytes?.length ?? 0;
  return action === "list" ? octets <= directListMax : octets <= directMax && given.length <= directMax;
}
