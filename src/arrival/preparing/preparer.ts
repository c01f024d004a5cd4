/** A thread that understands messages: structure, envelope, thread keys, compressed bytes, and who really sent them. */
import { withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import { createResolve } from "#/src/evidence/dns.ts";
import { examineMessage } from "#/src/evidence/examine.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";
import { type Done, serveJobs } from "#/src/threads/serve-jobs.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import { readArrivingCalendar, readArrivingReports } from "./arriving.ts";
import type { PreparationJob, PreparationSettings, Prepared } from "./messages.ts";
import { unexamined } from "./unexamined.ts";

serveJobs<PreparationSettings, PreparationJob, Prepared>((settings) => {
  const resolve = createResolve(settings.dns);

  /** Signatures are looked at before anything is taken out of what they sign. */
  return async (job) => {
    const { bytes } = job;
    // Not every library takes memory that is shared.
    const own = bytes.buffer instanceof SharedArrayBuffer ? takeMemory(bytes.byteLength) : bytes;
    if (own !== bytes) own.set(bytes);
    try {
      return await prepare(job, own);
    } finally {
      // At once: what waits for a collection of garbage makes them more frequent, and they cost more than all else here.
      giveBackMemory(own as Uint8Array<ArrayBuffer>);
    }
  };

  async function prepare(job: PreparationJob, bytes: Uint8Array): Promise<Done<Prepared>> {
    const evidence =
      job.isUnexamined === true
        ? unexamined
        : job.origin && (await examineMessage(bytes, job.origin, settings.hostname, resolve));
    const facts = await prepareMessage(withoutForgedResults(bytes, settings.ownNames), true);
    const transfer = transferableBuffers(facts.blob);
    const calendar = readArrivingCalendar(bytes, facts);
    // Of whom it is known who they are: anybody else could make up reports, and the work to read them.
    const reports = evidence?.isAuthenticated === true ? readArrivingReports(bytes, facts) : [];
    return {
      result: {
        facts,
        ...(evidence === undefined ? {} : { evidence }),
        ...(calendar === undefined ? {} : { calendar }),
        ...(reports.length === 0 ? {} : { reports }),
      },
      transfer,
    };
  }
});
