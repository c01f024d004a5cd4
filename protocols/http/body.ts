/** Request bodies, bounded. A body over its limit is refused at once and the rest of it is read and thrown away, so that a
 *  client that writes everything before it reads still gets the answer instead of a reset connection. */
import type { IncomingMessage } from "node:http";
import { CallerGone } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";

/** What is read for nothing before the connection is cut instead. */
const discardedBytesMax = 32 * 1024 * 1024;

const smallestBytes = 4 * 1024;

/** Memory is that of the body, however small the pieces are in which it comes: a piece that is kept costs 100 octets or more. */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  let body = Buffer.allocUnsafe(smallestBytes);
  let size = 0;
  const add = (piece: Buffer): void => {
    if (size + piece.length > body.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * body.length, size + piece.length));
      body.copy(larger, 0, 0, size);
      body = larger;
    }
    size += piece.copy(body, size);
  };
  await new Promise<void>((resolve, reject) => {
    const finish = (error?: Error): void => {
      request.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      if (error === undefined) resolve();
      else reject(error);
    };
    const onData = (chunk: Buffer): void => {
      if (size + chunk.length > limitBytes) finish(tooLarge(limitBytes));
      else add(chunk);
    };
    const onEnd = (): void => finish();
    const onGone = (): void => finish(new CallerGone());
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
  });
  return body.subarray(0, size);
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
