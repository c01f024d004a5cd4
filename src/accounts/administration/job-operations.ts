/** What became of the jobs that a program has begun. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { Jobs } from "./jobs.ts";
import { type AdministrationRooms, administrationOperation } from "./operation.ts";
import { numberField } from "./selectors.ts";

const jobField = numberField.describe("Number of the job, as the answer had it.");

export const jobOperations = [
  administrationOperation({
    name: "job.list",
    kind: "any",
    isRead: true,
    summary: "List the jobs that run or have ended since the start of the server; a token sees its own.",
    input: z.strictObject({}),
    run: async (rooms, _, by) => ({ jobs: jobsOf(rooms).list(by) }),
  }),
  administrationOperation({
    name: "job.show",
    kind: "any",
    isRead: true,
    summary: "Show how far a job is, and its result.",
    input: z.strictObject({ number: jobField }),
    positional: ["number"],
    run: async (rooms, { number }, by) => jobsOf(rooms).show(by, number),
  }),
  administrationOperation({
    name: "job.cancel",
    kind: "any",
    summary: "End a job. What it has stored stays.",
    input: z.strictObject({ number: jobField }),
    positional: ["number"],
    run: (rooms, { number }, by) => jobsOf(rooms).cancel(by, number),
  }),
];

export function jobsOf({ jobs }: AdministrationRooms): Jobs {
  if (jobs === undefined) throw new WaypostError("unavailable", "There are no jobs here.");
  return jobs;
}
