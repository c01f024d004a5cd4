/** Rows of `message` and their reference counts: a message exists while entries refer to it, a blob while messages do. */
import { messageProperties, type StoredOfMessage } from "#/src/model/message-properties.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  MessageNumber,
  ThreadNumber,
} from "#/src/model/numbers.ts";
import type { MessageFacts } from "../../rows.ts";
import { insertion } from "../../schema/insertion.ts";
import { slicesOf } from "../../slices.ts";
import type { Sql, Transaction } from "../../sql.ts";
import { releaseBlobs } from "../blob-rows.ts";
import { releaseSubmissions } from "../outbound/message-submissions.ts";
import { forgetDrafts } from "./draft-rows.ts";
import { readMessageProperties } from "./message-properties.ts";

export interface NewMessage {
  readonly agent: AgentNumber;
  readonly message: MessageNumber;
  readonly account: AccountNumber;
  readonly blob: BlobNumber;
  readonly thread: ThreadNumber;
  readonly receivedAt: number;
  readonly trace: Uint8Array;
  readonly facts: MessageFacts;
  readonly isAuthenticated: boolean;
  /** Provenance as JSON. */
  readonly provenance: string;
  /** The message that it is another version of, whose properties it keeps; null where there was none before. */
  readonly versionOf: MessageNumber | null;
  /** Those that it was given itself. */
  readonly properties: Partial<StoredOfMessage>;
}

/** Inserts a message with an entry count of 1. */
export async function insertMessage(tx: Sql, message: NewMessage): Promise<void> {
  const { agent, facts, versionOf } = message;
  const former = versionOf === null ? undefined : await readMessageProperties(tx, agent, versionOf);
  await tx.send(
    ...insertion("message", {
      agent_id: agent,
      message_id: message.message,
      account_id: message.account,
      blob_id: message.blob,
      thread_id: message.thread,
      entry_count: 1,
      date: facts.date,
      received_at: message.receivedAt,
      size: message.trace.byteLength + facts.blob.size,
      trace: message.trace,
      subject: facts.subject,
      from_address: facts.fromAddress,
      from_name: facts.fromName,
      authenticated: message.isAuthenticated ? 1 : 0,
      agent_part: facts.hasAgentPart ? 1 : 0,
      provenance: message.provenance,
      envelope: facts.envelope,
      body_structure: facts.bodyStructure,
      reference_ids: facts.referenceIds ?? null,
      ...listColumns(message),
      ...messageProperties.newColumns(message.properties, former),
    }),
  );
}

/** Characters of a row of `message` with its list fields, beside its numbers. SQLite keeps 2,030 octets of such a row in its place, and puts
 *  the rest into a page of its own, which is one page more to write, and to read at each look at the row; PostgreSQL has a similar bound. So
 *  these fields are stored where there is room, and else read from the header. */
export const rowTextMax = 1850;

function listColumns({ facts, trace, provenance }: NewMessage) {
  const { subject, fromAddress, fromName, envelope, bodyStructure, referenceIds = "" } = facts;
  const { listFields, otherFields = "" } = facts;
  const texts = [subject, fromAddress, fromName, provenance, envelope, bodyStructure, referenceIds];
  const stored = [...texts, listFields ?? "", otherFields];
  const isStored =
    listFields !== undefined &&
    stored.reduce((sum, text) => sum + text.length, trace.byteLength) <= rowTextMax;
  return {
    list_fields: isStored ? listFields : null,
    other_fields: isStored ? (facts.otherFields ?? null) : null,
  };
}

/** Changes the entry counts of messages. Deletes messages whose count reaches 0, and blobs that only these used. Gives the deleted
 *  messages. */
export async function changeEntryCounts(
  tx: Transaction,
  agent: AgentNumber,
  growth: ReadonlyMap<MessageNumber, number>,
): Promise<ReadonlySet<MessageNumber>> {
  const byGrowth = new Map<number, MessageNumber[]>();
  for (const [message, by] of growth)
    if (by !== 0) {
      const messages = byGrowth.get(by);
      if (messages === undefined) byGrowth.set(by, [message]);
      else messages.push(message);
    }
  const deleted = new Set<MessageNumber>();
  const released = new Map<AccountNumber, Map<BlobNumber, number>>();
  for (const [by, messages] of byGrowth)
    for (const { condition, parameters } of slicesOf(numberSetOf(messages), "message_id")) {
      // Rows that are deleted are not written once more before.
      const gone =
        by > 0
          ? []
          : await tx.all<{ message: MessageNumber; account: AccountNumber; blob: BlobNumber }>(
              `delete from message
              where agent_id = ? and ${condition} and entry_count = ?
              returning message_id as message, account_id as account, blob_id as blob`,
              agent,
              ...parameters,
              -by,
            );
      await tx.send(
        `update message
        set entry_count = entry_count + ?
        where agent_id = ? and ${condition}`,
        by,
        agent,
        ...parameters,
      );
      if (gone.length === 0) continue;
      const numbers = gone.map(({ message }) => message);
      await forgetDrafts(tx, agent, numbers);
      await releaseSubmissions(tx, agent, numbers);
      for (const { message, account, blob } of gone) {
        deleted.add(message);
        const blobs = released.get(account) ?? new Map<BlobNumber, number>();
        blobs.set(blob, (blobs.get(blob) ?? 0) + 1);
        released.set(account, blobs);
      }
    }
  for (const [account, blobs] of released) await releaseBlobs(tx, account, blobs);
  return deleted;
}
