import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import { expect, it, vi } from "vitest";
import type { House } from "#/src/daemon/house.ts";
import { createStoreWorks } from "#/src/daemon/store-works.ts";
import { createMail } from "#/src/mail/mail.ts";
import { nobody } from "#/src/model/author.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { openTextIndex, type TextIndexOptions } from "#/src/render/indexing/open-text-index.ts";
import { readSetAside } from "#/storage/search/search-trials.ts";
import { openTestStore, seedAgent, type TestStore } from "../support/store.ts";

// The thread ends and starts several times here.

const poisoned = { name: "poisoned", source: "test/support/threads/poisoned-index-thread.ts", heapMb: 128 };

const fullDisk = {
  name: "full-disk",
  source: "test/support/threads/full-disk-index-thread.ts",
  heapMb: 128,
};

async function append(store: TestStore, agent: AgentNumber, ...texts: string[]): Promise<MessageNumber[]> {
  const mail = createMail(store.store);
  const inbox = (await mail.findMailbox(agent, "inbox"))!;
  const messages = texts.map((text) => ({
    bytes: Buffer.from(`Subject: ${text}\r\n\r\n${text}\r\n`),
    flags: 0,
    keywords: [],
  }));
  await mail.appendMessages(nobody, agent, inbox.number, messages, { source: "imap" });
  const newest = await mail.listNewestMessages(agent, { limit: texts.length });
  return newest.map(({ number }) => number).reverse();
}

interface Watched {
  readonly failures: string[];
  readonly leftOut: [AgentNumber, MessageNumber | undefined, string][];
  readonly options: TextIndexOptions;
}

function watch(options: TextIndexOptions = {}): Watched {
  const failures: string[] = [];
  const leftOut: Watched["leftOut"] = [];
  return {
    failures,
    leftOut,
    options: {
      ...options,
      onFailure: (reason) => failures.push(reason),
      onLeftOut: (...what) => leftOut.push(what),
    },
  };
}

it("sets an unreadable message aside, indexes the others, and tries it again at the next start", async () => {
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  const [, bad] = await append(opened, agent, "first", "broken", "last");
  const structure = damage(opened, "{");
  const { failures, leftOut, options } = watch();
  for (const life of [1, 2, 3, 4]) {
    await using index = await openTextIndex(opened.store, options);
    await index.settle();
    const answer = await index.find(agent, [{ kind: "text", text: "LAST" }]);
    expect(answer!.found[0]!.length).toBe(1);
    expect(leftOut.length).toBe(Math.min(life, 3));
    expect(readSetAside(opened.folder)).toMatchObject([
      { agent, message: bad, attempts: Math.min(life, 3), reason: expect.stringMatching(/^SyntaxError at/) },
    ]);
  }
  expect(failures).toEqual([]);
  damage(opened, structure);
});

it("indexes a message that was set aside when it can be read again", async () => {
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  await append(opened, agent, "first", "broken");
  const structure = damage(opened, "{");
  for (const holders of [0, 1]) {
    await using index = await openTextIndex(opened.store);
    await index.settle();
    const answer = await index.find(agent, [{ kind: "body", text: "BROKEN" }]);
    expect(answer!.found[0]!.length).toBe(holders);
    expect(readSetAside(opened.folder).length).toBe(1 - holders);
    damage(opened, structure);
  }
});

it.each(["ends", "hangs"])(
  "sets a message aside with which the thread %s, indexes the others, and does not read it again",
  async (action) => {
    await using opened = await openTestStore();
    const { agent } = await seedAgent(opened.store);
    const before = watch({ thread: poisoned, turnMsMax: 400 });
    let bad: MessageNumber | undefined;
    {
      await using index = await openTextIndex(opened.store, before.options);
      bad = (await append(opened, agent, "first", "second", `poison that ${action}`, "last"))[2];
      await index.settle();
      const answer = await index.find(agent, [{ kind: "text", text: "LAST" }]);
      expect(answer!.found[0]!.length).toBe(1);
    }
    expect(before.leftOut.map(([, message]) => message)).toEqual([bad]);
    // With the others, and then twice alone.
    expect(before.failures.length).toBe(3);
    const after = watch({ thread: poisoned, turnMsMax: 400 });
    await using index = await openTextIndex(opened.store, after.options);
    await index.settle();
    expect([after.failures, after.leftOut]).toEqual([[], []]);
    expect(readSetAside(opened.folder)).toMatchObject([{ agent, message: bad }]);
  },
);

it.each([
  ["in one piece", 200_000],
  ["in several pieces", 600_000],
])("leaves no message out because the disk is full, stored %s", async (_, length) => {
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  const { failures, leftOut, options } = fill(opened);
  await using index = await openTextIndex(opened.store, options);
  await append(opened, agent, "first");
  await index.settle();
  fs.writeFileSync(path.join(opened.folder, "full"), "");
  fs.writeFileSync(path.join(opened.folder, "brimful"), "");
  await append(opened, agent, "second", `third\r\n\r\n${longText(length)}end of it`);
  await index.settle();
  const answer = await index.find(agent, [{ kind: "text", text: "END OF IT" }]);
  expect(answer!.found[0]!.length).toBe(1);
  expect(failures.length).toBe(fullLives);
  expect(failures).toEqual(failures.map(() => expect.stringContaining("full")));
  expect([leftOut, readSetAside(opened.folder)]).toEqual([[], []]);
});

