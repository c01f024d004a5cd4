import fs from "node:fs";
import path from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import type { TextIndex } from "#/src/mail/indexing/text-index.ts";
import { createMail, type Mail } from "#/src/mail/mail.ts";
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { doubtfulKey } from "#/src/mail/search/search-document.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { nobody } from "#/src/model/author.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { openTextIndex } from "#/src/render/indexing/open-text-index.ts";
import { openTestStore, seedAgent, type TestStore } from "../support/store.ts";

let store: TestStore;
let index: TextIndex;
/** One asks the index, the other only looks. */
let indexed: Mail;
let plain: Mail;
let agent: AgentNumber;
let inbox: Mailbox;

beforeEach(async () => {
  store = await openTestStore();
  await openIndex();
  ({ agent } = await seedAgent(store.store));
  inbox = (await plain.findMailbox(agent, "inbox"))!;
});
afterEach(async () => {
  await index[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

async function openIndex(onFailure?: (reason: string) => void): Promise<void> {
  index = await openTextIndex(store.store, onFailure === undefined ? {} : { onFailure });
  indexed = createMail(store.store, index);
  plain = createMail(store.store);
}

async function append(owner: AgentNumber, mailbox: Mailbox, ...texts: string[]): Promise<number[]> {
  const messages = texts.map((text) => ({
    bytes: Buffer.from(text.replaceAll("\n", "\r\n")),
    flags: 0,
    keywords: [],
  }));
  const { uids } = await plain.appendMessages(nobody, owner, mailbox.number, messages, { source: "imap" });
  return [...uids];
}

async function bothFind(key: SearchKey): Promise<readonly number[]> {
  const { uids, highestModseq } = await indexed.searchMailbox(agent, inbox.number, key);
  const scanned = await plain.searchMailbox(agent, inbox.number, key);
  expect(uids).toEqual(scanned.uids);
  expect(highestModseq).toBe(scanned.highestModseq);
  return uids;
}

it("gives the same answers as a search in the messages, after any writes", async () => {
  const alphabet = [...'abAB 漢字仮ßẞſﬁéÉe\u0301σςΣİiıI\u0345\0"*-_.@<>,:;()\u{f0001}\u{f0002}😀\ufffd'];
  const word = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 8 });
  const textKey: fc.Arbitrary<SearchKey> = fc.oneof(
    fc.record({ kind: fc.constantFrom("text" as const, "body" as const), text: word }),
    fc.record({
      kind: fc.constant("header" as const),
      name: fc.constantFrom("subject", "From", "TO", "x-note", "x-note: a", "absent"),
      text: word,
    }),
  );
  const key: fc.Arbitrary<SearchKey> = fc.oneof(
    textKey,
    textKey.map((one) => ({ kind: "not" as const, key: one })),
    fc.record({
      kind: fc.constantFrom("and" as const, "or" as const),
      keys: fc.array(textKey, { minLength: 1, maxLength: 3 }),
    }),
  );
  const message = fc
    .record({
      subject: word,
      name: word,
      note: word,
      body: fc.array(word, { maxLength: 30 }),
      isHtml: fc.boolean(),
    })
    .map(({ subject, name, note, body, isHtml }) => {
      const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString("base64")}?=`;
      return `Subject: ${encoded(subject)}
From: ${encoded(name)} <aba@ab.test>
To: (a comment) bab @ example.test
X-Note: ${encoded(note)}
Content-Type: text/${isHtml ? "html" : "plain"}; charset=utf-8
Content-Transfer-Encoding: base64

${Buffer.from(body.join("")).toString("base64")}
`;
    });
  const step = fc.oneof(
    fc.record({
      do: fc.constant("append" as const),
      messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({ do: fc.constant("search" as const), key }),
    fc.record({ do: fc.constant("settle" as const) }),
    fc.record({ do: fc.constant("expunge" as const) }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 25 }),
      fc.array(key, { maxLength: 5 }),
      async (steps, last) => {
        for (const one of steps)
          if (one.do === "append") await append(agent, inbox, ...one.messages);
          else if (one.do === "search") await bothFind(one.key);
          else if (one.do === "settle") await index.settle();
          else await expungeFirst();
        await index.settle();
        for (const one of last) await bothFind(one);
      },
    ),
    { numRuns: 25 },
  );
});

async function expungeFirst(): Promise<void> {
  const [uid] = await plain.listUids(agent, inbox.number);
  if (uid === undefined) return;
  await plain.storeFlags(nobody, agent, inbox.number, {
    uids: [[uid, uid]],
    mode: "add",
    flags: deletedFlag,
    keywords: [],
  });
  await plain.expungeMessages(nobody, agent, inbox.number);
}

it("finds text in indexed mail, short terms too, and not in other agents' mail", async () => {
  const other = await seedAgent(store.store, "bob");
  await append(
    other.agent,
    (await plain.findMailbox(other.agent, "inbox"))!,
    "Subject: zanzibar\n\nzanzibar\n",
  );
  const [first] = await append(agent, inbox, "Subject: Zanzibar\n\nqq\n", "Subject: Kilwa\n\nzebra\n");
  await index.settle();
  const find = async (text: string) => (await index.find(agent, [{ kind: "text", text }]))!.found[0]!.length;
  expect(await find("ANZIBA")).toBe(1);
  expect(await find("Z")).toBe(2);
  expect(await find("ZANZIBAR!")).toBe(0);
  expect(await bothFind({ kind: "header", name: "Subject", text: "nzib" })).toEqual([first]);
});

it("finds messages with text in doubt, short and long ones", async () => {
  const page = (body: string): string => `Content-Type: text/html\n\n${body}\n`;
  const inDoubt = "<p>seen</p><p style=\"offset-path:path('M 9999 9999')\">a passage</p>";
  const long = `<p>${"long text that goes on and on\n".repeat(9000)}</p>`;
  const pages = [inDoubt, "<p>doubtful</p>", `${inDoubt}${long}`, long, '<p style="display:none">x</p>seen'];
  const uids = await append(agent, inbox, ...pages.map(page), "Subject: doubtful\n\ndoubtful\n");
  const expected = uids.filter((_, at) =>
    renderHtml(pages[at] ?? "", "text").removed.some(([what]) => what === "doubtful"),
  );
  expect(await bothFind(doubtfulKey)).toEqual(expected);
  await index.settle();
  expect(await bothFind(doubtfulKey)).toEqual(expected);
  expect(await bothFind({ kind: "not", key: doubtfulKey })).toEqual(
    uids.filter((uid) => !expected.includes(uid)),
  );
  // Nobody can write the mark.
  expect(await bothFind({ kind: "body", text: "\0doubtful" })).toEqual([uids[1], uids[5]]);
});

it("forgets what is expunged", async () => {
  await append(agent, inbox, "Subject: Secret\n\nburn after reading\n");
  await index.settle();
  const count = async () => (await index.find(agent, [{ kind: "text", text: "BURN" }]))!.found[0]!.length;
  expect(await count()).toBe(1);
  await expungeFirst();
  await index.settle();
  expect(await count()).toBe(0);
});

it("indexes long text in pieces, and finds text across their borders", async () => {
  const lines = Array.from({ length: 40_000 }, (_, at) => `line number ${at} of it`);
  const text = lines.join("\n");
  const [uid] = await append(
    agent,
    inbox,
    `Subject: Large\n\n${text}\n`,
    "Subject: Small\n\nline number 7\n",
  );
  await index.settle();
  expect((await index.find(agent, [{ kind: "body", text: "NUMBER 39999" }]))!.unindexed).toHaveLength(0);
  const find = async (searched: string): Promise<readonly number[]> =>
    (await indexed.searchMailbox(agent, inbox.number, { kind: "body", text: searched })).uids;
  for (const length of [4, 60, 64, 70, 400])
    for (let at = 100_000; at < text.length - length; at += 24_989)
      expect(await find(text.slice(at, at + length))).toContain(uid);
  // Around borders of pieces as they are read, of which eight or nine are one in the index, at every place.
  for (const pieces of [1, 8, 9])
    for (let at = pieces * 32_768 - 170; at < pieces * 32_768 + 130; at++)
      expect(await find(text.slice(at, at + 80))).toEqual([uid]);
  expect(await bothFind({ kind: "body", text: "99" })).toEqual([uid]);
  expect(await bothFind({ kind: "text", text: "line number 40000" })).toEqual([]);
  expect(await bothFind({ kind: "body", text: `${text.slice(32_000, 99_000)}!` })).toEqual([]);
  expect(await bothFind({ kind: "body", text: text.slice(32_000, 99_000) })).toEqual([uid]);
  await expungeFirst();
  await index.settle();
  expect(await bothFind({ kind: "body", text: "number 39999" })).toEqual([]);
});

it("indexes a long text again after an interruption", async () => {
  const text = Array.from({ length: 40_000 }, (_, at) => `row ${at}`).join("\n");
  const [uid] = await append(agent, inbox, `Subject: Large\n\n${text}\n`);
  // Closing does not wait for it.
  await index[Symbol.asyncDispose]();
  await openIndex();
  await index.settle();
  expect(await bothFind({ kind: "body", text: "row 39999" })).toEqual([uid]);
  expect(await bothFind({ kind: "body", text: "row 17\r\nrow 18" })).toEqual([uid]);
});

it.each([
  ["missing", (file: string) => fs.rmSync(file)],
  ["no database", (file: string) => fs.writeFileSync(file, "nonsense ".repeat(2000))],
  ["damaged inside", (file: string) => damage(file)],
  ["of another version", (file: string) => setVersion(file)],
])("is made again when its file is %s", async (_state, spoil) => {
  const [uid] = await append(agent, inbox, "Subject: Zanzibar\n\ncloves\n");
  await index.settle();
  await index[Symbol.asyncDispose]();
  spoil(path.join(store.folder, "search.db"));
  const failures: string[] = [];
  await openIndex((reason) => failures.push(reason));
  expect(await bothFind({ kind: "text", text: "cloves" })).toEqual([uid]);
  await index.settle();
  expect((await index.find(agent, [{ kind: "text", text: "CLOVES" }]))!.found[0]).toHaveLength(1);
  expect(failures).toEqual([]);
});

it("is made again when a question finds it damaged, though no mail comes", async () => {
  await append(agent, inbox, "Subject: Zanzibar\n\ncloves\n");
  await index.settle();
  await index[Symbol.asyncDispose]();
  damageTable(path.join(store.folder, "search.db"), "doc");
  await openIndex();
  await index.settle();
  const ask = async () => (await index.find(agent, [{ kind: "text", text: "CLOVES" }]))?.found[0]?.length;
  expect(await ask()).toBeUndefined();
  await expect.poll(ask).toBe(1);
});

/** The first page of a table is overwritten. */
function damageTable(file: string, table: string): void {
  const database = new Database(file);
  const root = database.prepare("select rootpage from sqlite_master where name = ?").pluck().get(table);
  const size = database.pragma("page_size", { simple: true }) as number;
  database.close();
  const bytes = fs.readFileSync(file);
  bytes.fill(0x5a, (Number(root) - 1) * size, Number(root) * size);
  fs.writeFileSync(file, bytes);
}

/** Every page but the first is overwritten. */
function damage(file: string): void {
  const bytes = fs.readFileSync(file);
  bytes.fill(0x5a, 8192);
  fs.writeFileSync(file, bytes);
}

function setVersion(file: string): void {
  const bytes = fs.readFileSync(file);
  // The user version of SQLite's header.
  bytes.writeUInt32BE(99, 60);
  fs.writeFileSync(file, bytes);
}

it("lists the same newest messages page by page as a search in the messages, also before they are indexed", async () => {
  const other = await plain.createMailbox(nobody, agent, "Other");
  const texts = (from: number, to: number): string[] =>
    Array.from({ length: to - from }, (_, index) => {
      const at = from + index;
      return `From: ${at % 3 ? "ann" : "bea"}@example.org\nSubject: n${at}\n\n${at % 4 ? "grey" : "Green"} words\n`;
    });
  await append(agent, inbox, ...texts(0, 60));
  await append(agent, other, ...texts(60, 90));
  await index.settle();
  await append(agent, inbox, ...texts(90, 100));
  const green = { kind: "text", text: "green" } as const;
  const bea = { kind: "header", name: "from", text: "bea@" } as const;
  const keys: readonly SearchKey[] = [
    green,
    { kind: "and", keys: [green, bea, { kind: "not", key: { kind: "flags", mask: 1 } }] },
    { kind: "or", keys: [green, bea] },
    { kind: "not", key: green },
    { kind: "text", text: "nowhere" },
  ];
  for (const key of keys)
    for (const mailbox of [undefined, inbox.number, other.number]) {
      const listed = await Promise.all([indexed, plain].map((mail) => listAll(mail, key, mailbox)));
      expect(listed[0]).toEqual(listed[1]);
    }

  async function listAll(mail: Mail, key: SearchKey, mailbox: Mailbox["number"] | undefined) {
    const found: number[] = [];
    let before: { before?: MessageNumber } = {};
    for (;;) {
      const place = mailbox === undefined ? {} : { mailbox };
      const page = await mail.searchNewest(agent, key, { ...place, ...before, limit: 7 });
      found.push(...page.messages.map(({ number }) => number));
      if (page.next === undefined) return found;
      before = { before: page.next };
    }
  }
});

it("finds a word of one old message among thousands without reading the others", async () => {
  await append(agent, inbox, "Subject: needle\n\nHello\n");
  for (let count = 0; count < 6; count++)
    await append(agent, inbox, ...Array<string>(1000).fill("Subject: hay\n\nHello\n"));
  await index.settle();
  const key = { kind: "text", text: "needle" } as const;
  const { messages, next } = await indexed.searchNewest(agent, key, { limit: 5 });
  expect([messages.map(({ subject }) => subject), next]).toEqual([["needle"], undefined]);
  // Without an index a call looks at a bounded number, and says where to go on.
  for (const place of [{}, { mailbox: inbox.number }]) {
    const looked = await plain.searchNewest(agent, key, { limit: 5, ...place });
    expect([looked.messages, typeof looked.next]).toEqual([[], "number"]);
    const hay = await plain.searchNewest(agent, { kind: "all" }, { limit: 5, ...place });
    expect(hay.messages.map(({ subject }) => subject)).toEqual(Array(5).fill("hay"));
  }
});
