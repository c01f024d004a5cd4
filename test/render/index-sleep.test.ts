/** The indexing thread ends when it has nothing to do, and callers do not notice. */

import { once } from "node:events";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createMail } from "#/src/mail/mail.ts";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { openTextIndex } from "#/src/render/indexing/open-text-index.ts";
import type { Store } from "#/storage/store.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

// The thread ends and starts several times here.

/** The end of each thread that has started, of which some end before anybody waits for it. */
let ends: Promise<unknown>[];
const note = (worker: Worker): void => {
  if (worker.threadName === "search-index") ends.push(once(worker, "exit"));
};

beforeEach(() => {
  ends = [];
  process.on("worker", note);
});
afterEach(() => void process.off("worker", note));

async function append(store: Store, agent: AgentNumber, text: string): Promise<void> {
  const mail = createMail(store);
  const inbox = (await mail.findMailbox(agent, "inbox"))!;
  const bytes = Buffer.from(`Subject: ${text}\r\n\r\n${text}\r\n`);
  await mail.appendMessages(nobody, agent, inbox.number, [{ bytes, flags: 0, keywords: [] }], {
    source: "imap",
  });
}

it("answers a search after the thread has ended", async () => {
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  await append(opened.store, agent, "first");
  await using index = await openTextIndex(opened.store, { idleMs: 1 });
  await ends[0];
  const answer = await index.find(agent, [{ kind: "text", text: "FIRST" }]);
  expect(answer!.found[0]!.length).toBe(1);
  expect(ends).toHaveLength(2);
});

it("indexes mail that comes after the thread has ended, before it ends again", async () => {
  const failures: string[] = [];
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  {
    const options = { idleMs: 1, onFailure: (reason: string) => void failures.push(reason) };
    await using _index = await openTextIndex(opened.store, options);
    await ends[0];
    await append(opened.store, agent, "later");
    await expect.poll(() => ends.length).toBe(2);
    await ends[1];
  }
  await using index = await openTextIndex(opened.store);
  const answer = await index.find(agent, [{ kind: "text", text: "LATER" }]);
  expect([answer!.found[0]!.length, answer!.unindexed.length, failures]).toEqual([1, 0, []]);
});
