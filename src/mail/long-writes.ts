/** Writes of many messages. A few messages are written in one quick transaction. More are written in pieces (`Store.inPieces`), so that
 *  other writes do not wait; each piece has its own MODSEQ. If a piece fails, or the process ends, the result is one that the standards
 *  allow: STORE and EXPUNGE are done for some of the messages (RFC 9051 sections 6.4.6 and 6.4.3), MOVE has each message in one mailbox
 *  (RFC 6851 section 3.3), and a COPY that fails is undone (RFC 9051 section 6.4.7), at the latest by the next start. */
import { type Author, withoutApproval } from "#/src/model/author.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import {
  entryPieceEntries,
  flagPieceEntries,
  quickEntriesMax,
  transferPieceEntries,
} from "#/src/model/limits.ts";
import {
  countNumbers,
  emptyNumberSet,
  type NumberSet,
  piecesOfNumberSet,
  uniteNumberSets,
} from "#/src/model/number-set.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { flaggedUidPages, listUids } from "#/storage/queries/mail/entries.ts";
import { findMailbox } from "#/storage/queries/mail/mailboxes.ts";
import type { ArgumentsOf, ResultOf, Store, WritePiece } from "#/storage/store.ts";

const everyUid: NumberSet = [[1, 4294967295]];

type FlagsStored = ResultOf<"storeFlags">;
type Transferred = ResultOf<"copyMessages">;

export interface StoredInPieces extends FlagsStored {
  /** The pieces; `modseq` is the one of the last piece. */
  readonly pieces: readonly Pick<FlagsStored, "modseq" | "changed">[];
}

export async function storeFlagsInPieces(
  store: Store,
  args: ArgumentsOf<"storeFlags">,
): Promise<StoredInPieces> {
  if (countNumbers(args.uids) <= quickEntriesMax) {
    const stored = await store.write(args.actor, "storeFlags", args);
    return { ...stored, pieces: [stored] };
  }
  return store.inPieces(args.actor, async (write) => {
    const pieces: FlagsStored[] = [];
    for (const uids of piecesOfNumberSet(args.uids, flagPieceEntries))
      pieces.push(await write("storeFlags", { ...args, uids, at: store.clock.now() }));
    return {
      modseq: pieces.at(-1)!.modseq,
      changed: uniteAll(pieces.map(({ changed }) => changed)),
      failed: uniteAll(pieces.map(({ failed }) => failed)),
      hasNewKeyword: pieces.some(({ hasNewKeyword }) => hasNewKeyword),
      pieces: pieces.filter(({ changed }) => changed.length > 0),
    };
  });
}

/** Finds the `\Deleted` messages first, and checks again inside the write. */
export async function expungeInPieces(
  store: Store,
  args: ArgumentsOf<"expungeMessages">,
): Promise<ResultOf<"expungeMessages">> {
  const { agent, mailbox } = args;
  if (args.uids !== undefined && countNumbers(args.uids) <= quickEntriesMax)
    return store.write(args.actor, "expungeMessages", args);
  const row = await findMailbox(store, agent, mailbox);
  const isSmall = (row?.messageCount ?? 0) <= flagPieceEntries && (row?.deletedCount ?? 0) <= quickEntriesMax;
  // For scheduled mail, all named messages must exist.
  if (row === undefined || isSmall || row.role === "scheduled")
    return store.write(args.actor, "expungeMessages", args);
  if (row.deletedCount === 0) return { expunged: emptyNumberSet, modseq: row.modseq };
  const deleted = await listDeleted(store, args);
  if (countNumbers(deleted) <= quickEntriesMax)
    return store.write(args.actor, "expungeMessages", { ...args, uids: deleted });
  return store.inPieces(args.actor, async (write) => {
    const expunged: NumberSet[] = [];
    let modseq = 0 as Modseq;
    for (const uids of piecesOfNumberSet(deleted, entryPieceEntries)) {
      const done = await write("expungeMessages", { ...args, uids, at: store.clock.now() });
      expunged.push(done.expunged);
      ({ modseq } = done);
    }
    return { expunged: uniteAll(expunged), modseq };
  });
}

async function listDeleted(
  store: Store,
  { agent, mailbox, uids = everyUid }: ArgumentsOf<"expungeMessages">,
): Promise<NumberSet> {
  const found: NumberSet[] = [];
  const query = { mask: deletedFlag, value: deletedFlag };
  for await (const page of flaggedUidPages(store, agent, mailbox, uids, query))
    found.push(page.map((uid) => [uid, uid] as const));
  return uniteAll(found);
}

export interface TransferResult extends Omit<Transferred, "copy"> {
  /** The error that ended a move after some of the messages; the messages named here are moved. */
  readonly failure?: unknown;
}

/** Between mailboxes of one agent. */
export async function moveInPieces(store: Store, args: ArgumentsOf<"moveMessages">): Promise<TransferResult> {
  if (countNumbers(args.uids) <= quickEntriesMax) return store.write(args.actor, "moveMessages", args);
  return store.inPieces(args.actor, (write) =>
    moveEach(piecesOfNumberSet(args.uids, entryPieceEntries), (uids) =>
      write("moveMessages", { ...args, uids, at: store.clock.now() }),
    ),
  );
}

