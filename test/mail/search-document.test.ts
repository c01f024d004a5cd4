import { expect, test } from "vitest";
import { createMail } from "#/src/mail/mail.ts";
import { createMessageBytes } from "#/src/mail/message-bytes.ts";
import { createDocumentReader } from "#/src/mail/search/search-document.ts";
import { nobody } from "#/src/model/author.ts";
import { deletedFlag } from "#/src/model/flags.ts";
import { openTestStore, seedAgent } from "../support/store.ts";

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
