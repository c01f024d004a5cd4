/** A thread that computes what scheduling asks of large objects and of series. */
import { serveEach } from "#/src/threads/serve-each.ts";
import { runJob, type SchedulingJob, type SchedulingResult } from "./jobs.ts";

serveEach<SchedulingJob, SchedulingResult>(runJob);
