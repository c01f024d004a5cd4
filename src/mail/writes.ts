import { type Actor, type Author, withoutApproval } from "#/src/model/author.ts";
import { isInYears } from "#/src/model/clock.ts";
import { messageProperties, type SettableOfMessage } from "#/src/model/message-properties.ts";
import type { NumberSet } from "#/src/model/number-set.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Modseq, Uid } from "#/src/model/numbers.ts";
import { transferableBuffers } from "#/storage/blob.ts";
import type { ArgumentsOf, ResultOf, Store } from "#/storage/store.ts";
import {
  copyInPieces,
  expungeInPieces,
  moveInPieces,
  storeFlagsInPieces,
  type TransferResult,
} from "./long-writes.ts";
import type { Provenance } from "./messages.ts";
import type { PreparePut } from "./prepare-put.ts";
import { type Idempotency, type Once, writeOnce } from "./write-once.ts";

/** One message to append. The bytes are kept as they are. */
export interface Appended {
  readonly bytes: Uint8Array;
  /** Bits of the system flags. */
  readonly flags: number;
  readonly keywords: readonly string[];
  /** INTERNALDATE in milliseconds; absent for now. */
  readonly internalDate?: number;
  /** Absent: none has been set yet. */
  readonly properties?: Partial<SettableOfMessage>;
}

export type AppendResult = ResultOf<"appendMessages">;

export type ReplaceResult = ResultOf<"replaceMessage">;

export type StoreFlags = Omit<ArgumentsOf<"storeFlags">, "agent" | "mailbox" | "actor" | "at">;

/** `modseq`: the MODSEQ of the changed entries; if they changed in pieces, that of the last piece. */
export interface StoreFlagsResult extends ResultOf<"storeFlags"> {
  /** All of them, with the MODSEQ of each. */
  readonly pieces: readonly { readonly modseq: Modseq; readonly changed: NumberSet }[];
}

export interface ExpungeResult {
  readonly expunged: NumberSet;
  readonly modseq: Modseq;
}

export interface UpdateMessages
  extends Omit<ArgumentsOf<"updateMessages">, "agent" | "actor" | "at" | "properties"> {
  readonly properties?: Partial<SettableOfMessage> | undefined;
}

export type MessagesUpdated = ResultOf<"updateMessages">;

/** Writes of mail. A write of many messages is done in pieces (`long-writes.ts`). `actor` is the author, with or without the right to decide
 *  about holds. */
export interface MailWrites {
  /** Appends all of the messages or none. */
  appendMessages(
    actor: Actor,
    agent: AgentNumber,
    mailbox: MailboxNumber,
    messages: readonly Appended[],
    provenance: Provenance,
  ): Promise<AppendResult>;
  /** The same for one message, which is stored once under its key. */
  importMessage(
    by: Author,
    agent: AgentNumber,
    mailbox: MailboxNumber,
    message: Appended,
    once: Idempotency,
  ): Promise<Once<AppendResult>>;
  /** Appends messages of an archive of this mailbox. The octets are not changed, including results of this server, and the time of
   *  receipt is the internal date. Appends all or none in the given order, once under the key. */
  restoreMessages(
    by: Author,
    agent: AgentNumber,
    mailbox: MailboxNumber,
    messages: readonly Appended[],
    once: Idempotency,
  ): Promise<Once<AppendResult>>;
  /** Makes a copy with its own flags, once under its key. */
  copyOnce(
    by: Author,
    agent: AgentNumber,
    source: MailboxNumber,
    target: MailboxNumber,
    uid: Uid,
    state: Pick<Appended, "flags" | "keywords">,
    once: Idempotency,
  ): Promise<Once<{ readonly targetUids: NumberSet }>>;
  /** Puts a message into `target` and removes one from `source`, both or none (RFC 8508). */
  replaceMessage(
    actor: Actor,
    agent: AgentNumber,
    source: MailboxNumber,
    uid: Uid,
    target: MailboxNumber,
    message: Appended,
    provenance: Provenance,
  ): Promise<ReplaceResult>;
  storeFlags(
    actor: Actor,
    agent: AgentNumber,
    mailbox: MailboxNumber,
    change: StoreFlags,
  ): Promise<StoreFlagsResult>;
  copyMessages(
    actor: Actor,
    agent: AgentNumber,
    source: MailboxNumber,
    target: MailboxNumber,
    uids: NumberSet,
  ): Promise<TransferResult>;
  moveMessages(
    actor: Actor,
    agent: AgentNumber,
    source: MailboxNumber,
    target: MailboxNumber,
    uids: NumberSet,
  ): Promise<TransferResult>;
  /** Removes `\Deleted` messages, of the UIDs or of the whole mailbox. */
  expungeMessages(
    actor: Actor,
    agent: AgentNumber,
    mailbox: MailboxNumber,
    uids?: NumberSet,
  ): Promise<ExpungeResult>;
  /** `message.update`: flags and labels of every place of the messages; a folder is then their only place. */
  updateMessages(
    actor: Actor,
    agent: AgentNumber,
    update: UpdateMessages,
    idempotency?: Idempotency,
  ): Promise<Once<MessagesUpdated>>;
  /** Moves a message to Trash; one in Trash is deleted for good. `version`: the one that was read; a different one is
   *  `precondition_failed`. */
  deleteMessage(
    actor: Actor,
    agent: AgentNumber,
    message: MessageNumber,
    version: string | undefined,
    idempotency?: Idempotency,
  ): Promise<
    Once<{ readonly state: "trashed" | "removed"; readonly modseq: Modseq; readonly isTakenBack?: boolean }>
  >;
}

