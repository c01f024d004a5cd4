/** Request bodies, bounded. A body over its limit is refused at once. The rest of it is read and discarded, so that a client that
 *  writes everything before it reads gets the response instead of a reset connection. */
import type { IncomingMessage } from "node:http";
import type { LostReason, Receiving } from "#/src/fairness/receiving.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";

const retryAfterMs = 1000;

/** Octets that are read and discarded before the connection is destroyed. */
const discardedBytesMax = 32 * 1024 * 1024;

/** The first reservation for a body of unknown length. A body that is no longer and is here already waits for no memory. */
const smallestBytes = 4 * 1024;

export interface BodyOptions {
  readonly limitBytes: number;
  /** How many times over the octets are in memory. */
  readonly copies: number;
  readonly receiving: Receiving;
  /** Releases the memory. */
  readonly memory: DisposableStack;
}

/** Copies the pieces into one buffer, so that many small pieces cost no more memory than the body: each kept piece would cost 100 octets
 *  or more. */
export async function readBody(request: IncomingMessage, options: BodyOptions): Promise<Buffer<ArrayBuffer>> {
  const { limitBytes, copies, receiving, memory } = options;
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  const coding = request.headers["transfer-encoding"];
  if (announced === 0 && coding === undefined) return Buffer.alloc(0);
  // Node reads the chunks of a compressed body, too, and leaves it compressed.
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked")
    throw new WaypostError("invalid", "The request body has a transfer coding other than chunked.", {
      field: "",
      hint: "Send the body as it is, with Content-Length or with Transfer-Encoding: chunked.",
    });
  const whole = announced > 0 && announced <= smallestBytes ? readWhole(request, announced) : undefined;
  if (whole !== undefined) return whole;
  const first = announced || smallestBytes;
  let fail: (error: Error) => void = () => {};
  const received = memory.use(await receiving.begin(copies * first, (reason) => fail(lost(reason))));
  let body = takeMemory(first);
  let size = 0;
  const add = (piece: Buffer): void => {
    if (size + piece.length > body.length) {
      const length = Math.min(limitBytes, Math.max(2 * body.length, size + piece.length));
      if (received.grow(copies * (length - body.length)) !== undefined) throw busy();
      const larger = takeMemory(length);
      body.copy(larger, 0, 0, size);
      giveBackMemory(body);
      body = larger;
    }
    size += piece.copy(body, size);
    received.arrived(piece.length);
  };
  await new Promise<void>((resolve, reject) => {
    const finish = (error?: Error): void => {
      request.off("data", onData).off("end", onEnd).off("error", onGone).off("close", onGone);
      if (error === undefined) resolve();
      else {
        giveBackMemory(body);
        reject(error);
      }
    };
    const onData = (chunk: Buffer): void => {
      if (size + chunk.length > limitBytes) finish(tooLarge(limitBytes));
      else
        try {
          add(chunk);
        } catch (error) {
          finish(error as Error);
        }
    };
    const onEnd = (): void => finish();
    const onGone = (): void => finish(new CallerGone());
    fail = finish;
    request.on("data", onData).on("end", onEnd).on("error", onGone).on("close", onGone);
    if (request.destroyed) onGone();
  });
  received.complete();
  return body.subarray(0, size);
}

/** A body that has arrived together with its header. */
function readWhole(request: IncomingMessage, length: number): Buffer<ArrayBuffer> | undefined {
  if (!request.complete || request.readableLength !== length) return undefined;
  const body = takeMemory(length);
  (request.read() as Buffer).copy(body);
  return body.subarray(0, length);
}

function lost(reason: LostReason): WaypostError {
  return reason === "gave_way"
    ? busy()
    : new WaypostError("invalid", "The request body arrives too slowly.", { field: "" });
}

function busy(): WaypostError {
  return new WaypostError("upstream_unavailable", "There is no memory for the request body now.", {
    reason: "busy",
    retryAfterMs,
  });
}

/** Reads and discards the rest of a request that is already answered. */
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
