/** The change log, read from a listener's own position. A commit calls each listener without data; the listener then reads the
 *  changes behind its position. So a slow listener does not delay others, and a lost call loses no change. */

import { inBackground, loopTurn } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { pageRows } from "#/src/model/limits.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { findPosition } from "#/storage/queries/accounts/agents.ts";
import {
  type EventAuthor,
  type LoggedChangeRow,
  listChanges,
  listChangesBehind,
} from "#/storage/queries/changes.ts";
import type { Store } from "#/storage/store.ts";
import { type CursorSeal, createCursorSeal } from "./cursor.ts";

export interface ChangePage {
  /** The changes of whole transactions, in order. */
  readonly changes: readonly LoggedChangeRow[];
  /** Everything up to here has been read. */
  readonly upTo: Modseq;
  /** The end of the log; greater than `upTo` when there is another page. */
  readonly end: Modseq;
  /** Changes behind `after` were pruned, or never existed: the listener has to read the objects themselves. */
  readonly isBelowFloor: boolean;
}

/** A place in a log: everything up to `modseq` is read. With an ordinal, only the rows up to it are read of that last transaction. */
export interface Position {
  readonly modseq: Modseq;
  readonly ordinal?: number;
}

/** Some rows of the log. A page may end in the middle of a transaction. */
export interface RowPage {
  readonly changes: readonly (LoggedChangeRow & EventAuthor)[];
  /** The position behind each row. */
  readonly places: readonly Position[];
  /** Everything up to here has been read. */
  readonly reached: Position;
  readonly hasMore: boolean;
  readonly isBelowFloor: boolean;
}

export interface ChangeLog {
  /** `onRing` is called after each commit that touched the agent. It must return at once, without reading. Returns a function that ends
   *  the subscription. */
  subscribe(agent: AgentNumber, onRing: () => void): () => void;
  /** The end of the agent's log. */
  position(agent: AgentNumber): Promise<Modseq>;
  /** `reaching`: a modseq that the caller has seen in the store. A commit can be read there before listeners are called. */
  readChanges(agent: AgentNumber, after: Modseq, limit?: number, reaching?: Modseq): Promise<ChangePage>;
  /** At most `limit` rows behind a position, which may be in the middle of a transaction. */
  readRows(agent: AgentNumber, position: Position, limit?: number): Promise<RowPage>;
  /** Grows with every commit that lengthened a log. A page that was read is up to date while this number is the same. */
  commitCount(): number;
  /** Cursors of other lists, sealed under a purpose of their own. */
  seal(purpose: string): CursorSeal;
}

/** Listeners that are called in one turn of the event loop; each of them then reads the log. */
const ringsPerTurn = 50;

/** The first listeners are called at once, so a mailbox with few of them does not wait for another turn of the loop. */
async function ringAll(rings: ReadonlySet<() => void> | undefined): Promise<void> {
  if (rings === undefined) return;
  let rung = 0;
  for (const ring of rings.size > ringsPerTurn ? [...rings] : rings) {
    if (rung > 0 && rung % ringsPerTurn === 0) await loopTurn();
    rung++;
    // A listener that has unsubscribed meanwhile is not called.
    if (rings.has(ring)) ring();
  }
}

export function createChangeLog(store: Store): ChangeLog {
  const listeners = new Map<AgentNumber, Set<() => void>>();
  const seals = new Map<string, CursorSeal>();
  /** The page read last of each agent's log, for other listeners at the same position; valid until the next commit. */
  const lastPages = new Map<
    AgentNumber,
    { readonly after: Modseq; readonly limit: number; readonly page: ChangePage }
  >();
  let commits = 0;
  store.onCommit(
    (touched) => {
      commits++;
      // This runs before the promise of the write resolves, so whoever wrote reads the new page.
      for (const { agent } of touched) lastPages.delete(agent);
      for (const { agent } of touched) inBackground(() => ringAll(listeners.get(agent)));
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
      // Wrapped, so that one function can subscribe twice and unsubscribe once.
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
      // Kept only for agents with listeners, so that memory is bounded by their number.
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

  /** A commit of another daemon may be in the store before this daemon hears of it. */
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
    // A position at the end of a transaction needs no ordinal, and stays valid when that transaction is pruned.
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
    // The floor is read again: rows may have been pruned between the two reads. A position beyond the end was made before the store
    // was restored from a backup, and the changes that it has read are not those of the log now.
    const isBelowFloor = after < logFloor || after < (await readLog(agent)).logFloor || after > modseq;
    if (rows.length <= limit) return { changes: rows, upTo: modseq, end: modseq, isBelowFloor };
    const cut = rows[limit]!.modseq;
    const whole = rows.filter((row) => row.modseq < cut);
    if (whole.length > 0) return { changes: whole, upTo: whole.at(-1)!.modseq, end: modseq, isBelowFloor };
    // A transaction with more rows than the limit is read completely all the same.
    const all = await listChanges(store, agent, after, cut, Number.MAX_SAFE_INTEGER);
    return { changes: all, upTo: cut, end: modseq, isBelowFloor };
  }
}
