/** The thread for jobs on contacts that take long. */
import { serveEach } from "#/src/threads/serve-each.ts";
import { doContactJob } from "./contact-jobs.ts";

serveEach(doContactJob);
