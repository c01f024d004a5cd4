/** A message with a value of its own in every column, and what its rows are after a journey. */
import { expect } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { keywordNumbers, systemFlagsMask } from "#/src/model/flags.ts";
import { messageProperties } from "#/src/model/message-properties.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import type { Journey } from "#/storage/schema/column.ts";
import { carriedColumns, type TableName } from "#/storage/schema/schema.ts";
import type { Reader } from "#/storage/sql.ts";
import { openTestStore, seedAgent, testFacts } from "../support/store.ts";

export const ownProperties = messageProperties.stored(
  messageProperties.forEachForm({ name: "Own", text: "Own", number: 7, flag: true, time: 7 }),
);

export type State = Partial<Record<TableName, Readonly<Record<string, unknown>>>>;

export async function openScene() {
  const test = await openTestStore();
  const { store } = test;
  const ada = await seedAgent(store, "ada");
  const bob = await seedAgent(store, "bob");
  const at = store.clock.now();
  const facts = {
    ...(await testFacts("Hello.\r\n", { subject: "Own", hasAgentPart: true })),
    ...{ date: 5, fromAddress: "own@example.net", fromName: "Own", referenceIds: "own@far.example" },
    ...{ listFields: "\n", otherFields: "" },
  };
  const message = {
    ...{ facts, flags: 3, keywords: ["Own"], internalDate: 7, provenance: '{"source":"api"}' },
    properties: ownProperties,
  };
  // Numbers of keywords differ between owners.
  await store.write(nobody, "appendMessages", {
    ...{
      agent: bob.agent,
      mailbox: (await findMailboxByName(store, bob.agent, "Archive"))!.mailbox,
      actor: nobody,
      at,
    },
    messages: [{ ...message, keywords: ["Other"], isAuthenticated: false }],
  });
  await store.write(nobody, "appendMessages", {
    ...{ agent: ada.agent, mailbox: ada.inbox, actor: nobody, at },
    messages: [{ ...message, receivedAt: 6, isAuthenticated: true }],
  });
  const source = await stateOf(store, ada.agent, ada.inbox);
  const empty = Object.entries(source.message!).filter(
    ([column, value]) => value === null && column !== "trace",
  );
  expect(empty).toEqual([]);
  const drafted = { facts, provenance: message.provenance, isAuthenticated: true };
  return {
    store,
    ada,
    bob,
    source,
    at,
    message: drafted,
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

/** The last message of a mailbox: its rows, with keywords by their names. */
export async function stateOf(reader: Reader, agent: AgentNumber, mailbox: number): Promise<State> {
  const entry = (await reader.get<{ flags: number; keywords: string | null; message_id: MessageNumber }>(
    "select * from entry where agent_id = ? and mailbox_id = ? order by uid desc limit 1",
    agent,
    mailbox,
  ))!;
  const message = await reader.get<Record<string, unknown>>(
    "select * from message where agent_id = ? and message_id = ?",
    agent,
    entry.message_id,
  );
  const keywords = await reader.all<{ number: number; name: string }>(
    "select keyword_number as number, name from keyword where agent_id = ?",
    agent,
  );
  const held = keywordNumbers({ mask: entry.flags, overflow: entry.keywords });
  const draft = await reader.get<Record<string, unknown>>(
    "select * from draft where agent_id = ? and message_id = ?",
    agent,
    entry.message_id,
  );
  return {
    message: message!,
    entry: { ...entry, flags: entry.flags & systemFlagsMask },
    keyword: { name: held.map((one) => keywords.find(({ number }) => number === one)!.name) },
    ...(draft === undefined ? {} : { draft }),
  };
}

export function onlyCarried(state: State, journey: Journey): object {
  return Object.fromEntries(
    Object.entries(state).map(([table, row]) => [
      table,
      Object.fromEntries(carriedColumns(table as TableName, journey).map((column) => [column, row[column]])),
    ]),
  );
}
