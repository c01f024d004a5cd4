import { after } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Store } from "#/storage/store.ts";
import { busyWaitMs } from "./limits.ts";

/** Waits a moment for a busy store before the peer is told to try again later. Meanwhile nothing is read from the peer. */
export async function roomInStore(store: Store): Promise<void> {
  const giveUp = performance.now() + busyWaitMs;
  while (store.isBusy()) {
    const left = giveUp - performance.now();
    if (left <= 0)
      throw new WaypostError("upstream_unavailable", "Too much is waiting to be stored.", { reason: "busy" });
    const timer = new AbortController();
    await Promise.race([store.whenReady(), elapsed(left, timer.signal)]);
    timer.abort();
  }
}

function elapsed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = after(ms, resolve);
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
}
