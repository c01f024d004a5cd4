/** One transaction on the data of one agent.
 *
 *  `beginAgentTransaction` locks the agent's row: numbers of new objects and the MODSEQ are taken from it, and quota is counted in it.
 *  The changes are written to the change log, and `finish` rings the doorbell. A transaction that changes nothing takes no MODSEQ and
 *  writes no row to the log.
 *
 *  The changes to one kind of objects are a part of the transaction (`TransactionPart`): mail is one (`mail.ts`). All parts share one
 *  lock, one MODSEQ and one end, so changes to mail and to other objects are made together or not at all. */
import type { Actor } from "#/src/model/author.ts";
import type { EventAbout, EventData, EventType, MessageEventData } from "#/src/model/changes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { itemsMax, messagesMax } from "#/src/model/limits.ts";
import type { AccountNumber, AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { type LoggedChange, logChanges } from "./change-log.ts";

/** The changes of a transaction to one kind of objects. `finish` calls all three methods, in this order. */
export interface TransactionPart {
  /** Adds changes that follow from the others, or refuses them. After it nothing may change. */
  settle(): Promise<void>;
  /** Changes in the order for the log: a container comes before its content. */
  listChanges(): LoggedChange[];
  /** Writes the rows in sets. Called only if the transaction changes something. */
  write(): Promise<void>;
}

interface AgentLock {
  readonly account: AccountNumber;
  readonly modseq: number;
  readonly byteCount: number;
  readonly messageCount: number;
  readonly itemCount: number;
  readonly quotaBytes: number | null;
}

const lockColumns = `account_id as account, modseq, byte_count as "byteCount", message_count as "messageCount",
    item_count as "itemCount", quota_bytes as "quotaBytes"`;

/** What a transaction adds for certain: it is written with the lock, and not once more at the end. */
export interface Growth {
  readonly bytes: number;
  readonly messages: number;
}

/** `numberCount`: how many objects the transaction will create; its MODSEQ is the number of the last one. `actor`: whose rights decide
 *  about holds; `nobody` changes nothing about them. `ahead`: what it will add. */
export async function beginAgentTransaction(
  tx: Transaction,
  agent: AgentNumber,
  at: number,
  actor: Actor,
  numberCount = 0,
  ahead?: Growth,
): Promise<AgentTransaction> {
  const added = { modseq: Math.max(1, numberCount), bytes: 0, messages: 0, ...ahead };
  const lock =
    ahead === undefined
      ? await tx.get<AgentLock>(
          `update agent
          set modseq = modseq
          where agent_id = ? and state <> 'deleted'
          returning ${lockColumns}`,
          agent,
        )
      : await tx.get<AgentLock>(
          `update agent
          set modseq = modseq + ?, byte_count = byte_count + ?, message_count = message_count + ?
          where agent_id = ? and state <> 'deleted'
          returning ${lockColumns}`,
          added.modseq,
          added.bytes,
          added.messages,
          agent,
        );
  if (lock === undefined) throw new WaypostError("not_found", "There is no such agent");
  const before: AgentLock = {
    ...lock,
    modseq: lock.modseq - (ahead === undefined ? 0 : added.modseq),
    byteCount: lock.byteCount - added.bytes,
    messageCount: lock.messageCount - added.messages,
  };
  return new AgentTransaction(tx, agent, at, before, numberCount, actor, ahead && added);
}

export class AgentTransaction {
  readonly tx: Transaction;
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
  readonly at: number;
  readonly actor: Actor;
  readonly #lock: AgentLock;
  readonly #parts = new Map<unknown, TransactionPart>();
  readonly #changes: LoggedChange[] = [];
  /** What the row of the agent has already. */
  readonly #written: Growth & { readonly modseq: number };
  #reserved: number;
  #used = 0;
  #byteGrowth = 0;
  #messageGrowth = 0;
  #itemGrowth = 0;

  constructor(
    tx: Transaction,
    agent: AgentNumber,
    at: number,
    lock: AgentLock,
    numberCount: number,
    actor: Actor,
    written: (Growth & { readonly modseq: number }) | undefined,
  ) {
    this.tx = tx;
    this.agent = agent;
    this.account = lock.account;
    this.at = at;
    this.actor = actor;
    this.#lock = lock;
    this.#written = written ?? { modseq: 0, bytes: 0, messages: 0 };
    this.#reserved = numberCount;
  }

  /** The MODSEQ of everything that this transaction changes. */
  get modseq(): Modseq {
    return (this.#lock.modseq + Math.max(1, this.#reserved)) as Modseq;
  }

  /** Reserves numbers for more objects. Must be called before the MODSEQ is used. */
  reserveNumbers(count: number): void {
    this.#reserved += count;
  }

  takeNumber(): number {
    if (this.#used === this.#reserved) throw new Error("More objects are created than were announced");
    return this.#lock.modseq + ++this.#used;
  }

  /** Throws over_quota if these amounts, together with the growth so far, do not fit. */
  assertRoom(bytes: number, messages: number, items = 0): void {
    const { quotaBytes, byteCount, messageCount, itemCount } = this.#lock;
    if (items > 0 && itemCount + this.#itemGrowth + items > itemsMax)
      throw new WaypostError("policy_refused", `There are at most ${itemsMax} events and contacts`, {
        reason: "over_quota",
      });
    if (messageCount + this.#messageGrowth + messages > messagesMax)
      throw new WaypostError("policy_refused", `There are at most ${messagesMax} messages`, {
        reason: "over_quota",
      });
    if (
      quotaBytes !== null &&
      quotaBytes > 0 &&
      bytes > 0 &&
      byteCount + this.#byteGrowth + bytes > quotaBytes
    )
      throw new WaypostError("policy_refused", "The mailbox is over its quota", { reason: "over_quota" });
  }

  /** Adds to the amounts that count in the quota; negative values for removals. */
  grow(bytes: number, messages: number, items = 0): void {
    this.#byteGrowth += bytes;
    this.#messageGrowth += messages;
    this.#itemGrowth += items;
  }

  /** Adds a row to the log, after the rows of the parts, in the order of the calls. */
  log(change: LoggedChange): void {
    this.#changes.push(change);
  }

  /** Logs an event about a message, or (0) about the agent. */
  tell(event: EventAbout<"message">, message: MessageNumber, data: MessageEventData): void;
  tell(event: EventAbout<null>, agent: 0, data?: EventData): void;
  tell(event: EventType, object: number, data?: EventData): void {
    const ids = String(object);
    const text = data === undefined ? null : JSON.stringify(data);
    this.log({ kind: "event", parent: 0, operation: "add", ids, event, data: text });
  }

  /** The part that `make` makes; one in each transaction. */
  part<P extends TransactionPart>(make: (transaction: AgentTransaction) => P): P {
    const made = this.#parts.get(make);
    if (made !== undefined) return made as P;
    const part = make(this);
    this.#parts.set(make, part);
    return part;
  }

  /** Writes everything. Gives the MODSEQ of the transaction, or the agent's current one if nothing changed. */
  async finish(): Promise<Modseq> {
    for (const part of this.#parts.values()) await part.settle();
    const changes = [...this.#parts.values()].flatMap((part) => part.listChanges());
    changes.push(...this.#changes);
    if (changes.length === 0) {
      await this.#writeCounters(this.#lock.modseq, 0, 0, 0);
      return this.#lock.modseq as Modseq;
    }
    for (const part of this.#parts.values()) await part.write();
    await this.#writeCounters(this.modseq, this.#byteGrowth, this.#messageGrowth, this.#itemGrowth);
    await logChanges(this.tx, this.tx.by, this.agent, this.modseq, this.at, changes);
    this.tx.touch(this.agent, this.modseq);
    return this.modseq;
  }

  async #writeCounters(modseq: number, bytes: number, messages: number, items: number): Promise<void> {
    const written = this.#written;
    const addedBytes = bytes - written.bytes;
    const addedMessages = messages - written.messages;
    const isWritten = modseq === this.#lock.modseq + written.modseq;
    if (isWritten && addedBytes === 0 && addedMessages === 0 && items === 0) return;
    await this.tx.send(
      `update agent
      set modseq = ?, byte_count = byte_count + ?, message_count = message_count + ?, item_count = item_count + ?
      where agent_id = ?`,
      modseq,
      addedBytes,
      addedMessages,
      items,
      this.agent,
    );
  }
}
