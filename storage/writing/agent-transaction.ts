/** One transaction on what one agent has.
 *
 *  `beginAgentTransaction` takes the agent's row, which is the lock and the clock: numbers of new objects and the MODSEQ come
 *  from it, and quota is counted in it. What the transaction does goes into the change log, and `finish` rings the doorbell.
 *  A transaction that turns out to change nothing takes no MODSEQ and leaves no row in the log.
 *
 *  What it does to one kind of objects is a part of it (`TransactionPart`): mail is one (`mail.ts`). All parts have one lock,
 *  one MODSEQ and one end, so a transaction that changes mail and something else is either whole or nothing. */
import type { Actor } from "#/src/model/actor.ts";
import type { EventData, EventType } from "#/src/model/changes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { itemsMax, messagesMax } from "#/src/model/limits.ts";
import type { AccountNumber, AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { Transaction } from "../sql.ts";
import { type LoggedChange, logChanges } from "./change-log.ts";

/** What a transaction does to one kind of objects. `finish` calls all three, in this order. */
export interface TransactionPart {
  /** Decides what else follows from the changes, or refuses them. It may change more, and nothing changes after it. */
  settle(): Promise<void>;
  /** In the order in which a reader of the log can follow: containers appear before what is in them. */
  listChanges(): LoggedChange[];
  /** Writes the rows set-wise. Called only when the transaction changes something. */
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

/** `numberCount`: how many objects the transaction will create; its MODSEQ is the number of the last one. `actor`: for whom
 *  it is made; without one it changes nothing about mail that waits for a person. */
export async function beginAgentTransaction(
  tx: Transaction,
  agent: AgentNumber,
  at: number,
  numberCount = 0,
  actor?: Actor | undefined,
): Promise<AgentTransaction> {
  const lock = await tx.get<AgentLock>(
    `update agent
    set modseq = modseq
    where agent_id = ? and state <> 'deleted'
    returning account_id as account, modseq, byte_count as "byteCount", message_count as "messageCount", item_count as "itemCount",
      quota_bytes as "quotaBytes"`,
    agent,
  );
  if (lock === undefined) throw new WaypostError("not_found", "There is no such agent");
  return new AgentTransaction(tx, agent, at, lock, numberCount, actor);
}

export class AgentTransaction {
  readonly tx: Transaction;
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
  readonly at: number;
  readonly actor: Actor | undefined;
  readonly #lock: AgentLock;
  readonly #parts = new Map<unknown, TransactionPart>();
  readonly #changes: LoggedChange[] = [];
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
    actor: Actor | undefined,
  ) {
    this.tx = tx;
    this.agent = agent;
    this.account = lock.account;
    this.at = at;
    this.actor = actor;
    this.#lock = lock;
    this.#reserved = numberCount;
  }

  /** The MODSEQ of everything that this transaction changes. */
  get modseq(): Modseq {
    return (this.#lock.modseq + Math.max(1, this.#reserved)) as Modseq;
  }

  /** More objects will be created. Only before anything was told its MODSEQ. */
  reserveNumbers(count: number): void {
    this.#reserved += count;
  }

  takeNumber(): number {
    if (this.#used === this.#reserved) throw new Error("More objects are created than were announced");
    return this.#lock.modseq + ++this.#used;
  }

  /** Throws over_quota if so much more does not fit beside what has grown already. */
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

  /** Counts in the quota what has come, or has gone when it is negative. */
  grow(bytes: number, messages: number, items = 0): void {
    this.#byteGrowth += bytes;
    this.#messageGrowth += messages;
    this.#itemGrowth += items;
  }

  /** Logged behind what the parts list, in the order of the calls. */
  log(change: LoggedChange): void {
    this.#changes.push(change);
  }

  /** `message`: 0 for what is about the agent. */
  tell(event: EventType, message: MessageNumber | 0, data?: EventData): void {
    const ids = String(message);
    const text = data === undefined ? null : JSON.stringify(data);
    this.log({ kind: "event", parent: 0, operation: "add", ids, event, data: text });
  }

  /** The part that `make` makes: one in a transaction. */
  part<P extends TransactionPart>(make: (transaction: AgentTransaction) => P): P {
    const made = this.#parts.get(make);
    if (made !== undefined) return made as P;
    const part = make(this);
    this.#parts.set(make, part);
    return part;
  }

  /** Writes it all. Answers the MODSEQ of the transaction, or the agent's present one when nothing changed. */
  async finish(): Promise<Modseq> {
    for (const part of this.#parts.values()) await part.settle();
    const changes = [...this.#parts.values()].flatMap((part) => part.listChanges());
    changes.push(...this.#changes);
    if (changes.length === 0) return this.#lock.modseq as Modseq;
    for (const part of this.#parts.values()) await part.write();
    await this.tx.send(
      `update agent
      set modseq = ?, byte_count = byte_count + ?, message_count = message_count + ?, item_count = item_count + ?
      where agent_id = ?`,
      this.modseq,
      this.#byteGrowth,
      this.#messageGrowth,
      this.#itemGrowth,
      this.agent,
    );
    await logChanges(this.tx, this.agent, this.modseq, this.at, changes);
    this.tx.touch(this.agent, this.modseq);
    return this.modseq;
  }
}