async function moveEach(
  pieces: Iterable<NumberSet>,
  move: (uids: NumberSet) => Promise<Transferred>,
): Promise<TransferResult> {
  const moved: Transferred[] = [];
  for (const uids of pieces)
    try {
      moved.push(await move(uids));
    } catch (error) {
      if (moved.length === 0) throw error;
      return { ...uniteTransferred(moved), failure: error };
    }
  return uniteTransferred(moved);
}

function uniteTransferred(pieces: readonly Transferred[]): TransferResult {
  return {
    uidValidity: pieces[0]!.uidValidity,
    sourceUids: uniteAll(pieces.map(({ sourceUids }) => sourceUids)),
    targetUids: uniteAll(pieces.map(({ targetUids }) => targetUids)),
    modseq: pieces.at(-1)!.modseq,
  };
}

/** Between mailboxes of one agent. */
export async function copyInPieces(store: Store, args: ArgumentsOf<"copyMessages">): Promise<TransferResult> {
  const count = countNumbers(args.uids);
  if (count <= quickEntriesMax) return store.write(args.actor, "copyMessages", args);
  return store.inPieces(args.actor, async (write) => {
    const pieces = [...piecesOfNumberSet(args.uids, entryPieceEntries)];
    return copyEach(store, write, args.agent, pieces, (uids, part) =>
      write("copyMessages", { ...args, uids, part, at: store.clock.now() }),
    );
  });
}

type CopyPart = ArgumentsOf<"copyMessages">["part"];

/** Copies all messages or none: the store records what is copied until the last piece, and a copy that fails is undone. */
async function copyEach(
  store: Store,
  write: WritePiece,
  agent: AgentNumber,
  pieces: readonly NumberSet[],
  copyPiece: (uids: NumberSet, part: CopyPart) => Promise<Transferred>,
): Promise<TransferResult> {
  if (pieces.length === 1) return copyPiece(pieces[0]!, undefined);
  const copied: Transferred[] = [];
  let copy: Modseq | undefined;
  try {
    for (const [index, uids] of pieces.entries()) {
      const done = await copyPiece(uids, {
        copy,
        isLast: index === pieces.length - 1,
        daemon: store.leases.daemon,
      });
      copied.push(done);
      copy = done.copy;
    }
    return uniteTransferred(copied);
  } catch (error) {
    if (copy !== undefined) while (!(await write("undoCopy", { agent, copy, at: store.clock.now() })).isDone);
    throw error;
  }
}

type Transfer = Omit<ArgumentsOf<"transferMessages">, "threadKeys" | "at">;
type ThreadKeys = ArgumentsOf<"transferMessages">["threadKeys"];

/** Between mailboxes of two agents. `readKeys` reads the keys that join the messages of a piece to conversations. */
export async function transferInPieces(
  store: Store,
  args: Transfer,
  readKeys: (uids: NumberSet) => Promise<ThreadKeys>,
): Promise<TransferResult> {
  const transfer = async (write: WritePiece, uids: NumberSet, part: CopyPart): Promise<Transferred> =>
    write("transferMessages", {
      ...args,
      uids,
      part,
      threadKeys: await readKeys(uids),
      at: store.clock.now(),
    });
  if (countNumbers(args.uids) <= transferPieceEntries)
    return transfer((name, rest) => store.write(args.target.actor, name, rest), args.uids, undefined);
  return store.inPieces(args.target.actor, (write) => {
    const pieces = [...piecesOfNumberSet(args.uids, transferPieceEntries)];
    if (args.isMove) return moveEach(pieces, (uids) => transfer(write, uids, undefined));
    return copyEach(store, write, args.target.agent, pieces, (uids, part) => transfer(write, uids, part));
  });
}

/** Empties a mailbox until only few messages are left, which are deleted with it. Has the same refusals as the deletion. */
export async function emptyBeforeDeleting(
  store: Store,
  write: WritePiece,
  args: Omit<ArgumentsOf<"emptyMailbox">, "at">,
): Promise<void> {
  let left: number;
  do ({ messageCount: left } = await write("emptyMailbox", { ...args, at: store.clock.now() }));
  while (left > quickEntriesMax);
}

/** Whether deleting the mailbox is a quick write. */
export async function isQuicklyDeleted(
  store: Store,
  { agent, mailbox }: Pick<ArgumentsOf<"deleteMailbox">, "agent" | "mailbox">,
): Promise<boolean> {
  const row = await findMailbox(store, agent, mailbox);
  return row === undefined || row.messageCount <= quickEntriesMax;
}

/** Moves the messages that were in INBOX when it was renamed. */
export async function moveRest(
  store: Store,
  by: Author,
  {
    agent,
    mailbox,
    target,
    at,
  }: Pick<ArgumentsOf<"renameMailbox">, "agent" | "mailbox" | "at"> & {
    readonly target: ArgumentsOf<"moveMessages">["target"];
  },
): Promise<void> {
  const uids = (await listUids(store, agent, mailbox)).map((uid) => [uid, uid] as const);
  if (uids.length === 0) return;
  const { failure } = await moveInPieces(store, {
    agent,
    source: mailbox,
    target,
    uids: uniteAll([uids]),
    actor: withoutApproval(by),
    at,
  });
  if (failure !== undefined) throw failure;
}

function uniteAll(sets: readonly NumberSet[]): NumberSet {
  return uniteNumberSets(sets.flat(), []);
}
