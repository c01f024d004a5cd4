/** A thread that prepares messages: structure, envelope, thread keys, compressed bytes, and the evidence of who sent them. */

import { withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import { createResolve } from "#/src/evidence/dns.ts";
import { examineMessage, loadExaminers } from "#/src/evidence/examine.ts";
import { encodeBinaryParts } from "#/src/formats/mime/binary-parts.ts";
import { formatEnvelope } from "#/src/formats/mime/envelope.ts";
import { type HeaderWant, readKnownFields } from "#/src/mail/header-reading.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";
import { selectSigned } from "#/src/outbound/dkim/sign.ts";
import { readDeliveryReport } from "#/src/outbound/read-report.ts";
import { type Done, serveJobs } from "#/src/threads/serve-jobs.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import { readArrivingCalendar, readArrivingReports } from "./arriving.ts";
import type { HeaderAnswer, HeaderJob, PreparationJob, PreparationSettings, Prepared } from "./messages.ts";
import { unexamined } from "./unexamined.ts";

const headerAnswers: Readonly<Record<HeaderWant, (bytes: Uint8Array) => unknown>> = {
  binary: encodeBinaryParts,
  envelope: formatEnvelope,
  fields: readKnownFields,
  report: readDeliveryReport,
  signed: selectSigned,
};

let isLoaded = false;
/** Not in the name of the first job, which would be taken for slow. */
const loading = loadExaminers().then(() => {
  isLoaded = true;
});

serveJobs<PreparationSettings, PreparationJob | HeaderJob, Prepared | HeaderAnswer>(createJobs, (job) =>
  isLoaded || "want" in job ? undefined : loading,
);

function createJobs(
  settings: PreparationSettings,
): (job: PreparationJob | HeaderJob) => Promise<Done<Prepared | HeaderAnswer>> {
  const resolve = createResolve(settings.dns);

  /** Signatures are verified before forged fields are removed, because the signed octets may include these. */
  return async (job) => {
    if ("want" in job) {
      // Not every reader accepts shared memory.
      const bytes = job.bytes.buffer instanceof SharedArrayBuffer ? new Uint8Array(job.bytes) : job.bytes;
      return { result: { answer: headerAnswers[job.want](bytes) }, transfer: [] };
    }
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
    const kept = job.put?.isOwn === true ? bytes : withoutForgedResults(bytes, settings.ownNames);
    const facts = await prepareMessage(kept, true);
    const transfer = transferableBuffers(facts.blob);
    if (job.put !== undefined) return { result: { facts }, transfer };
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
}
