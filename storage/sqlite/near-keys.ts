/** Keys of the references of a mailbox (`src/model/likeness.ts`) in the memory of the writer: which of a stranger's keys may have a row.
 *
 *  Of each mailbox that gets mail from strangers a set of bits is kept: a key of which one bit is missing has no row. A set is filled from the
 *  store, some rows with each question, and until then all keys may have one. What is written meanwhile comes by triggers of the writing
 *  connection, so no write can forget it. A key whose row is gone, or whose write was undone, stays, and costs one search. When a
 *  transaction or a job is undone, the filling goes back to where that found it: rows that it had deleted are there again. */
import type Database from "better-sqlite3";
import { nearKeysOctetsMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Sql } from "../sql.ts";

/** What is looked up of a stranger: its domain without one letter, its name, the shape of its domain. */
const kinds = [
  { from: "=d", until: "=e" },
  { from: "=n", until: "=o" },
  { from: "=s", until: "=t" },
];
const tables = [
  { table: "item_address", isRead: (row: string) => ` and ${row}.is_vouched = 1` },
  { table: "author_key", isRead: () => "" },
] as const;
/** What a set is filled with, in this order. */
const ranges = tables.flatMap(({ table, isRead }) =>
  kinds.map(({ from, until }) => ({
    query: `select name
      from ${table}
      where agent_id = ? and name > ? and name < '${until}'${isRead(table)}
      order by name
      limit ?`,
    from,
  })),
);

/** Rows that are read with one question: half a millisecond. */
const rowsPerQuestion = 1000;
const octetsMin = 1024;
/** Of one mailbox: half a million keys, as 20,000 contacts of as many domains have. Of one with more, all keys are searched. */
const octetsOfOneMax = 512 * 1024;
/** With four bits for each key, one absent key in 40 is searched in vain. */
const bitsPerKey = 8;
const probes = 4;
/** When there is no room, one mailbox in so many takes the place of the one that was asked for longest ago. */
const admittedOf = 64;

interface KeySet {
  bits: Uint8Array;
  count: number;
  /** What is read next: a range, and the last key that was read of it. */
  range: number;
  last: string | undefined;
}

export class NearKeys {
  readonly #sql: Sql;
  readonly #octetsMax: number;
  /** The one that was asked for longest ago is the first. */
  readonly #sets = new Map<AgentNumber, KeySet>();
  /** What the present transaction has read, in order: each set as it was before. */
  readonly #reads: { readonly set: KeySet; readonly before: Readonly<KeySet> }[] = [];
  /** How many of them came before the present job. */
  #readsBeforeJob = 0;
  #octets = 0;
  #turnedAway = 0;

  constructor(database: Database.Database, sql: Sql, octetsMax = nearKeysOctetsMax) {
    this.#sql = sql;
    this.#octetsMax = octetsMax;
    database.function("note_near_key", { deterministic: false }, (agent: unknown, key: unknown) => {
      const set = this.#sets.get(agent as AgentNumber);
      if (set !== undefined) this.#put(set, key as string);
      return null;
    });
    const kindList = kinds.map(({ from }) => `'${from}'`).join(", ");
    for (const { table, isRead } of tables)
      for (const event of ["insert", "update"])
        database.exec(
          `create temp trigger near_key_${table}_${event} after ${event} on main.${table}
            when substr(new.name, 1, 2) in (${kindList})${isRead("new")}
            begin select note_near_key(new.agent_id, new.name); end`,
        );
  }

  /** Octets of all sets. */
  get octets(): number {
    return this.#octets;
  }

  /** Those of the keys that may have a row. All are of `kinds`. */
  async among(agent: AgentNumber, keys: readonly string[]): Promise<readonly string[]> {
    const set = this.#sets.get(agent) ?? this.#admitted();
    if (set === undefined) return keys;
    this.#sets.delete(agent);
    this.#sets.set(agent, set);
    await this.#fill(agent, set);
    return set.range < ranges.length ? keys : keys.filter((key) => isIn(set.bits, key));
  }