/** A file or another server may say a date that no year of four digits has: it is none then. */
function dateOf({ internalDate }: Appended): number | undefined {
  return internalDate !== undefined && isInYears(internalDate) ? Math.trunc(internalDate) : undefined;
}

export function createMailWrites(store: Store, preparePut: PreparePut): MailWrites {
  const at = (): number => store.clock.now();
  const prepare = async (message: Appended, provenance: Provenance, isOwn = false) => ({
    facts: await preparePut(message.bytes, { isOwn }),
    flags: message.flags,
    keywords: message.keywords,
    internalDate: dateOf(message) ?? at(),
    provenance: JSON.stringify(provenance),
    isAuthenticated: false,
    properties: messageProperties.stored(message.properties ?? {}),
    ...(isOwn ? { receivedAt: dateOf(message) } : {}),
  });
  return {
    async replaceMessage(actor, agent, source, uid, target, message, provenance) {
      const prepared = await prepare(message, provenance);
      const transfer = transferableBuffers(prepared.facts.blob);
      const args = { agent, source, uid, target, message: prepared, actor, at: at() };
      return store.write(actor, "replaceMessage", args, { transfer });
    },
    async appendMessages(actor, agent, mailbox, messages, provenance) {
      const prepared = [];
      for (const message of messages) prepared.push(await prepare(message, provenance));
      const transfer = prepared.flatMap((one) => transferableBuffers(one.facts.blob));
      const args = { agent, mailbox, messages: prepared, actor, at: at() };
      return store.write(actor, "appendMessages", args, { transfer });
    },
    async importMessage(by, agent, mailbox, message, once) {
      const prepared = await prepare(message, { source: "import" });
      const transfer = transferableBuffers(prepared.facts.blob);
      const args = { agent, mailbox, messages: [prepared], actor: withoutApproval(by), at: at() };
      return writeOnce(store, by, "appendMessages", args, once, { transfer });
    },
    async restoreMessages(by, agent, mailbox, messages, once) {
      const prepared = [];
      for (const message of messages) prepared.push(await prepare(message, { source: "import" }, true));
      const transfer = prepared.flatMap((one) => transferableBuffers(one.facts.blob));
      return writeOnce(
        store,
        by,
        "appendMessages",
        { agent, mailbox, messages: prepared, actor: withoutApproval(by), at: at() },
        once,
        {
          transfer,
        },
      );
    },
    copyOnce(by, agent, source, target, uid, { flags: mask, keywords }, once) {
      const copied = { agent, source, target, uids: [[uid, uid]] as const, flags: { mask, keywords } };
      return writeOnce(store, by, "copyMessages", { ...copied, actor: withoutApproval(by), at: at() }, once);
    },
    storeFlags: (actor, agent, mailbox, change) =>
      storeFlagsInPieces(store, { ...change, agent, mailbox, actor, at: at() }),
    copyMessages: (actor, agent, source, target, uids) =>
      copyInPieces(store, { agent, source, target, uids, actor, at: at() }),
    moveMessages: (actor, agent, source, target, uids) =>
      moveInPieces(store, { agent, source, target, uids, actor, at: at() }),
    expungeMessages: (actor, agent, mailbox, uids) =>
      expungeInPieces(store, { agent, mailbox, uids, actor, at: at() }),
    updateMessages(actor, agent, update, idempotency) {
      const properties = messageProperties.stored(update.properties ?? {});
      const args = { agent, ...update, properties, actor, at: at() };
      return writeOnce(store, actor, "updateMessages", args, idempotency);
    },
    deleteMessage(actor, agent, message, version, idempotency) {
      return writeOnce(
        store,
        actor,
        "deleteMessage",
        { agent, message, version, actor, at: at() },
        idempotency,
      );
    },
  };
}
