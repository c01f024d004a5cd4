/** A thread that understands messages: structure, envelope, thread keys, compressed bytes. */
import { parentPort } from "node:worker_threads";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import type { PreparationAnswer, PreparationJob } from "./messages.ts";

const port = parentPort!;
let answers: PreparationAnswer[] = [];
let transfer: ArrayBuffer[] = [];

async function run({ id, bytes }: PreparationJob): Promise<void> {
  let answer: PreparationAnswer;
  try {
    const facts = await prepareMessage(bytes);
    transfer.push(...transferableBuffers(facts.blob));
    answer = { id, facts };
  } catch (error) {
    answer = { id, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  // Those that are ready in one turn go back together.
  if (answers.push(answer) === 1) setImmediate(send);
}

function send(): void {
  port.postMessage(answers, transfer);
  answers = [];
  transfer = [];
}

port.on("message", (jobs: readonly PreparationJob[]) => {
  for (const job of jobs) void run(job);
});
