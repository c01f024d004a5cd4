import fc from "fast-check";
import { expect, it } from "vitest";
import { createMail } from "#/src/mail/mail.ts";
import { flagSearchOf } from "#/src/mail/search/flag-query.ts";
import type { SearchKey } from "#/src/mail/search/search-keys.ts";
import { nobody } from "#/src/model/author.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

const flagKey = fc.letrec<{ key: SearchKey }>((tie) => ({
  key: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constant<SearchKey>({ kind: "all" }),
    fc.constantFrom<SearchKey>(
      { kind: "flags", mask: 1 },
      { kind: "flags", mask: 8 },
      { kind: "flags", mask: 3 },
    ),
    fc.constantFrom<SearchKey>({ kind: "keyword", name: "WORK" }, { kind: "keyword", name: "unknown" }),
    fc
      .uniqueArray(fc.integer({ min: 1, max: 40 }))
      .map<SearchKey>((uids) => ({ kind: "uids", uids: numberSetOf(uids) })),
    tie("key").map<SearchKey>((key) => ({ kind: "not", key })),
    fc.array(tie("key"), { maxLength: 4 }).map<SearchKey>((keys) => ({ kind: "and", keys })),
  ),
})).key;

it("a query by flags finds the same messages as a check of each message", async () => {
  await using test = await openTestStore();
  const { agent, inbox } = await seedAgent(test.store);
  const mail = createMail(test.store);
  const messages = Array.from({ length: 32 }, (_, index) => ({
    bytes: Buffer.from("Subject: a\r\n\r\n"),
    flags: (index & 7) | (index & 8 ? 8 : 0),
    keywords: index & 16 ? ["work"] : [],
  }));
  await mail.appendMessages(nobody, agent, inbox, messages, { source: "imap" });
  await mail.storeFlags(nobody, agent, inbox, { uids: [[3, 5]], mode: "add", flags: 8, keywords: [] });
  await mail.expungeMessages(nobody, agent, inbox, [[3, 5]]);
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(flagKey, async (key) => {
      if (flagSearchOf(key, ["work"]) !== undefined) answered++;
      const { uids } = await mail.searchMailbox(agent, inbox, key);
      // Of a choice the store knows nothing.
      expect(uids).toEqual((await mail.searchMailbox(agent, inbox, { kind: "or", keys: [key] })).uids);
    }),
    // Whatever is drawn, the store answers one.
    { numRuns: 300, examples: [[{ kind: "flags", mask: 1 }]] },
  );
  expect(answered).toBeGreaterThan(0);
});
