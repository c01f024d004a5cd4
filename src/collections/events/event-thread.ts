/** The thread for jobs on events that take long. */
import { serveEach } from "#/src/threads/serve-each.ts";
import { doEventJob } from "./event-jobs.ts";

serveEach(doEventJob);
