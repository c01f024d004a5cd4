/** Keeps the leases of one daemon among several on one store. Each daemon regularly writes a heartbeat: a number that changes. A daemon is
 *  considered dead by another one that has read the database all the time and has seen the same number for ten seconds by its own clock.
 *  A daemon that could not reach the database starts its observation anew, so no daemon is considered dead because the database was not
 *  reachable. A daemon that has written no heartbeat for eight seconds considers itself dead, before any other does. */

import { randomUUID } from "node:crypto";
import { server } from "#/src/model/author.ts";
import { after } from "#/src/model/background.ts";
import { forEverybody } from "#/src/model/caller.ts";
import type { Store } from "../store.ts";
import type { SeenDaemon } from "../transactions/daemons/keep-leases.ts";
import { type LeaseName, type Leases, type LeaseTimes, leaseNames } from "./leases.ts";

const usualTimes: LeaseTimes = {
  lookMs: 1500,
  gapMs: 4000,
  trustMs: 8000,
  deadMs: 10_000,
  now: () => performance.now(),
};

export class LeaseKeeper implements Leases {
  readonly daemon: string = randomUUID();
  readonly isShared = true;
  term = 0;
  readonly #store: Pick<Store, "write" | "whenReady">;
  readonly #times: LeaseTimes;
  readonly #onGone: () => void;
  readonly #listeners = new Set<() => void>();
  /** Other daemons, and since when each shows the same number. */
  readonly #seen = new Map<string, SeenDaemon & { readonly since: number }>();
  #held: ReadonlySet<string> = new Set();
  #beat = 0;
  /** When the last successful heartbeat was started. */
  #aliveAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wasAlive = false;
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #hasStopped = false;

  /** `onGone` is called when another daemon has ended. */
  constructor(
    store: Pick<Store, "write" | "whenReady">,
    onGone: () => void,
    times: Partial<LeaseTimes> = {},
  ) {
    this.#store = store;
    this.#onGone = onGone;
    this.#times = { ...usualTimes, ...times };
  }

  /** Resolves when this daemon has taken the free leases. */
  async start(): Promise<void> {
    await forEverybody(() => this.#look());
    this.#lookLater();
  }

  isAlive(): boolean {
    return this.#times.now() - this.#aliveAt < this.#times.trustMs;
  }

  isHeld(name: LeaseName): boolean {
    return this.isAlive() && this.#held.has(name);
  }

  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Releases the leases for other daemons. To be called before the store closes. */
  async stop(): Promise<void> {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    // At once, while the store still accepts writes. A running heartbeat is written before it.
    await this.#store.write(server, "dropLeases", { daemon: this.daemon }).catch(() => {});
    this.#aliveAt = Number.NEGATIVE_INFINITY;
    await this.#looking;
  }

  #lookLater(): void {
    if (this.#hasStopped) return;
    this.#timer = after(this.#times.lookMs, () => {
      this.#looking = forEverybody(() => this.#look())
        // The database is not reachable, or is busy.
        .catch(() => {})
        .then(() => {
          this.#tellLoss();
          this.#lookLater();
        });
    }).unref();
  }

  async #look(): Promise<void> {
    await this.#store.whenReady();
    if (this.#hasStopped) return;
    const at = this.#times.now();
    if (at - this.#lookedAt > this.#times.gapMs)
      for (const seen of this.#seen.values()) this.#seen.set(seen.daemon, { ...seen, since: at });
    const gone = [...this.#seen.values()].filter(({ since }) => at - since >= this.#times.deadMs);
    const kept = await this.#store.write(server, "keepLeases", {
      daemon: this.daemon,
      beat: ++this.#beat,
      wants: leaseNames,
      gone: gone.map(({ daemon, beat }) => ({ daemon, beat })),
    });
    const hasLooked = this.#lookedAt > Number.NEGATIVE_INFINITY;
    const now = this.#times.now();
    // The query may have taken long: the numbers were read after its start, perhaps not at its end.
    this.#lookedAt = at;
    this.#aliveAt = at;
    const isOneGone = this.#see(kept.daemons, now);
    if (kept.isNew && hasLooked) this.term++;
    const isSame = kept.held.length === this.#held.size && kept.held.every((name) => this.#held.has(name));
    this.#held = new Set(kept.held);
    const isBack = !this.#wasAlive;
    this.#wasAlive = true;
    if (isOneGone) this.#onGone();
    if (!isSame || isBack || isOneGone || kept.isNew) this.#tell();
  }

  /** Whether a daemon has ended. */
  #see(daemons: readonly SeenDaemon[], now: number): boolean {
    const there = new Set(daemons.map(({ daemon }) => daemon));
    const gone = [...this.#seen.keys()].filter((daemon) => !there.has(daemon));
    for (const daemon of gone) this.#seen.delete(daemon);
    for (const { daemon, beat } of daemons)
      if (daemon !== this.daemon && this.#seen.get(daemon)?.beat !== beat)
        this.#seen.set(daemon, { daemon, beat, since: now });
    return gone.length > 0;
  }

  #tellLoss(): void {
    if (!this.#wasAlive || this.isAlive()) return;
    this.#wasAlive = false;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
