import { expect, test } from "vitest";
import { createMail } from "#/src/mail/mail.ts";
import { createMessageBytes, holdShort } from "#/src/mail/message-bytes.ts";
import { createDocumentReader } from "#/src/mail/search/search-document.ts";
import { nobody } from "#/src/model/author.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import { openTestStore, seedAgent } from "../support/store.ts";
import { watchStore } from "../support/watched-store.ts";

test("a message deleted while its text is read fails once, without an unhandled rejection", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const mail = createMail(store);
  const { agent } = await seedAgent(store);
  const inbox = (await mail.findMailbox(agent, "inbox"))!;
  const bytes = Buffer.from("Subject: gone\r\n\r\nsoon\r\n");
  const { uids } = await mail.appendMessages(
    nobody,
    agent,
    inbox.number,
    [{ bytes, flags: deletedFlag, keywords: [] }],
    {
      source: "imap",
    },
  );
  for await (const [message] of mail.messagePages(agent, inbox.number, [[uids[0]!, uids[0]!]])) {
    const reader = createDocumentReader(createMessageBytes(store), message!);
    // It may fail before anybody waits for it.
    const reading = Promise.allSettled([reader.readHeader(), Array.fromAsync(reader.bodyPieces())]);
    await mail.expungeMessages(nobody, agent, inbox.number);
    await reading;
    const late = createDocumentReader(createMessageBytes(store), message!);
    await expect(late.readHeader()).rejects.toMatchObject({ code: "not_found" });
    // A failure that nobody waits for would be told now, and end the run.
    await new Promise((resolve) => setImmediate(resolve));
  }
});

test.each([
  ["short", 7000, 1],
  ["long", 70_000, 5],
])("a %s message is read for the index by few statements", async (_, length, statements) => {
  await using opened = await openTestStore();
  const mail = createMail(opened.store);
  const { agent } = await seedAgent(opened.store);
  const inbox = (await mail.findMailbox(agent, "inbox"))!;
  const words = "words ".repeat(length / 6);
  const bytes = Buffer.from(`Subject: Ä\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nÖ ${words}\r\n`);
  const message = { bytes, flags: 0, keywords: [] };
  await mail.appendMessages(nobody, agent, inbox.number, [message], { source: "imap" });
  for await (const [stored] of mail.messagePages(agent, inbox.number, [[1, 1]])) {
    const read = async (held: boolean): Promise<{ text: unknown; reads: number }> => {
      const watched = watchStore(opened.store);
      const taken = held ? await holdShort(watched.store, stored!) : stored!;
      const all = createMessageBytes(watched.store);
      const reader = createDocumentReader(all, taken);
      const text = [
        await all.readStructure(taken),
        await reader.readHeader(),
        await reader.bodyBytes(),
        await Array.fromAsync(reader.bodyPieces()),
        (await all.readBytes(taken)).toString("latin1"),
      ];
      return { text, reads: watched.reads };
    };
    const held = await read(true);
    expect(held.reads).toBe(statements);
    expect(held.text).toEqual((await read(false)).text);
  }
});
