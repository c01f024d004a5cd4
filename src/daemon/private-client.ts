import { connect, type Socket } from "node:net";
import { WaypostError } from "#/src/model/errors.ts";
import {
  errorFrom,
  linesOf,
  type PrivateAnswer,
  privateSocketPath,
  requestBytesMax,
} from "./private-messages.ts";

export interface PrivateClientCall {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly onProgress?: (done: number, total: number) => void;
  readonly onFrame?: (frame: unknown) => void;
}

/** Whether a daemon has the data folder open: a connection to it, or undefined. */
export async function connectToDaemon(folder: string): Promise<Socket | undefined> {
  const socket = connect(privateSocketPath(folder));
  return new Promise((resolve, reject) => {
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ECONNREFUSED" || error.code === "ENOTDIR")
        resolve(undefined);
      else if (error.code === "EACCES")
        reject(
          new WaypostError("invalid", "The daemon of this folder belongs to another user.", { cause: error }),
        );
      else reject(error);
    });
  });
}

/** One call over a connection, which ends with it. Throws what the daemon refuses. */
export async function callDaemon(socket: Socket, call: PrivateClientCall): Promise<unknown> {
  const { operation, input } = call;
  socket.write(`${JSON.stringify({ operation, input })}\n`);
  for await (const line of linesOf(socket, requestBytesMax)) {
    const answer = JSON.parse(line) as PrivateAnswer;
    if ("progress" in answer) call.onProgress?.(...answer.progress);
    else if ("frame" in answer) call.onFrame?.(answer.frame);
    else if ("error" in answer) throw errorFrom(answer.error);
    else return answer.result;
  }
  throw new WaypostError("upstream_unavailable", "The daemon ended before it answered.");
}