it("takes none of the attempts of a message that was set aside because the disk is full", async () => {
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  await append(opened, agent, "first", `broken\r\n\r\n${longText(200_000)}`);
  const structure = damage(opened, "{");
  {
    await using index = await openTextIndex(opened.store);
    await index.settle();
  }
  damage(opened, structure);
  fs.writeFileSync(path.join(opened.folder, "full"), "");
  const { failures, options } = fill(opened);
  await using index = await openTextIndex(opened.store, options);
  await index.settle();
  const answer = await index.find(agent, [{ kind: "body", text: "LONG LINE" }]);
  expect(answer!.found[0]!.length).toBe(1);
  expect(failures.length).toBe(fullLives);
  expect(readSetAside(opened.folder)).toEqual([]);
});

it.each(["a question", "a look at all mailboxes"])(
  "goes on when the disk is too full for %s",
  async (what) => {
    await using opened = await openTestStore();
    const { agent } = await seedAgent(opened.store);
    const { failures, options } = watch({ thread: fullDisk });
    let miss = (): void => {};
    const store = {
      place: opened.store.place,
      onCommit: opened.store.onCommit.bind(opened.store),
      onMissed(listener: () => void) {
        miss = listener;
        return () => {};
      },
    };
    await using index = await openTextIndex(store, options);
    const messages = await append(opened, agent, "first");
    await index.settle();
    const [narrow, met] = ["narrow", "met"].map((name) => path.join(opened.folder, name));
    fs.writeFileSync(narrow!, "");
    if (what === "a question") expect(await index.findPreviews(agent, messages)).toEqual(new Map());
    else {
      miss();
      await expect.poll(() => fs.existsSync(met!)).toBe(true);
    }
    fs.rmSync(narrow!);
    expect((await index.findPreviews(agent, messages)).size).toBe(1);
    expect(failures).toEqual([]);
  },
);

/** More than the free pages of an index hold. */
function longText(length: number): string {
  return "long line\r\n".repeat(length / 11);
}

/** With one more start a message would be set aside if each of these ends were an attempt. */
const fullLives = 4;

/** The disk has room again after so many ends of the thread. */
function fill({ folder }: TestStore): Watched {
  const watched = watch({ thread: fullDisk });
  return {
    ...watched,
    options: {
      ...watched.options,
      onFailure(reason) {
        watched.options.onFailure?.(reason);
        if (watched.failures.length === fullLives) fs.rmSync(path.join(folder, "full"));
      },
    },
  };
}

it("is named by a check, which finds the store without faults", async () => {
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  const [bad] = await append(opened, agent, "broken");
  const structure = damage(opened, "{");
  {
    await using index = await openTextIndex(opened.store);
    await index.settle();
  }
  damage(opened, structure);
  const works = createStoreWorks(() => ({ store: opened.store }) as House);
  const found = await works.check({ signal: AbortSignal.timeout(60_000), onProgress() {} });
  const name = opened.store.ids.encode("message", agent, bad!);
  expect(found).toEqual({ problems: [], notes: [expect.stringContaining(`${name} is left out of the`)] });
});

/** Puts another structure into the message whose subject is "broken". Answers the one that it had. */
function damage({ folder }: TestStore, structure: string): string {
  const database = new Database(path.join(folder, "waypost.db"));
  try {
    const row = database
      .prepare(
        "select m.blob_id as id, b.structure from message m join blob b using (blob_id) where m.subject = 'broken'",
      )
      .get() as { id: number; structure: string };
    database.prepare("update blob set structure = ? where blob_id = ?").run(structure, row.id);
    return row.structure;
  } finally {
    database.close();
  }
}

it("is not read by the main thread either when a search finds it first", async () => {
  await using opened = await openTestStore();
  const { agent } = await seedAgent(opened.store);
  const { failures, options } = watch({ thread: poisoned });
  await using index = await openTextIndex(opened.store, options);
  await append(opened, agent, "first", "poison that ends");
  const mail = createMail(opened.store, index);
  const folded = vi.spyOn(String.prototype, "normalize");
  await expect(
    mail.searchNewest(agent, { kind: "text", text: "elsewhere" }, { limit: 10 }),
  ).rejects.toMatchObject({ code: "upstream_unavailable" });
  expect(failures.length).toBeGreaterThan(0);
  expect(folded.mock.contexts.filter((text) => String(text).includes("poison"))).toEqual([]);
  folded.mockRestore();
  await index.settle();
  const { messages } = await mail.searchNewest(agent, { kind: "text", text: "first" }, { limit: 10 });
  expect(messages.length).toBe(1);
});
