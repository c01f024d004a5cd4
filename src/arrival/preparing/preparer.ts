/** A thread that prepares messages: structure, envelope, thread keys, compressed bytes, and the evidence of who sent them. */
import { withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import { createResolve } from "#/src/evidence/dns.ts";
import { examineMessage, loadExaminers } from "#/src/evidence/examine.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";
import { type Done, serveJobs } from "#/src/threads/serve-jobs.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import { readArrivingCalendar, readArrivingReports } from "./arriving.ts";
import type { PreparationJob, PreparationSettings, Prepared } from "./messages.ts";
import { unexamined } from "./unexamined.ts";

/** Not in the name of the first job, which would be taken for slow. */
const loaded = loadExaminers();

serveJobs<PreparationSettings, PreparationJob, Prepared>((settings) => {
  const resolve = createResolve(settings.dns);

  /** Signatures are verified before forged fields are removed, because the signed octets may include these. */
  return async (job) => {
    await loaded;
    const { bytes } = job;
    // Not every library accepts shared memory.
    const own = bytes.buffer instanceof SharedArrayBuffer ? takeMemory(bytes.byteLength) : bytes;
    if (own !== bytes) own.set(bytes);
    try {
      return await prepare(job, own);
    } finally {
      // At once: memory that waits for garbage collection makes collections more frequent, and they cost more than all other work here.
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
    // Only of authenticated authors: anybody else could invent reports, and cause the work of reading them.
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
