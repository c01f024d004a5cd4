/** Whose access other daemons have changed: looked for each second by the revision of access. A notification makes it sooner, but nothing
 *  relies on one. */
import { after } from "#/src/model/background.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Reader } from "../sql.ts";

const lookMs = 1000;
/** For so long after the revision was read, what was told until then is what there is. */
const heardMs = 2000;
/** When more owners have changed, everybody is told of. */
const ownersMax = 1000;

export interface AccessWatchHost {
  readonly reads: Reader;
  /** undefined: anybody's may have changed. */
  changed(owners: readonly AgentNumber[] | undefined): void;
  /** Milliseconds of a clock that is not set. */
  now(): number;
}

export class AccessWatch {
  readonly #host: AccessWatchHost;
  #revision: number | undefined;
  /** When the last look that succeeded was begun. */
  #readAt = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> = Promise.resolve();
  /** A look waits for the one before it, and sees what is told until it begins. */
  #isNext = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(host: AccessWatchHost) {
    this.#host = host;
  }

  get isHeard(): boolean {
    return this.#host.now() - this.#readAt <= heardMs;
  }

  async start(): Promise<void> {
    await this.look();
    this.#lookLater();
  }

  /** One look after the other. */
  look(): Promise<void> {
    if (this.#isNext) return this.#looking;
    this.#isNext = true;
    this.#looking = this.#looking.then(() => {
      this.#isNext = false;
      return this.#look();
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #lookLater(): void {
    if (this.#isClosed) return;
    this.#timer = after(lookMs, () => this.look().then(() => this.#lookLater())).unref();
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    const begunAt = this.#host.now();
    const known = this.#revision;
    let rows: { readonly revision: number; readonly owner: AgentNumber | null }[];
    try {
      rows = await this.#host.reads.all(
        `select counter.value as revision, access_owner.owner_id as owner
        from counter
        left join access_owner on access_owner.revision > ?
        where counter.name = 'access'
        limit ?`,
        known ?? Number.MAX_SAFE_INTEGER,
        ownersMax + 1,
      );
    } catch {
      // The server is away. It is looked for again; meanwhile nothing is heard.
      return;
    }
    const revision = rows[0]?.revision;
    if (revision === undefined) return;
    const owners = rows.flatMap(({ owner }) => owner ?? []);
    // A database that was put back to an earlier state has a lower one.
    const isAnybody = known === undefined || revision < known || owners.length > ownersMax;
    if (isAnybody || owners.length > 0) this.#host.changed(isAnybody ? undefined : owners);
    this.#revision = revision;
    this.#readAt = begunAt;
  }
}
