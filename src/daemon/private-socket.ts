/** The private socket in the data folder, through which the command line reaches a running daemon. It has mode 0600 in a folder of mode
 *  0700. Whoever may open it is the operator: there is no further credential. */
import fs from "node:fs";
import { createServer, type Socket } from "node:net";
import type { Logger } from "pino";
import { CallerGone } from "#/src/model/caller.ts";
import {
  errorOf,
  linesOf,
  type PrivateAnswer,
  type PrivateRequest,
  privateSocketPath,
  requestBytesMax,
} from "./private-messages.ts";
import type { PrivateCall } from "./private-operations.ts";

export interface PrivateSocket {
  close(): Promise<void>;
}

export async function listenPrivately(
  folder: string,
  log: Logger,
  run: (call: PrivateCall) => Promise<unknown>,
): Promise<PrivateSocket> {
  const file = privateSocketPath(folder);
  // This process holds the store's lock, so an existing socket belongs to a process that has ended.
  fs.rmSync(file, { force: true });
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    serve(socket, run).catch((error: unknown) => {
      log.debug({ err: error }, "private connection broke");
      socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(file, resolve);
  });
  server
    .removeAllListeners("error")
    .on("error", (error) => log.error({ err: error }, "private socket failed"));
  fs.chmodSync(file, 0o600);
  return {
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

async function serve(socket: Socket, run: (call: PrivateCall) => Promise<unknown>): Promise<void> {
  const gone = new AbortController();
  const leave = (): void => gone.abort(new CallerGone());
  socket.once("close", leave);
  socket.on("error", leave);
  const tell = (answer: PrivateAnswer): void => {
    if (socket.writable) socket.write(`${JSON.stringify(answer)}\n`);
  };
  for await (const line of linesOf(socket, requestBytesMax)) {
    try {
      const { operation, input } = JSON.parse(line) as PrivateRequest;
      const result = await run({
        operation,
        input,
        signal: gone.signal,
        onProgress: (done, total) => tell({ progress: [done, total] }),
        onFrame: (frame) => tell({ frame }),
      });
      tell({ result });
    } catch (error) {
      tell({ error: errorOf(error) });
    }
    break;
  }
  socket.end();
}
