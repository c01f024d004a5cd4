/** When to try again ("Errors" and "Limits" of the interface). */
import { RequestError } from "./request-error.ts";

const firstMs = 250;
const longestMs = 30_000;

/** Milliseconds to wait after the attempt, or undefined if another one is useless. Every request can be sent again, even if the server may
 *  have executed it: a write has an idempotency key. */
export function waitBefore(error: unknown, attempt: number): number | undefined {
  if (!(error instanceof RequestError)) return undefined;
  if (error.code === "rate_limited") {
    const waitMs = error.retryAfterMs ?? firstMs;
    return waitMs <= longestMs ? waitMs : undefined;
  }
  if (error.code !== "upstream_unavailable" && error.code !== "internal") return undefined;
  // Repeating does not change a refusal of a proxy.
  return error.status >= 300 && error.status < 500 ? undefined : backoffMs(attempt);
}

/** The pause doubles with each attempt. A random value in its upper half keeps many clients from coming back together. */
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
