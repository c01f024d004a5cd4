/** A thread of the reading class: each of its readers is loaded when it is first needed. */
import type { ReaderName, ReadingJob } from "#/src/threads/reading.ts";
import { serveJobs } from "#/src/threads/serve-jobs.ts";

type Read = (job: never) => unknown;

const loaders: Readonly<Record<ReaderName, () => Promise<Read>>> = {
  busy: async () => (await import("#/src/collections/busy-item.ts")).answerBusy,
  contacts: async () => (await import("#/src/collections/contacts/contact-jobs.ts")).doContactJob,
  events: async () => (await import("#/src/collections/events/event-jobs.ts")).doEventJob,
  headers: async () => (await import("#/src/mail/header-reading.ts")).doHeaderJob,
  items: async () => (await import("#/src/collections/preparing/item-job.ts")).doItemJob,
  questions: async () => (await import("#/protocols/dav/filters/item-questions.ts")).answerQuestion,
  scheduling: async () => (await import("#/src/scheduling/jobs.ts")).runJob,
  texts: async () => (await import("#/src/render/threads/text-job.ts")).doTextJob,
};
const readers = new Map<ReaderName, Read>();

async function load(reader: ReaderName): Promise<void> {
  readers.set(reader, await loaders[reader]());
}

serveJobs<undefined, ReadingJob, unknown>(
  () =>
    async ({ reader, job }) => ({ result: await readers.get(reader)!(job as never), transfer: [] }),
  ({ reader }) => (readers.has(reader) ? undefined : load(reader)),
);
