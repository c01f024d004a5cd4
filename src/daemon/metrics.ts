/** Metrics of a running daemon for Prometheus. The rooms report counts and times as they happen (`Tally`). Gauges are computed when
 *  they are read. */
import fs from "node:fs";
import { statfs } from "node:fs/promises";
import path from "node:path";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import manifest from "#/package.json" with { type: "json" };
import type { Fairness } from "#/src/fairness/fairness.ts";
import { failureCount } from "#/src/model/background.ts";
import { type Counted, counted, type Tally, type Timed, timed } from "#/src/model/tally.ts";
import { threadEndCauses, threadEnds } from "#/src/threads/thread-ends.ts";
import { countQueued, countWaitingHolds } from "#/storage/queries/load.ts";
import type { Store } from "#/storage/store.ts";
import type { Certificate } from "./certificate.ts";
import { conditionNames } from "./conditions/conditions.ts";
import type { Conditions } from "./conditions/watch-conditions.ts";

export interface MeasuredRooms {
  readonly fairness: Fairness;
  readonly store: Store;
  readonly conditions: Pick<Conditions, "standing">;
}

export interface Metrics {
  readonly tally: Tally;
  /** All metrics in the text format of Prometheus. */
  read(): Promise<string>;
  readonly contentType: string;
  /** Adds the gauges of all rooms. To be called once. */
  watch(rooms: MeasuredRooms, certificate: Pick<Certificate, "expiresAt">): void;
}

const prefix = "waypost_";
/** Buckets in seconds: from a commit in memory to a writer with a long queue. */
const buckets = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const loopResolutionMs = 10;
/** Gauges of the library that are named as counters; each is the sum of the one without `_total`. */
const sumsOfOthers = [
  "nodejs_active_resources_total",
  "nodejs_active_handles_total",
  "nodejs_active_requests_total",
];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopResolutionMs });
  for (const name of sumsOfOthers) registry.removeSingleMetric(name);
  new Gauge({ name: `${prefix}info`, help: "The version.", labelNames: ["version"], registers }).set(
    { version: manifest.version },
    1,
  );
  const counters = Object.fromEntries(
    Object.entries(counted).map(([name, { meaning, words }]) => [
      name,
      new Counter({ name: `${prefix}${name}_total`, help: meaning, labelNames: [...words], registers }),
    ]),
  ) as Record<Counted, Counter>;
  const histograms = Object.fromEntries(
    Object.entries(timed).map(([name, help]) => [
      name,
      new Histogram({ name: `${prefix}${name}_seconds`, help, buckets, registers }),
    ]),
  ) as Record<Timed, Histogram>;

  function gauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    collect: (gauge: Gauge) => void | Promise<void>,
  ): void {
    new Gauge({
      name: `${prefix}${name}`,
      help,
      labelNames: [...labelNames],
      registers,
      collect() {
        return collect(this);
      },
    });
  }

  return {
    tally: {
      count: (name, words) => counters[name].inc(words),
      time: (name, ms) => histograms[name].observe(ms / 1000),
    },
    read: () => registry.metrics(),
    contentType: registry.contentType,
    watch({ fairness, store, conditions }, certificate) {
      gauge(
        "condition",
        `How often a condition stands: ${conditionNames.join(", ")}.`,
        ["condition"],
        (one) => {
          const standing = conditions.standing();
          for (const condition of conditionNames)
            one.set({ condition }, standing.filter((it) => it.condition === condition).length);
        },
      );
      gauge("in_use", "How much of what all share is in use.", ["share"], (one) => {
        for (const { share, taken } of fairness.usage()) one.set({ share }, taken);
      });
      gauge("waiting", "Who waits for what all share.", ["share"], (one) => {
        for (const { share, waiting } of fairness.usage()) one.set({ share }, waiting);
      });
      gauge(
        "refused_for_share",
        "Refusals since the start, by share and reason.",
        ["share", "reason"],
        (one) => {
          for (const { share, reason, count } of fairness.refused()) one.set({ share, reason }, count);
        },
      );
      gauge("background_failures", "Failures since the start that no caller has heard of.", [], (one) => {
        one.set(failureCount());
      });
      gauge(
        "threads_ended",
        "Threads that ended by themselves since the start, by thread and why.",
        ["thread", "why"],
        (one) => {
          for (const [thread, counts] of threadEnds())
            for (const why of threadEndCauses) one.set({ thread, why }, counts[why]);
        },
      );
      gauge(
        "queue_recipients",
        "Recipients whose mail is on its way out, by state.",
        ["state"],
        async (one) => {
          const { due, later } = await countQueued(store, store.clock.now());
          one.set({ state: "due" }, due);
          one.set({ state: "later" }, later);
        },
      );
      gauge("queue_oldest_seconds", "How long the oldest mail has been in the queue.", [], async (one) => {
        const now = store.clock.now();
        const { oldestAt } = await countQueued(store, now);
        one.set(oldestAt === null ? 0 : (now - oldestAt) / 1000);
      });
      gauge("holds_waiting", "Mail that waits for an approval.", [], async (one) => {
        one.set(await countWaitingHolds(store));
      });
      gauge("certificate_expiry_seconds", "Seconds until the certificate expires.", [], (one) => {
        one.set((certificate.expiresAt - store.clock.now()) / 1000);
      });
      gauge("store_bytes", "Size of the files of the store.", ["file"], (one) => {
        for (const file of ["waypost.db", "waypost.db-wal", "search.db"])
          one.set({ file }, fs.statSync(path.join(store.folder, file), { throwIfNoEntry: false })?.size ?? 0);
      });
      gauge("disk_free_bytes", "Free octets where the store is.", [], async (one) => {
        const { bsize, bavail } = await statfs(store.folder);
        one.set(bsize * bavail);
      });
    },
  };
}
