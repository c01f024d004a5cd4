/** A thread that reads documents: one in, its text out. */
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { serveEach } from "#/src/threads/serve-each.ts";
import type { DocumentJob } from "./reading-threads.ts";

serveEach(({ bytes, kind }: DocumentJob) => readDocument(bytes, kind));
