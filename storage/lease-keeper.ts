/** Keeps the leases of one daemon among several on one store. Each of them gives a sign of life every moment, a number that changes. A
 *  daemon is taken for dead by one that has looked all the while and has seen the same number for ten seconds by its own clock. Who was
 *  itself away from the database begins to look anew, so nobody is taken for dead because the database was away. A daemon
 *  without a sign of life for eight seconds takes itself for dead, before any other one does. */
import { randomUUID } from "node:crypto";
import { forEverybody } from "#/src/model/caller.ts";
import { type LeaseName, type Leases, type LeaseTimes, leaseNames } from "./leases.ts";
import type { Store } from "./store.ts";
import type { SeenDaemon } from "./transactions/daemons/keep-leases.ts";

const usualTimes: LeaseTimes = { lookMs: 1500, gapMs: 4000, trustMs: 8000, deadMs: 10_000 };

export class LeaseKeeper implements Leases {
  readonly daemon: string = randomUUID();
  readonly isShared = true;
  term = 0;
  readonly #store: Pick<Store, "write" | "whenReady">;
  readonly #times: LeaseTimes;
  readonly #onGone: () => void;
  readonly #listeners = new Set<() => void>();
  /** Others, and since when they show the same number. */
  readonly #seen = new Map<string, SeenDaemon & { readonly since: number }>();
  #held: ReadonlySet<string> = new Set();
  #beat = 0;
  /** When the last sign of life that was heard had been given. */
  #aliveAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #wasAlive = false;
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #hasStopped = false;

  /** `onGone` is told when another daemon is not there any more. */
  constructor(
    store: Pick<Store, "write" | "whenReady">,
    onGone: () => void,
    times: Partial<LeaseTimes> = {},
  ) {
    this.#store = store;
    this.#onGone = onGone;
    this.#times = { ...usualTimes, ...times };
  }

  /** Resolves when it has what is free. */
  async start(): Promise<void> {
    await forEverybody(() => this.#look());
    this.#lookLater();
  }

  isAlive(): boolean {
    return performance.now() - this.#aliveAt < this.#times.trustMs;
  }

  isHeld(name: LeaseName): boolean {
    return this.isAlive() && this.#held.has(name);
  }

  onChange(listener: () => void): () => void {
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Others have what it had. Called before the store closes. */
  async stop(): Promise<void> {
    if (this.#hasStopped) return;
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    // At once, while the store still takes it; a look that is under way comes before it.
    await this.#store.write("dropLeases", { daemon: this.daemon }).catch(() => {});
    this.#aliveAt = Number.NEGATIVE_INFINITY;
    await this.#looking;
  }

  #lookLater(): void {
    if (this.#hasStopped) return;
    this.#timer = setTimeout(() => {
      this.#looking = forEverybody(() => this.#look())
        // The database is away, or has too much to do.
        .catch(() => {})
        .then(() => {
          this.#tellLoss();
          this.#lookLater();
        });
    }, this.#times.lookMs).unref();
  }

  async #look(): Promise<void> {
    await this.#store.whenReady();
    if (this.#hasStopped) return;
    const at = performance.now();
    if (at - this.#lookedAt > this.#times.gapMs)
      for (const seen of this.#seen.values()) this.#seen.set(seen.daemon, { ...seen, since: at });
    const gone = [...this.#seen.values()].filter(({ since }) => at - since >= this.#times.deadMs);
    const kept = await this.#store.write("keepLeases", {
      daemon: this.daemon,
      beat: ++this.#beat,
      wants: leaseNames,
      gone: gone.map(({ daemon, beat }) => ({ daemon, beat })),
    });
    const hasLooked = this.#lookedAt > Number.NEGATIVE_INFINITY;
    const now = performance.now();
    // The answer may have taken long: it was seen by then, and not at the end.
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

  /** Whether one is not there any more. */
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
