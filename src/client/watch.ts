/** `watch` with reconnecting: when the connection breaks or is silent, a new one is opened at the cursor of the last batch, so that no
 *  event is missed or repeated. */
import { readFrames } from "./event-frames.ts";
import type { Operations } from "./operations.ts";
import { RequestError, unreachable } from "./request-error.ts";
import { backoffMs, pause, waitBefore } from "./retry.ts";

type Request = Operations["watch"]["input"];
type Batch = Operations["watch"]["output"];

export interface WatchOptions {
  readonly signal?: AbortSignal;
  /** Called when a connection is lost, before the next one is made. */
  readonly onReconnect?: (reason: RequestError) => void;
}

const defaultQuietSeconds = 20;
/** After this time beyond the interval of keepalives the connection counts as lost. */
const silenceMs = 15_000;

/** `findEnd` calls `wait`, which gives the cursor of the latest event. */
export async function* watchBatches(
  findEnd: (request: Operations["wait"]["input"]) => Promise<Operations["wait"]["output"]>,
  post: (name: string, input: unknown, signal: AbortSignal) => Promise<Response>,
  request: Request,
  { signal, onReconnect }: WatchOptions,
): AsyncGenerator<Batch, void, undefined> {
  try {
    // A stream without a cursor has no position until its first event. With the cursor of `wait` a lost connection leaves no gap.
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
        const waitMs = waitBefore(error, ++failures);
        if (waitMs === undefined) throw error;
        onReconnect?.(error as RequestError);
        await pause(Math.max(waitMs, failures > 1 ? backoffMs(failures) : 0), signal);
      }
    }
  } catch (error) {
    // An abort by the caller is not a failure.
    if (signal?.aborted !== true) throw error;
  }
}

/** Reads one connection. An error in a batch is thrown. */
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
