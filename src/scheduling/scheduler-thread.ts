/** The thread that runs scheduling jobs on large objects and on series. */
import { serveEach } from "#/src/threads/serve-each.ts";
import { runJob, type SchedulingJob, type SchedulingResult } from "./jobs.ts";

serveEach<SchedulingJob, SchedulingResult>(runJob);
