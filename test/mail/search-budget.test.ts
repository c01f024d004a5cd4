import { expect, it } from "vitest";
import { createMail } from "#/src/mail/mail.ts";
import { nobody } from "#/src/model/author.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { openTextIndex } from "#/src/render/indexing/open-text-index.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

it("ends a search that has spent its budget with a position from which the next one continues", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  // Without an index, as when it is behind.
  const mail = createMail(store);
  const { agent, inbox } = await seedAgent(store);
  const attachment = Buffer.alloc(8 * 1024 * 1024, "A");
  for (let at = 0; at < 6; at++) {
    const bytes = Buffer.concat([
      Buffer.from(
        `Subject: n${at}\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nneedle ${at % 2}\r\n--b\r\nContent-Type: application/pdf\r\n\r\n`,
      ),
      attachment,
      Buffer.from("\r\n--b--\r\n"),
    ]);
    await mail.appendMessages(nobody, agent, inbox, [{ bytes, flags: 0, keywords: [] }], { source: "imap" });
  }
  const found: string[] = [];
  let calls = 0;
  for (let before: MessageNumber | undefined; ; ) {
    const key = { kind: "body", text: "needle 1" } as const;
    const page = await mail.searchNewest(agent, key, {
      limit: 10,
      ...(before === undefined ? {} : { before }),
    });
    calls++;
    found.push(...page.messages.map(({ subject }) => subject));
    if (page.next === undefined) break;
    before = page.next;
  }
  expect(found).toEqual(["n5", "n3", "n1"]);
  expect(calls).toBeGreaterThan(1);
  // A search of a mailbox is complete.
  expect((await mail.searchMailbox(agent, inbox, { kind: "body", text: "NEEDLE 0" })).uids).toHaveLength(3);
});

it("looks into messages on the indexing thread, never on the one that serves", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const { agent, inbox } = await seedAgent(store);
  await using index = await openTextIndex(store);
  // It knows of no message, as if it were far behind.
  const behind = { ...index, find: async () => undefined };
  const served: number[] = [];
  const bodyReads = (query: string): boolean => /\bblob/.test(query);
  const counted = new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        if (name === "get" && bodyReads(String(args[0]))) served.push(1);
        return (member as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const mail = createMail(counted, behind);
  const text = `${"many words ".repeat(60_000)}needle\r\n`;
  const { uids } = await mail.appendMessages(
    nobody,
    agent,
    inbox,
    [1, 2, 3].map((at) => ({
      bytes: Buffer.from(`Subject: n${at}\r\n\r\n${text}${at}\r\n`),
      flags: 0,
      keywords: [],
    })),
    { source: "imap" },
  );
  const { uids: found } = await mail.searchMailbox(agent, inbox, { kind: "body", text: "needle\r\n2" });
  expect(found).toEqual([uids[1]]);
  const { messages } = await mail.searchNewest(agent, { kind: "text", text: "N3" }, { limit: 5 });
  expect(messages.map(({ subject }) => subject)).toEqual(["n3"]);
  expect(served).toEqual([]);
});
