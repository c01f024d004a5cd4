import type { OnTrouble } from "#/src/collections/retell-periods.ts";
import { fillListFields } from "#/src/mail/fill-list-fields.ts";
import { after } from "#/src/model/background.ts";
import { createOutage } from "#/src/model/outage.ts";
import type { House } from "./house.ts";

const dayMs = 86_400_000;
const firstAfterMs = 60_000;
const everyMs = 3_600_000;

/** Hourly maintenance; of several daemons one does it. It deletes changes beyond the retention and expired idempotency keys, extends
 *  the index of occurrences into the future, and writes it again where time zones have changed. Older mail gets its list fields. */
export function startMaintenance({
  store,
  collections,
  settings,
  log,
}: Pick<House, "store" | "collections" | "settings" | "log">): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  const outage = createOutage(log, "maintenance failed");
  let timer = after(firstAfterMs, turn).unref();

  function turn(): void {
    running = maintain()
      .then(outage.worked, outage.failed)
      .then(() => {
        timer = after(everyMs, turn).unref();
      });
  }

  async function maintain(): Promise<void> {
    if (!store.leases.isHeld("maintenance")) return;
    const { eventRetentionDays, auditRetentionDays } = settings.limits;
    await store.maintain({ changesMs: eventRetentionDays * dayMs, auditMs: auditRetentionDays * dayMs });
    await fillListFields(store);
    await collections.maintainHorizons(tellUnreadable);
    await collections.maintainTimeZones(tellUnreadable);
  }

  function tellUnreadable({ agent, number }: Parameters<OnTrouble>[0], err: unknown): void {
    log.error({ event: store.ids.encode("event", agent, number), err }, "an event cannot be read any more");
  }

  return {
    async stop() {
      clearTimeout(timer);
      await running;
      clearTimeout(timer);
    },
  };
}
