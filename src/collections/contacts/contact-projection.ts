/** Contacts between vCard and JSContact. */
import { mainBytesMax } from "#/src/model/limits.ts";
import type { Reading } from "#/src/threads/reading.ts";
import type { NamedJob } from "../projected-jobs.ts";
import { createProjection, type Projection, sizesOf } from "../projection.ts";
import type { ContactJobs } from "./contact-jobs.ts";

export type ContactProjection = Projection<ContactJobs>;

export function createContactProjection(reading: Reading): ContactProjection {
  return createProjection<ContactJobs>(reading, {
    noun: "contact",
    reader: "contacts",
    isSmall,
    load: async () => (await import("./contact-jobs.ts")).doContactJob,
  });
}

function isSmall({ job }: NamedJob<ContactJobs>): boolean {
  const { bytes, given } = sizesOf(job);
  return (bytes?.length ?? 0) <= mainBytesMax && given.length <= mainBytesMax;
}
