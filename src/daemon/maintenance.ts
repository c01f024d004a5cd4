import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Store } from "#/storage/store.ts";

const dayMs = 86_400_000;
const firstAfterMs = 60_000;
const everyMs = 3_600_000;

/** Forgets each hour what is older than its time: changes beyond the retention, spent idempotency keys. */
export function startMaintenance(store: Store, settings: Settings, log: Logger): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let timer = setTimeout(turn, firstAfterMs).unref();

  function turn(): void {
    running = store
      .maintain({ changesMs: settings.limits.eventRetentionDays * dayMs })
      .catch((error: unknown) => log.error({ err: error }, "maintenance failed"))
      .then(() => {
        timer = setTimeout(turn, everyMs).unref();
      });
  }

  return {
    async stop() {
      clearTimeout(timer);
      await running;
      clearTimeout(timer);
    },
  };
}
