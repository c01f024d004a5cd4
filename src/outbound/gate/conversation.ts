/** The conversation that a message continues: the answered message, and the writers of the latest messages. */

import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { Checks } from "#/src/evidence/checks.ts";
import { isAutomated } from "#/src/formats/mime/automated.ts";
import { readHeader } from "#/src/mail/header-reading.ts";
import { createMessageBytes } from "#/src/mail/message-bytes.ts";
import type { Provenance } from "#/src/mail/messages.ts";
import { parseReferenceIds } from "#/src/mail/reference-ids.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import {
  findThreadOfKeys,
  listMailTail,
  listThreadTail,
  type WrittenMessageRow,
} from "#/storage/queries/mail/conversations.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Envelope } from "#/storage/submission.ts";
import { addressesOf } from "../answering.ts";
import { loopMailsMax, loopWindowMs } from "../limits.ts";
import { addressKey } from "../mail-address.ts";
import type { OutboundRooms } from "../outbound.ts";

export type Writer =
  /** An agent of the account, the sender itself among them. */
  | "agent"
  /** A program somewhere else. */
  | "automaton"
  | "person";

export interface Conversation {
  /** The answered message, if it is in this mailbox. */
  readonly answered: AnsweredMessage | undefined;
  /** How many mails of agents and programs there are in a row, from the newest backwards, within the window. Stops counting at the
   *  number that matters. */
  countWithoutPerson(): Promise<number>;
}

export interface AnsweredMessage {
  readonly fromAddress: string;
  readonly isAuthenticated: boolean;
  /** Whether it came from another server. */
  readonly isFromOutside: boolean;
  writer(): Promise<Writer>;
  /** Whether the mail goes to a Reply-To of it that the signature does not cover. If only the signature authenticates the message,
   *  anybody on its way may have added that field. */
  leavesOpen(envelope: Envelope): Promise<boolean>;
}

/** Rows that are read of the thread, and of the mailbox for messages that refer to the same ones under another subject. */
const threadRows = 40;
const mailboxRows = 300;

export async function readConversation(
  rooms: OutboundRooms,
  owner: AgentFacts,
  { inReplyTo, facts, at }: { inReplyTo: MessageNumber | undefined; facts: MessageFacts; at: number },
): Promise<Conversation> {
  const { store } = rooms;
  const named = inReplyTo === undefined ? undefined : await findMessage(store, owner.agent, inReplyTo);
  const thread = named?.thread ?? (await findThreadOfKeys(store, owner.agent, facts.threadKeys));
  const { references } = parseReferenceIds(facts.referenceIds ?? "");
  const tail = references.length === 0 ? [] : await listMailTail(store, owner.agent, mailboxRows);
  const ofThread = thread === undefined ? [] : await listThreadTail(store, owner.agent, thread, threadRows);
  const last = references.at(-1);
  const answered =
    named ?? [...ofThread, ...tail].find((row) => last !== undefined && idsOf(row).own === last);
  return {
    answered: answered && answeredMessage(rooms, owner, answered),
    async countWithoutPerson() {
      const ancestors = ancestorsOf(tail, references);
      const all = new Map([...ofThread, ...ancestors].map((row) => [row.message, row]));
      const lately = [...all.values()]
        .filter(({ receivedAt }) => receivedAt >= at - loopWindowMs)
        .sort((a, b) => b.message - a.message);
      let count = 0;
      for (const message of lately) {
        if (count >= loopMailsMax || (await writerOf(rooms, owner, message)) === "person") break;
        count++;
      }
      return count;
    },
  };
}

function answeredMessage(
  rooms: OutboundRooms,
  owner: AgentFacts,
  row: StoredWriter & { readonly provenance: string },
): AnsweredMessage {
  const { source, checks } = JSON.parse(row.provenance) as Provenance & { readonly checks?: Checks };
  return {
    fromAddress: row.fromAddress,
    isAuthenticated: row.isAuthenticated,
    isFromOutside: source === "smtp",
    writer: () => writerOf(rooms, owner, row),
    async leavesOpen({ recipients }) {
      if (checks?.reply_to?.covered !== false) return false;
      const header = await createMessageBytes(rooms.store).readHeader(row);
      const open = new Set(
        addressesOf(await readHeader(header ?? new Uint8Array()), "reply-to").map(({ address }) =>
          addressKey(address),
        ),
      );
      open.delete(addressKey(row.fromAddress));
      return recipients.some(({ address }) => open.has(addressKey(address)));
    },
  };
}

function idsOf({ referenceIds }: WrittenMessageRow) {
  return parseReferenceIds(referenceIds ?? "");
}

/** The rows that the references name, and those that these rows refer to. */
function ancestorsOf(rows: readonly WrittenMessageRow[], references: readonly string[]): WrittenMessageRow[] {
  const known = new Map(rows.map((row) => [idsOf(row).own, row]));
  const found = new Set<WrittenMessageRow>();
  const open = [...references];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const row = id === "" ? undefined : known.get(id);
    if (row === undefined || found.has(row)) continue;
    found.add(row);
    open.push(...idsOf(row).references);
  }
  return [...found];
}

type StoredWriter = Pick<
  WrittenMessageRow,
  "account" | "blob" | "trace" | "size" | "fromAddress" | "isAuthenticated"
>;

/** The kind of writer. An address alone proves nothing: a writer who is not an agent of the account is judged by the header of the
 *  mail. */
async function writerOf(rooms: OutboundRooms, owner: AgentFacts, message: StoredWriter): Promise<Writer> {
  if (message.isAuthenticated) {
    const found = await rooms.accounts.findOwner(message.fromAddress);
    const facts = found && (await rooms.accounts.findAgentFacts(found.agent));
    if (facts?.account === owner.account) return facts.kind;
  }
  const header = await createMessageBytes(rooms.store).readHeader(message);
  return header !== undefined && isAutomated(await readHeader(header)) ? "automaton" : "person";
}
