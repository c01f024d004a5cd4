/** A thread that understands messages: structure, envelope, thread keys, compressed bytes, and who really sent them. */
import { parentPort, workerData } from "node:worker_threads";
import { withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import { createResolve } from "#/src/evidence/dns.ts";
import { examineMessage } from "#/src/evidence/examine.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import type { PreparationAnswer, PreparationJob, PreparationSettings, Prepared } from "./messages.ts";

const port = parentPort!;
const settings = workerData as PreparationSettings;
const resolve = createResolve(settings.dns);
let answers: PreparationAnswer[] = [];
let transfer: ArrayBuffer[] = [];

async function run(job: PreparationJob): Promise<void> {
  const { id } = job;
  let answer: PreparationAnswer;
  try {
    const prepared = await prepare(job);
    transfer.push(...transferableBuffers(prepared.facts.blob));
    answer = { id, ...prepared };
  } catch (error) {
    answer = { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  // Those that are ready in one turn go back together.
  if (answers.push(answer) === 1) setImmediate(send);
}

/** Signatures are looked at before anything is taken out of what they sign. */
async function prepare({ bytes, origin }: PreparationJob): Promise<Prepared> {
  const evidence = origin && (await examineMessage(bytes, origin, settings.hostname, resolve));
  const facts = await prepareMessage(withoutForgedResults(bytes, settings.ownNames));
  return evidence === undefined ? { facts } : { facts, evidence };
}

function send(): void {
  port.postMessage(answers, transfer);
  answers = [];
  transfer = [];
}

port.on("message", (jobs: readonly PreparationJob[]) => {
  for (const job of jobs) void run(job);
});
