/** The number of statements that a delivery needs on the writer thread. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { openWriter } from "#/storage/sqlite/open-writer.ts";
import { WriterLoop } from "#/storage/sqlite/writer-loop.ts";
import type { Answer, Job } from "#/storage/threads/messages.ts";
import { testFacts } from "../support/store.ts";

it("takes nine statements for a delivery, and one more for each hundred", async () => {
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
  try {
    const { account } = await write<{ account: AccountNumber }>("createAccount", { name: "one", at: 1 });
    await write("createDomain", { name: "one.test", account, at: 1 });
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
    const deliver = () =>
      write("deliverMessage", {
        facts: { ...facts, threadKeys: [crypto.getRandomValues(new Uint8Array(16))] },
        recipients: [
          {
            ...{ account, agent, mailboxRole: "inbox", trace: Buffer.from("Return-Path: <>\r\n"), flags: 0 },
            ...{ provenance: "{}", isAuthenticated: false, source: "smtp" },
          },
        ],
        internalDate: 1,
        at: 1,
      });
    await deliver();
    // A start sweeps, in turns of the loop.
    for (let turn = 0; turn < 50; turn++) await nextTurn();
    const texts: string[] = [];
    const statement = Object.getPrototypeOf(database.prepare("select 1")) as Record<string, unknown>;
    for (const verb of ["get", "all", "run"]) {
      const original = statement[verb] as (this: { source: string }, ...parameters: unknown[]) => unknown;
      statement[verb] = function (this: { source: string }, ...parameters: unknown[]) {
        texts.push(this.source.trim().replace(/\s+/g, " "));
        return original.apply(this, parameters);
      };
    }
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
  } finally {
    loop.take({ kind: "close" });
    await closed.promise;
    database.close();
    fs.rmSync(folder, { recursive: true });
  }
});
