/** A real store in a temporary folder, with a clock that the test moves. When the test disposes of the store, it is checked. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, it, type TestAPI } from "vitest";
import { nobody } from "#/src/model/author.ts";
import type { AccountNumber, AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { encodeBlob } from "#/storage/blob.ts";
import { checkStore } from "#/storage/checks/check.ts";
import { openStore } from "#/storage/open-store.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { OpenOptions, Store } from "#/storage/store.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { layEmptyStore } from "./empty-store.ts";
import { engine, makeTestDatabase } from "./engine.ts";

export { engine } from "./engine.ts";

export interface TestStore extends AsyncDisposable {
  readonly store: Store;
  readonly clock: FakeClock;
  readonly folder: string;
  /** Closes the store, keeps its files, and opens them again. */
  reopen(): Promise<Store>;
}

/** For tests of parts that only SQLite has: its file, its threads, its backup. */
export const itOnSqlite = (engine === "sqlite" ? it : () => {}) as TestAPI;

export async function openTestStore(options: Partial<OpenOptions> = {}): Promise<TestStore> {
  const folder = options.folder ?? fs.mkdtempSync(path.join(os.tmpdir(), "waypost-store-"));
  if (options.folder === undefined) await layEmptyStore(folder);
  const clock = fakeClock();
  const database = await makeTestDatabase();
  const open = () => openStore({ clock, database, ...options, folder });
  let store = await open();
  return {
    get store() {
      return store;
    },
    clock,
    folder,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
    async [Symbol.asyncDispose]() {
      try {
        // The check runs on this thread: the thread of `store.check` takes longer to start than the check takes.
        expect(await checkStore(store)).toEqual([]);
      } finally {
        await store.close();
        await database?.[Symbol.asyncDispose]();
        fs.rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

export interface Seed {
  readonly account: AccountNumber;
  readonly agent: AgentNumber;
  readonly inbox: MailboxNumber;
  readonly address: string;
}

/** Makes an agent with an address in `<account>.org`. Makes the account and its domain when they do not exist. */
export async function seedAgent(
  store: Store,
  name = "ada",
  options: { kind?: "agent" | "person"; quotaBytes?: number | null; account?: string } = {},
): Promise<Seed> {
  const at = store.clock.now();
  const accountName = options.account ?? "example";
  const domain = `${accountName}.org`;
  const found = await store.get<{ account: AccountNumber }>(
    "select account_id as account from account where name = ?",
    accountName,
  );
  const account =
    found?.account ?? (await store.write(nobody, "createAccount", { name: accountName, at })).account;
  if (found === undefined) await store.write(nobody, "createDomain", { name: domain, account, at });
  const { agent } = await store.write(nobody, "createAgent", {
    account,
    kind: options.kind ?? "agent",
    name,
    address: { domain, localPart: name },
    quotaBytes: options.quotaBytes ?? null,
    scramSalt: new Uint8Array(16),
    scramIterations: 4096,
    at,
  });
  const inbox = await findMailboxByName(store, agent, "INBOX");
  return { account, agent, inbox: inbox!.mailbox, address: `${name}@${domain}` };
}

/** The facts that the server stores about a plain text message, for tests that begin after the message was read. */
export async function testFacts(
  text = "Hello.\r\n",
  options: { threadKeys?: readonly Uint8Array[]; subject?: string; hasAgentPart?: boolean } = {},
): Promise<MessageFacts> {
  const subject = options.subject ?? "Test";
  const header = `Subject: ${subject}\r\n\r\n`;
  return {
    blob: await encodeBlob(Buffer.from(header + text), Buffer.byteLength(header), "{}"),
    date: null,
    subject,
    fromAddress: "eve@example.net",
    fromName: "Eve",
    envelope: "(NIL NIL NIL NIL NIL NIL NIL NIL NIL NIL)",
    bodyStructure: '("TEXT" "PLAIN" NIL NIL NIL "7BIT" 8 1)',
    threadKeys: options.threadKeys ?? [],
    hasAgentPart: options.hasAgentPart ?? false,
  };
}
