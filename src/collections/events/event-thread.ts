/** A thread for events that take long: one job in, its answer out. */
import { serveEach } from "#/src/threads/serve-each.ts";
import { doEventJob, type NamedEventJob } from "./event-jobs.ts";

serveEach((job: NamedEventJob) => doEventJob(job));
