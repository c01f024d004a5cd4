/** The conversation that a message continues: what it answers, and who wrote there lately. */
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import { isAutomated } from "#/src/formats/mime/automated.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { createMessageBytes } from "#/src/mail/message-bytes.ts";
import type { Provenance } from "#/src/mail/messages.ts";
import { parseReferenceIds } from "#/src/mail/reference-ids.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { findThreadOfKeys, listThreadTail, type ThreadMessageRow } from "#/storage/queries/holds.ts";
import { findMessage } from "#/storage/queries/messages.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import { loopMailsMax, loopWindowMs } from "./limits.ts";
import type { OutboundRooms } from "./outbound.ts";

export type Writer =
  /** An agent of the account, the sender itself among them. */
  | "agent"
  /** A program somewhere else. */
  | "automaton"
  | "person";

export interface Conversation {
  /** The message that is answered, where it is here. */
  readonly answered: AnsweredMessage | undefined;
  /** Mails of agents and programs in a row, the newest backwards, within the window; not more than matter. */
  countWithoutPerson(): Promise<number>;
}

export interface AnsweredMessage {
  readonly fromAddress: string;
  readonly isAuthenticated: boolean;
  /** It came from another server. */
  readonly isFromOutside: boolean;
  writer(): Promise<Writer>;
}

/** Rows looked at; a conversation of agents alone ends long before. */
const tailRows = 40;

export async function readConversation(
  rooms: OutboundRooms,
  owner: AgentFacts,
  { inReplyTo, facts, at }: { inReplyTo: MessageNumber | undefined; facts: MessageFacts; at: number },
): Promise<Conversation> {
  const { store } = rooms;
  const named = inReplyTo === undefined ? undefined : await findMessage(store, owner.agent, inReplyTo);
  const thread = named?.thread ?? (await findThreadOfKeys(store, owner.agent, facts.threadKeys));
  const since = (sinceAt: number) =>
    thread === undefined ? [] : listThreadTail(store, owner.agent, thread, sinceAt, tailRows);
  const last = parseReferenceIds(facts.referenceIds ?? "").references.at(-1);
  const answered =
    named ??
    (last === undefined
      ? undefined
      : (await since(0)).find(({ referenceIds }) => parseReferenceIds(referenceIds ?? "").own === last));
  return {
    answered: answered && {
      fromAddress: answered.fromAddress,
      isAuthenticated: answered.isAuthenticated,
      isFromOutside: (JSON.parse(answered.provenance) as Provenance).source === "smtp",
      writer: () => writerOf(rooms, owner, answered),
    },
    async countWithoutPerson() {
      let count = 0;
      for (const message of await since(at - loopWindowMs)) {
        if (count >= loopMailsMax || (await writerOf(rooms, owner, message)) === "person") break;
        count++;
      }
      return count;
    },
  };
}

type StoredWriter = Pick<
  ThreadMessageRow,
  "account" | "blob" | "trace" | "size" | "fromAddress" | "isAuthenticated"
>;

/** An address alone says nothing: whoever is not known to be an agent of the account is judged by what the mail says. */
async function writerOf(rooms: OutboundRooms, owner: AgentFacts, message: StoredWriter): Promise<Writer> {
  if (message.isAuthenticated) {
    const found = await rooms.accounts.findOwner(message.fromAddress);
    const facts = found && (await rooms.accounts.findAgentFacts(found.agent));
    if (facts?.account === owner.account) return facts.kind;
  }
  const header = await createMessageBytes(rooms.store).readHeader(message);
  return header !== undefined && isAutomated(readHeaderFields(header)) ? "automaton" : "person";
}
