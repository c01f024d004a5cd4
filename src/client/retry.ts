/** When to try again ("Errors" and "Limits" of the interface). */
import { RequestError } from "./request-error.ts";

const firstMs = 250;
const longestMs = 30_000;

/** Milliseconds to wait after the attempt, or undefined when another one is of no use. `isRepeatable`: a request that may have
 *  been carried out can be sent again. */
export function waitBefore(error: unknown, attempt: number, isRepeatable: boolean): number | undefined {
  if (!(error instanceof RequestError)) return undefined;
  if (error.code === "rate_limited") {
    const waitMs = error.retryAfterMs ?? firstMs;
    return waitMs <= longestMs ? waitMs : undefined;
  }
  if (error.code !== "upstream_unavailable" && error.code !== "internal") return undefined;
  // A proxy's own refusal does not change.
  if (error.status >= 300 && error.status < 500) return undefined;
  // The server's own word means that nothing was done; without its word nobody knows.
  const hadNoEffect = error.code === "upstream_unavailable" && error.requestId !== undefined;
  return hadNoEffect || isRepeatable ? backoffMs(attempt) : undefined;
}

/** Doubling, and somewhere in its upper half, so that many clients do not come back together. */
export function backoffMs(attempt: number): number {
  const most = Math.min(longestMs, firstMs * 2 ** (attempt - 1));
  return most / 2 + (Math.random() * most) / 2;
}

/** Throws the signal's reason when it aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
