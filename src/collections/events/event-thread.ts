/** A thread for events that take long: one job in, its answer out. */
import { serveEach } from "#/src/threads/serve-each.ts";
import { doEventJob } from "./event-jobs.ts";

serveEach(doEventJob);
