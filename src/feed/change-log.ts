/** The change log from a listener's own position. A commit rings a doorbell that says nothing but "there is more"; every
 *  listener then reads what it has not seen, so a slow one costs nobody anything and a lost ring loses nothing. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { WaypostError } from "#/src/model/errors.ts";
import { pageRows } from "#/src/model/limits.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { findPosition } from "#/storage/queries/agents.ts";
import { type LoggedChangeRow, listChanges, listChangesBehind } from "#/storage/queries/changes.ts";
import type { Store } from "#/storage/store.ts";
import { type CursorSeal, createCursorSeal } from "./cursor.ts";

export interface ChangePage {
  /** Whole transactions, in order. */
  readonly changes: readonly LoggedChangeRow[];
  /** Everything up to here has been read. */
  readonly upTo: Modseq;
  /** How far the log reached; more than `upTo` when there is another page. */
  readonly end: Modseq;
  /** Changes behind `after` are gone, or were never made: the listener has to look at the objects themselves. */
  readonly isBelowFloor: boolean;
}

/** A place in a log: all of it up to `modseq` is read; with an ordinal, of that last transaction only the rows up to it. */
export interface Position {
  readonly modseq: Modseq;
  readonly ordinal?: number;
}

/** Some rows of the log, however large the transaction is that they are of. */
export interface RowPage {
  readonly changes: readonly LoggedChangeRow[];
  /** Behind each row. */
  readonly places: readonly Position[];
  /** Everything up to here has been read. */
  readonly reached: Position;
  readonly hasMore: boolean;
  readonly isBelowFloor: boolean;
}

export interface ChangeLog {
  /** `onRing` is called after each commit that touched the agent; it must only take note. Returns the way to stop. */
  subscribe(agent: AgentNumber, onRing: () => void): () => void;
  /** How far the agent's log reaches. */
  position(agent: AgentNumber): Promise<Modseq>;
  /** `reaching`: a change that the caller has seen in the store, where a commit is visible before its doorbell is heard. */
  readChanges(agent: AgentNumber, after: Modseq, limit?: number, reaching?: Modseq): Promise<ChangePage>;
  /** At most `limit` rows behind a position, also from the middle of a transaction on. */
  readRows(agent: AgentNumber, position: Position, limit?: number): Promise<RowPage>;
  /** Grows with every commit that lengthened a log; a page that was read is as good as new while it stays. */
  commitCount(): number;
  /** Cursors of other lists, sealed under a purpose of their own. */
  seal(purpose: string): CursorSeal;
}

/** Listeners that are rung in one turn of the loop; each of them then reads the log. */
const ringsPerTurn = 50;

/** The first ones at once, so that a mailbox with few listeners is told without a turn in between. */
async function ringAll(rings: ReadonlySet<() => void> | undefined): Promise<void> {
  if (rings === undefined) return;
  let rung = 0;
  for (const ring of rings.size > ringsPerTurn ? [...rings] : rings) {
    if (rung > 0 && rung % ringsPerTurn === 0) await nextTurn();
    rung++;
    // Who has stopped meanwhile is not rung.
    if (rings.has(ring)) ring();
  }
}

