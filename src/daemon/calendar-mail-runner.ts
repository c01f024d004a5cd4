import type { Logger } from "pino";
import type { Collections } from "#/src/collections/collections.ts";
import { after, every } from "#/src/model/background.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { createOutage } from "#/src/model/outage.ts";
import type { ScheduleStatusUpdates } from "#/src/scheduling/outgoing/schedule-status-updates.ts";
import type { Scheduling } from "#/src/scheduling/scheduling.ts";
import type { Store } from "#/storage/store.ts";

/** The time between a commit and the reading of outcomes, one reading for all commits of that time. */
const afterCommitMs = 250;
/** The stored times are those of the requests, which may have waited for the writer so long. */
const slackMs = 60_000;

/** Between two looks for messages of delivered mail that no calendar has yet: usually the delivery itself applies them. */
const arrivalsMs = 60_000;

/** Keeps SCHEDULE-STATUS up to date, and applies messages of delivered mail that are left over. The outcomes are in the store. After a restart those of the last hour before it are read again.
 *  Of several daemons, one does it. */
export function startCalendarMailRunner(
  {
    store,
    collections,
    scheduling,
    scheduleStatusUpdates,
  }: {
    readonly store: Store;
    readonly collections: Pick<Collections, "listEventsWithArrivals">;
    readonly scheduling: Pick<Scheduling, "applyArrivals">;
    readonly scheduleStatusUpdates: ScheduleStatusUpdates;
  },
  log: Logger,
): { stop(): Promise<void> } {
  const waiting = new Set<AgentNumber>();
  let since = store.clock.now() - slackMs;
  let timer: NodeJS.Timeout | undefined;
  let hasStopped = false;
  let hasLease = false;
  let running = Promise.resolve();

  /** When this daemon takes the lease, it first does the work that no daemon has done. */
  function takeUp(): void {
    const hadLease = hasLease;
    hasLease = store.leases.isHeld("calendar mail");
    if (hadLease || !hasLease || hasStopped) return;
    running = running
      .then(async () => {
        const backlog = await scheduleStatusUpdates.findBacklog();
        for (const agent of backlog?.agents ?? []) await follow(agent, backlog!.since);
        await applyLeft();
      })
      .catch((error: unknown) => log.error({ err: error }, "mail about calendars could not be looked at"));
  }

  async function follow(agent: AgentNumber, from: number): Promise<void> {
    if (hasStopped || !store.leases.isHeld("calendar mail")) return;
    try {
      await scheduleStatusUpdates.follow(agent, from);
    } catch (error) {
      log.error({ err: error, agent: store.ids.encode("agent", agent) }, "SCHEDULE-STATUS is not up to date");
    }
  }

  /** What cannot be applied is reported each time, and delays nothing else. */
  async function applyLeft(): Promise<void> {
    if (hasStopped || !store.leases.isHeld("calendar mail")) return;
    for (const { agent, uid } of await collections.listEventsWithArrivals()) {
      if (hasStopped) return;
      await scheduling.applyArrivals(agent, uid).catch((error: unknown) => {
        log.error(
          { err: error, agent: store.ids.encode("agent", agent) },
          "a calendar message of a delivered mail is not applied",
        );
      });
    }
  }

  const outage = createOutage(log, "calendar messages of delivered mail could not be looked at");
  const arrivals = every(arrivalsMs, () => {
    running = running.then(applyLeft).then(outage.worked, outage.failed);
  }).unref();

  async function look(): Promise<void> {
    const sinceNext = store.clock.now() - slackMs;
    // A clock may be set back.
    const from = Math.min(since, sinceNext);
    since = sinceNext;
    const agents = [...waiting];
    waiting.clear();
    for (const agent of agents) await follow(agent, from);
  }

  const stopListening = store.onCommit((touched) => {
    if (hasStopped || !hasLease) return;
    for (const { agent } of touched) waiting.add(agent);
    timer ??= after(afterCommitMs, () => {
      timer = undefined;
      running = running.then(look);
    }).unref();
  });
  const stopHearing = store.leases.onChange(takeUp);
  const stopMissing = store.onMissed(() => {
    hasLease = false;
    takeUp();
  });
  takeUp();
  return {
    async stop() {
      hasStopped = true;
      stopListening();
      stopHearing();
      stopMissing();
      clearTimeout(timer);
      clearInterval(arrivals);
      await running;
    },
  };
}
