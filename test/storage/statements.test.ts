/** The statements that a delivery needs on the writer thread. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import { domainKeys, nameKeys } from "#/src/model/likeness.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { openWriter } from "#/storage/sqlite/open-writer.ts";
import { WriterLoop } from "#/storage/sqlite/writer-loop.ts";
import type { Answer, Job } from "#/storage/threads/messages.ts";
import type { ArrivingAuthor } from "#/storage/writing/mail/author-facts.ts";
import { testFacts } from "../support/store.ts";

interface Deliveries extends AsyncDisposable {
  readonly database: Awaited<ReturnType<typeof openWriter>>;
  readonly agent: AgentNumber;
  /** A mail to the agent. */
  deliver(author?: ArrivingAuthor): Promise<unknown>;
  addDomain(name: string): Promise<unknown>;
  /** The statements from now on, and their parameters. */
  watch(): { readonly texts: string[]; readonly parameters: unknown[] };
}

async function openDeliveries(): Promise<Deliveries> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-statements-"));
  const database = await openWriter(folder);
  const closed = Promise.withResolvers<void>();
  const waiting = new Map<number, (answer: Answer) => void>();
  const loop = new WriterLoop(database, {
    say(message) {
      if (message.kind === "answers") for (const answer of message.answers) waiting.get(answer.id)!(answer);
    },
    fail(error) {
      throw error;
    },
    drain() {},
    close: () => closed.resolve(),
  });
  let lastId = 0;
  const write = async <R>(name: string, args: object): Promise<R> => {
    const id = ++lastId;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    const job = { id, name, args, bytes: 0, at: 1, lane: "quick", owner: "anybody" } as unknown as Job;
    loop.take({ kind: "jobs", jobs: [job] });
    const { error, result } = await answered;
    if (error !== undefined) throw new Error(error.message);
    return result as R;
  };
  const { account } = await write<{ account: AccountNumber }>("createAccount", { name: "one", at: 1 });
  const addDomain = (name: string) => write("createDomain", { name, account, at: 1 });
  await addDomain("one.test");
  const { agent } = await write<{ agent: AgentNumber }>("createAgent", {
    account,
    kind: "agent",
    name: "ada",
    address: { domain: "one.test", localPart: "ada" },
    quotaBytes: null,
    scramSalt: new Uint8Array(16),
    scramIterations: 4096,
    at: 1,
  });
  const facts = await testFacts("Hello.\r\n");
  const deliver = (author?: ArrivingAuthor) =>
    write("deliverMessage", {
      facts: { ...facts, threadKeys: [crypto.getRandomValues(new Uint8Array(16))] },
      recipients: [
        {
          ...{ account, agent, mailboxRole: "inbox", trace: Buffer.from("Return-Path: <>\r\n"), flags: 0 },
          ...{ provenance: "{}", isAuthenticated: false, source: "smtp" },
        },
      ],
      author,
      internalDate: 1,
      at: 1,
    });
  await deliver();
  // A start sweeps, in turns of the loop.
  for (let turn = 0; turn < 50; turn++) await nextTurn();
  const statement = Object.getPrototypeOf(database.prepare("select 1")) as Record<string, unknown>;
  const verbs = ["get", "all", "run"] as const;
  const original = Object.fromEntries(verbs.map((verb) => [verb, statement[verb]]));
  return {
    database,
    agent,
    deliver,
    addDomain,
    watch() {
      const texts: string[] = [];
      const seen: unknown[] = [];
      for (const verb of verbs)
        statement[verb] = function (this: { source: string }, ...parameters: unknown[]) {
          texts.push(this.source.trim().replace(/\s+/g, " "));
          seen.push(...parameters);
          return (original[verb] as (...parameters: unknown[]) => unknown).apply(this, parameters);
        };
      return { texts, parameters: seen };
    },
    async [Symbol.asyncDispose]() {
      Object.assign(statement, original);
      loop.take({ kind: "close" });
      await closed.promise;
      database.close();
      fs.rmSync(folder, { recursive: true });
    },
  };
}

it("takes nine statements for a delivery, and one more for each hundred", async () => {
  await using deliveries = await openDeliveries();
  const { database, deliver } = deliveries;
  const { texts } = deliveries.watch();
  await deliver();
  const written = texts.filter((text) => !/^(begin|commit|pragma)/i.test(text));
  const tables = written.map((text) => /^(?:insert into|select .* from|update) (\w+)/.exec(text)?.[1]);
  expect(tables.sort()).toEqual(
    "agent blob change entry mailbox mailbox message thread_key thread_key".split(" "),
  );
  // Nothing is compiled for a further one.
  const compiled = [vi.spyOn(database, "prepare"), vi.spyOn(database, "pragma")];
  for (let count = 0; count < 20; count++) await deliver();
  expect(compiled.map(({ mock }) => mock.calls.length)).toEqual([0, 0]);
  texts.length = 0;
  for (let count = 0; count < 200; count++) await deliver();
  expect(texts.filter((text) => text.startsWith("update account"))).toHaveLength(2);
  expect(texts.filter((text) => !/^(begin|commit|pragma|update account)/i.test(text))).toHaveLength(1800);
  // How long the log of pages is, each 64 copies.
  expect(texts.filter((text) => /wal_checkpoint\(NOOP\)/i.test(text))).toHaveLength(3);
});

it("searches no more for a stranger's author where there are contacts than where there are none", async () => {
  const stranger = {
    name: "Mel Otterburn",
    address: "mel@stationers-guild.example",
    organization: "stationers-guild.example",
    replyTo: [],
    isAuthenticated: false,
  };
  await using deliveries = await openDeliveries();
  const { database, agent, deliver } = deliveries;
  const { texts, parameters } = deliveries.watch();
  const searched = async (author: ArrivingAuthor): Promise<{ statements: number; keys: number }> => {
    texts.length = parameters.length = 0;
    await deliver(author);
    const statements = texts.filter((text) => !/^(begin|commit|pragma|update account)/i.test(text));
    // Those of the first statement are the same whoever writes.
    const keys = parameters.filter((one) => typeof one === "string" && /^=[dlnst]/.test(one));
    return { statements: statements.length, keys: keys.length };
  };
  const without = await searched(stranger);
  // Its name among mailboxes.
  expect(without).toEqual({ statements: 11, keys: nameKeys(stranger.name).length });
  const insert = database.prepare("insert into item_address values (?, ?, ?, 1)");
  for (let card = 0; card < 100; card++)
    for (const key of domainKeys(`contoso-${card}.example`)) insert.run(agent, card, key);
  for (let mail = 0; mail < 10; mail++) await deliver(stranger);
  const domains = domainKeys(stranger.organization).length;
  const { statements, keys } = await searched(stranger);
  expect(statements).toBe(without.statements);
  // Some of those in memory are there by chance.
  expect(keys - without.keys).toBeLessThan(domains / 4);
  // One letter from a contact's: the keys that both have, among cards and among addresses that were written to.
  const organization = "contoso-77a.example";
  const like = { ...stranger, address: `mel@${organization}`, organization };
  expect((await searched(like)).keys - without.keys).toBeGreaterThanOrEqual(2);
});

it("asks how long the log of pages is after four other writes at the latest", async () => {
  await using deliveries = await openDeliveries();
  const { texts } = deliveries.watch();
  for (let count = 0; count < 40; count++) await deliveries.addDomain(`${count}.test`);
  // The last time is after the answer.
  expect(texts.filter((text) => /wal_checkpoint\(NOOP\)/i.test(text)).length).toBeGreaterThanOrEqual(9);
});
