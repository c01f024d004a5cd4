import type { Logger } from "pino";
import { after } from "#/src/model/background.ts";
import { createOutage } from "#/src/model/outage.ts";
import type { Holds } from "#/src/outbound/holds/holds.ts";
import type { Store } from "#/storage/store.ts";

/** The time between a commit and the reading of holds, one reading for all commits of that time. */
const afterCommitMs = 100;
/** A failed run is tried again so much later. */
const afterFailureMs = 10_000;
/** The longest pause between two runs, so that a clock that is set forward is noticed. */
const longestWaitMs = 60_000;

/** Releases approved holds when their grace period is over, and declines expired ones. The due times are in the store, so none is lost
 *  when the process ends. Of several daemons, one does it. */
export function startHoldRunner(
  { store, holds }: { readonly store: Store; readonly holds: Holds },
  log: Logger,
): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Number.POSITIVE_INFINITY;
  let running: Promise<void> | undefined;
  let hasStopped = false;
  const outage = createOutage(log, "holds could not be looked at");

  function wakeIn(ms: number): void {
    const at = performance.now() + ms;
    if (hasStopped || at >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = at;
    timer = after(ms, () => {
      wakesAt = Number.POSITIVE_INFINITY;
      running = (running ?? Promise.resolve()).then(look);
    }).unref();
  }

  async function look(): Promise<void> {
    if (hasStopped || !store.leases.isHeld("holds")) return;
    try {
      const hasMore = await holds.runDue();
      const next = hasMore ? undefined : await holds.nextDueAt();
      outage.worked();
      if (hasMore) return wakeIn(0);
      if (next !== undefined) wakeIn(Math.min(longestWaitMs, Math.max(0, next - store.clock.now())));
    } catch (error) {
      outage.failed(error);
      wakeIn(afterFailureMs);
    }
  }

  const stopListening = store.onCommit(() => wakeIn(afterCommitMs));
  const stopHearing = store.leases.onChange(() => wakeIn(0));
  wakeIn(0);
  return {
    async stop() {
      hasStopped = true;
      stopListening();
      stopHearing();
      clearTimeout(timer);
      await running;
    },
  };
}
