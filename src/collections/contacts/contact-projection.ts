/** Contacts between vCard and JSContact. */
import { createFairness, type Fairness, jobsOf } from "#/src/fairness/fairness.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import type { NamedJob } from "../projected-jobs.ts";
import { createProjection, type Projection, sizesOf } from "../projection.ts";
import type { ContactJobs } from "./contact-jobs.ts";

export type ContactProjection = Projection<ContactJobs>;

export function createContactProjection(fairness: Fairness = createFairness()): ContactProjection {
  return createProjection<ContactJobs>({
    noun: "contact",
    thread: houseThreads.contacts,
    gate: fairness.gate("contacts", jobsOf(1)),
    isSmall,
    load: async () => (await import("./contact-jobs.ts")).doContactJob,
  });
}

function isSmall({ job }: NamedJob<ContactJobs>): boolean {
  const { bytes, given } = sizesOf(job);
  return (bytes?.length ?? 0) <= mainBytesMax && given.length <= mainBytesMax;
}
