/** The same mail on both engines, as after a move: the same searches give the same results and the same previews. */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { createMail } from "#/src/mail/mail.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { nobody } from "#/src/model/author.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { openTextIndex } from "#/src/render/indexing/open-text-index.ts";
import { runMove } from "#/storage/moving/open-move.ts";
import { openStore } from "#/storage/open-store.ts";
import { corpusNote, hasCorpus, listCorpusMessages } from "../support/corpus.ts";
import { type Seed, seedAgent } from "../support/store.ts";
import { dropDatabase, makeDatabase, serverUrl } from "./database.ts";

const words = [
  "the",
  "Grüße",
  "straße",
  "STRASSE",
  "漢字",
  "日本",
  "Привет",
  "e",
  "a-b",
  "100%",
  "_",
  "\\",
  "'",
  "@example",
  "unsubscribe",
  "\u0345",
  "ﬁ",
];

function questions(texts: readonly string[]): SearchKey[] {
  return [...words, ...texts].flatMap((text): SearchKey[] => [
    { kind: "text", text },
    { kind: "body", text },
    { kind: "header", name: "subject", text },
    { kind: "header", name: "from", text },
    { kind: "not", key: { kind: "body", text } },
  ]);
}

async function ask(folder: string, url: string, { agent, inbox }: Seed, keys: readonly SearchKey[]) {
  const store = await openStore({ folder, ...(url === "" ? {} : { database: { url } }) });
  const index = await openTextIndex(store);
  try {
    await index.settle();
    const mail = createMail(store, index);
    const answers: unknown[] = [];
    for (const key of keys) answers.push((await mail.searchMailbox(agent, inbox, key)).uids);
    const messages = await store.column<MessageNumber>("select message_id from message order by message_id");
    const previews = [...(await index.findPreviews(agent, messages))].sort(([a], [b]) => a - b);
    return { answers, previews };
  } finally {
    await index[Symbol.asyncDispose]();
    await store.close();
  }
}

describe.skipIf(serverUrl === undefined || !hasCorpus)(`a search on either engine${corpusNote}`, () => {
  it("finds the same messages, whatever is looked for", async () => {
    const top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-search-"));
    const folder = path.join(top, "data");
    const url = await makeDatabase();
    try {
      const store = await openStore({ folder });
      const seed = await seedAgent(store);
      const corpus = listCorpusMessages().filter(({ bytes }) => bytes.length < 50_000);
      const chosen = corpus.filter((_, at) => at % Math.ceil(corpus.length / 150) === 0);
      expect(chosen.length).toBeGreaterThan(50);
      const mail = createMail(store);
      for (const { bytes } of chosen)
        await mail
          .appendMessages(nobody, seed.agent, seed.inbox, [{ bytes, flags: 0, keywords: [] }], {
            source: "imap",
          })
          // Not every octet of the corpus can be stored.
          .catch(() => {});
      const subjects = await store.column<string>(
        "select distinct substr(subject, 3, 12) from message order by 1",
      );
      await store.close();
      const keys = questions(subjects.filter((subject) => !subject.includes("\0")).slice(0, 60));
      const before = await ask(folder, "", seed, keys);
      fs.mkdirSync(path.join(top, "other"));
      await runMove({ folder, from: undefined, to: { url } });
      // Another folder, so that its index is made from the database.
      const after = await ask(path.join(top, "other"), url, seed, keys);
      expect(before.answers.filter((uids) => JSON.stringify(uids) !== "[]").length).toBeGreaterThan(50);
      expect(after.answers).toEqual(before.answers);
      expect(after.previews).toEqual(before.previews);
    } finally {
      await dropDatabase(url);
      fs.rmSync(top, { recursive: true, force: true });
    }
  });
});
