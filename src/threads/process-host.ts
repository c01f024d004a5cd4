/** A process with one thread, for documents that may end the whole process: V8 ends the process if a heap cannot grow by a large
 *  piece. This side reports the thread's processor time and its board, tells why the thread ended, and ends with it or with the daemon. */
import type { Worker } from "node:worker_threads";
import { inBackground } from "#/src/model/background.ts";
import type { ThreadKind } from "./house-threads.ts";
import { createBoard } from "./job-board.ts";
import { type FromHost, hostedThread, type ToHost } from "./process-messages.ts";
import { startThread } from "./start-thread.ts";
import { describeCause, wasOutOfMemory } from "./thread-ends.ts";

const kind = JSON.parse(process.env[hostedThread]!) as ThreadKind;
const board = createBoard();
let worker: Worker;
const say = (message: FromHost): void => void process.send!(message);
const end = (): void => process.exit(1);
// Sent after the thread's other messages.
const endThere = (how: Omit<Extract<FromHost, { readonly kind: "ended" }>, "kind">): void =>
  void process.send!({ kind: "ended", ...how } satisfies FromHost, end);
process.on("disconnect", end);
process.on("message", (message: ToHost) => {
  switch (message.kind) {
    case "start":
      worker = startThread(kind, { ...message.data, board });
      worker.on("message", (said: unknown) => say({ kind: "said", message: said }));
      worker.on("error", (thrown: unknown) =>
        endThere({ isOutOfMemory: wasOutOfMemory(thrown), error: describeCause(thrown) }),
      );
      worker.on("exit", () => endThere({ isOutOfMemory: false }));
      break;
    case "give":
      worker.postMessage(message.message);
      break;
    case "look":
      inBackground(saySeen);
  }
});

async function saySeen(): Promise<void> {
  // A thread that is starting or ending has none.
  const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }));
  say({ kind: "seen", cpuMs: (user + system) / 1000, words: [...board.words], times: [...board.times] });
}