  /** What is read from here on is the present job's. */
  saved(): void {
    this.#readsBeforeJob = this.#reads.length;
  }

  committed(): void {
    this.#reads.length = 0;
    this.#readsBeforeJob = 0;
  }

  jobUndone(): void {
    for (const { set, before } of this.#reads.splice(this.#readsBeforeJob).reverse()) {
      const isSame = set.bits === before.bits;
      set.range = isSame ? before.range : 0;
      set.last = isSame ? before.last : undefined;
    }
  }

  undone(): void {
    this.#readsBeforeJob = 0;
    this.jobUndone();
  }

  #admitted(): KeySet | undefined {
    if (this.#octets + octetsMin > this.#octetsMax && ++this.#turnedAway % admittedOf !== 0) return undefined;
    this.#octets += octetsMin;
    return { bits: new Uint8Array(octetsMin), count: 0, range: 0, last: undefined };
  }

  async #fill(agent: AgentNumber, set: KeySet): Promise<void> {
    let left = set.bits.length === 0 ? 0 : rowsPerQuestion;
    while (left > 0 && set.range < ranges.length) {
      this.#reads.push({ set, before: { ...set } });
      const { query, from } = ranges[set.range]!;
      const names = await this.#sql.column<string>(query, agent, set.last ?? from, left);
      set.last = names.at(-1);
      if (names.length < left) {
        set.range++;
        set.last = undefined;
      }
      left -= names.length;
      // It begins anew where it has become too small.
      if (!names.every((name) => this.#put(set, name))) left = 0;
    }
    this.#makeRoom(agent);
  }

  /** False if the set has to be filled anew. */
  #put(set: KeySet, key: string): boolean {
    if (!putIn(set.bits, key)) return true;
    if (++set.count * bitsPerKey <= set.bits.length * 8) return true;
    const grown = set.bits.length * 2;
    const octets = grown > octetsOfOneMax ? 0 : grown;
    this.#octets += octets - set.bits.length;
    Object.assign(set, {
      bits: new Uint8Array(octets),
      count: 0,
      range: 0,
      last: undefined,
    } satisfies KeySet);
    return false;
  }

  #makeRoom(agent: AgentNumber): void {
    for (const other of this.#sets.keys()) {
      if (this.#octets <= this.#octetsMax) return;
      if (other !== agent) this.#drop(other);
    }
    if (this.#octets > this.#octetsMax) this.#drop(agent);
  }

  #drop(agent: AgentNumber): void {
    this.#octets -= this.#sets.get(agent)?.bits.length ?? 0;
    this.#sets.delete(agent);
  }
}

/** Whether a bit was missing. */
function putIn(bits: Uint8Array, key: string): boolean {
  const [first, step] = hashesOf(key);
  let isNew = false;
  for (let probe = 0; probe < probes && bits.length > 0; probe++) {
    const place = placeOf(bits, first, step, probe);
    const mask = 1 << (place & 7);
    isNew ||= (bits[place >> 3]! & mask) === 0;
    bits[place >> 3]! |= mask;
  }
  return isNew;
}

function isIn(bits: Uint8Array, key: string): boolean {
  const [first, step] = hashesOf(key);
  for (let probe = 0; probe < probes; probe++) {
    const place = placeOf(bits, first, step, probe);
    if ((bits[place >> 3]! & (1 << (place & 7))) === 0) return false;
  }
  return true;
}

/** FNV-1a, and the same mixed once more for the step between the places. */
function hashesOf(key: string): readonly [first: number, step: number] {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return [hash, Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) | 1];
}

/** The number of bits is a power of two. */
function placeOf(bits: Uint8Array, first: number, step: number, probe: number): number {
  return ((first + probe * step) >>> 7) & (bits.length * 8 - 1);
}
