/** Request bodies, bounded. A body over its limit is refused at once and the rest of it is read and thrown away, so that a
 *  client that writes everything before it reads still gets the answer instead of a reset connection. */
import type { IncomingMessage } from "node:http";
import { WaypostError } from "#/src/model/errors.ts";

/** The peer has gone; nobody is left to answer. */
export class RequestAborted extends Error {
  constructor() {
    super("the client went away");
    this.name = "RequestAborted";
  }
}

/** What is read for nothing before the connection is cut instead. */
const discardedBytesMax = 32 * 1024 * 1024;

export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"]) > limitBytes) throw tooLarge(limitBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  await new Promise<void>((resolve, reject) => {
    const finish = (error?: Error): void => {
      request.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limitBytes) finish(tooLarge(limitBytes));
      else chunks.push(chunk);
    };
    const onEnd = (): void => finish();
    const onGone = (): void => finish(new RequestAborted());
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

/** Reads what is left of a request that was answered without it. */
export function discardBody(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  let size = 0;
  request.on("error", () => {});
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > discardedBytesMax) request.destroy();
  });
  request.resume();
}

function tooLarge(limitBytes: number): WaypostError {
  return new WaypostError("invalid", `The request body is over ${limitBytes} bytes.`, {
    reason: "too_large",
    field: "",
    hint: "Send less in one request; the limits are in catalog.describe.",
  });
}