export function createChangeLog(store: Store): ChangeLog {
  const listeners = new Map<AgentNumber, Set<() => void>>();
  const seals = new Map<string, CursorSeal>();
  /** The page read last of an agent's log, for the many who stand at the same place; good until the next commit. */
  const lastPages = new Map<
    AgentNumber,
    { readonly after: Modseq; readonly limit: number; readonly page: ChangePage }
  >();
  let commits = 0;
  store.onCommit(
    (touched) => {
      commits++;
      // What is forgotten here is forgotten before the writer's answer is heard: a write is seen by its own reader.
      for (const { agent } of touched) lastPages.delete(agent);
      for (const { agent } of touched) void ringAll(listeners.get(agent));
    },
    () => listeners.keys(),
  );

  const readLog = async (agent: AgentNumber): Promise<{ modseq: Modseq; logFloor: Modseq }> => {
    const row = await findPosition(store, agent);
    if (row === undefined) throw new WaypostError("not_found", "There is no such mailbox.");
    return row;
  };

  return {
    subscribe(agent, onRing) {
      const rings = listeners.get(agent) ?? new Set();
      listeners.set(agent, rings);
      // Wrapped, so that one function can listen twice and stop once.
      const ring = (): void => onRing();
      rings.add(ring);
      return () => {
        rings.delete(ring);
        if (rings.size > 0 || listeners.get(agent) !== rings) return;
        listeners.delete(agent);
        lastPages.delete(agent);
      };
    },

    async position(agent) {
      return (await readLog(agent)).modseq;
    },

    async readChanges(agent, after, limit = pageRows, reaching = after) {
      const last = lastPages.get(agent);
      if (last?.after === after && last.limit === limit && last.page.end >= reaching)
        if (!store.leases.isShared || (await isPresent(agent, last.page))) return last.page;
      const commitsBefore = commits;
      const page = await readPage(agent, after, limit);
      // Kept while somebody listens, so that the memory is that of the listeners.
      if (commits === commitsBefore && listeners.has(agent)) lastPages.set(agent, { after, limit, page });
      return page;
    },

    readRows: (agent, position, limit = pageRows) => readRowPage(agent, position, limit),

    commitCount: () => commits,

    seal(purpose) {
      const seal = seals.get(purpose) ?? createCursorSeal(store.key(`cursor:${purpose}`));
      seals.set(purpose, seal);
      return seal;
    },
  };

  /** Another daemon's commit may be here before it is told. */
  async function isPresent(agent: AgentNumber, page: ChangePage): Promise<boolean> {
    const { modseq, logFloor } = await readLog(agent);
    return modseq === page.end && (page.isBelowFloor || logFloor <= page.upTo);
  }

  async function readRowPage(agent: AgentNumber, position: Position, limit: number): Promise<RowPage> {
    const { modseq, ordinal = Number.MAX_SAFE_INTEGER } = position;
    const { modseq: end, logFloor } = await readLog(agent);
    const rows = await listChangesBehind(store, agent, { modseq, ordinal }, end, limit + 1);
    const after = position.ordinal === undefined ? modseq : modseq - 1;
    const isBelowFloor = after < logFloor || after < (await readLog(agent)).logFloor || after > end;
    const changes = rows.slice(0, limit);
    // A place at the end of a transaction needs no ordinal, and stays good when that transaction is pruned.
    const places = changes.map((row, index): Position => {
      const isLast = rows[index + 1]?.modseq !== row.modseq;
      return isLast ? { modseq: row.modseq } : { modseq: row.modseq, ordinal: row.ordinal };
    });
    const hasMore = rows.length > limit;
    const reached = hasMore ? places.at(-1)! : { modseq: end };
    return { changes, places, reached, hasMore, isBelowFloor };
  }

  async function readPage(agent: AgentNumber, after: Modseq, limit: number): Promise<ChangePage> {
    const { modseq, logFloor } = await readLog(agent);
    const rows = await listChanges(store, agent, after, modseq, limit + 1);
    // The floor is read again: rows may have been pruned between the two reads. A position beyond the end is one of a store
    // that was put back from a backup since, and what it has read is not what is there now.
    const isBelowFloor = after < logFloor || after < (await readLog(agent)).logFloor || after > modseq;
    if (rows.length <= limit) return { changes: rows, upTo: modseq, end: modseq, isBelowFloor };
    const cut = rows[limit]!.modseq;
    const whole = rows.filter((row) => row.modseq < cut);
    if (whole.length > 0) return { changes: whole, upTo: whole.at(-1)!.modseq, end: modseq, isBelowFloor };
    // One transaction of more rows than the limit is read whole all the same.
    const all = await listChanges(store, agent, after, cut, Number.MAX_SAFE_INTEGER);
    return { changes: all, upTo: cut, end: modseq, isBelowFloor };
  }
}
