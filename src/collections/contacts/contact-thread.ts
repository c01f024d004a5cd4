/** A thread for contacts that take long: one job in, its answer out. */
import { serveEach } from "#/src/threads/serve-each.ts";
import { doContactJob } from "./contact-jobs.ts";

serveEach(doContactJob);
