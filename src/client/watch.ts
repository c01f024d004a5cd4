/** `watch` that goes on: when the connection breaks or falls silent, another one is opened where the last batch ended, so
 *  nothing is missed and nothing comes twice. */
import { readFrames } from "./event-frames.ts";
import type { Operations } from "./operations.ts";
import { RequestError, unreachable } from "./request-error.ts";
import { backoffMs, pause, waitBefore } from "./retry.ts";

type Request = Operations["watch"]["input"];
type Batch = Operations["watch"]["output"];

export interface WatchOptions {
  readonly signal?: AbortSignal;
  /** Told when a connection is lost, before the next one is made. */
  readonly onReconnect?: (reason: RequestError) => void;
}

const defaultQuietSeconds = 20;
/** Beyond the interval of the keepalives; then nobody is at the other end. */
const silenceMs = 15_000;

/** `findEnd` is `wait`, which answers where the log ends. */
export async function* watchBatches(
  findEnd: (request: Operations["wait"]["input"]) => Promise<Operations["wait"]["output"]>,
  post: (name: string, input: unknown, signal: AbortSignal) => Promise<Response>,
  request: Request,
  { signal, onReconnect }: WatchOptions,
): AsyncGenerator<Batch, void, undefined> {
  try {
    // A stream from now on has no position until its first event; this one has, so a lost connection leaves no gap.
    let cursor = request.cursor || (await findEnd(placeOf(request))).cursor;
    for (let failures = 0; ; ) {
      try {
        for await (const batch of readOnce(post, { ...request, cursor }, signal)) {
          failures = 0;
          cursor = batch.cursor;
          yield batch;
        }
        throw unreachable("the stream ended");
      } catch (error) {
        signal?.throwIfAborted();
        const waitMs = waitBefore(error, ++failures, true);
        if (waitMs === undefined) throw error;
        onReconnect?.(error as RequestError);
        await pause(Math.max(waitMs, failures > 1 ? backoffMs(failures) : 0), signal);
      }
    }
  } catch (error) {
    // Who aborts has had enough; that is no failure.
    if (signal?.aborted !== true) throw error;
  }
}

/** One connection; a batch that ends it with an error is thrown. */
async function* readOnce(
  post: (name: string, input: unknown, signal: AbortSignal) => Promise<Response>,
  request: Request,
  signal: AbortSignal | undefined,
): AsyncGenerator<Batch> {
  const silent = new AbortController();
  const limitMs = (request.timeout_s ?? defaultQuietSeconds) * 1000 + silenceMs;
  let timer = setTimeout(() => silent.abort(), limitMs);
  try {
    const either = signal === undefined ? silent.signal : AbortSignal.any([signal, silent.signal]);
    const response = await post("watch", request, either);
    for await (const { event, data } of readFrames(response.body!)) {
      clearTimeout(timer);
      if (event === "batch") {
        const batch = JSON.parse(data) as Batch;
        if (batch.error !== undefined) throw new RequestError(response.status, batch.error);
        yield batch;
      }
      timer = setTimeout(() => silent.abort(), limitMs);
    }
  } catch (error) {
    throw error instanceof RequestError ? error : unreachable(error);
  } finally {
    clearTimeout(timer);
  }
}

function placeOf({ mailbox }: Request): Request {
  return mailbox === undefined ? {} : { mailbox };
}
