import { ImapFlow } from "imapflow";
import { expect, test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { type ImapServer, startImap } from "./server.ts";

async function connect(server: ImapServer): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: "127.0.0.1",
    port: server.securePort,
    secure: true,
    tls: { rejectUnauthorized: false },
    auth: { user: "robin@example.test", pass: server.robin.password },
    logger: false,
  });
  await client.connect();
  return client;
}

const message = (subject: string): Buffer =>
  Buffer.from(
    [
      "From: Änn <ann@example.net>",
      `Subject: ${subject}`,
      "Message-ID: <1@example.net>",
      "MIME-Version: 1.0",
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "Content-Type: text/plain; charset=utf-8",
      "",
      "Grüße",
      "--b",
      "Content-Type: application/octet-stream; name=x.bin",
      "Content-Transfer-Encoding: base64",
      "",
      "AAECAwQ=",
      "--b--",
      "",
    ].join("\r\n"),
  );

test("imapflow lists, appends, fetches, searches, copies, moves and deletes", async () => {
  await using server = await startImap();
  const client = await connect(server);
  try {
    const folders = await client.list({ statusQuery: { messages: true } });
    expect(folders.map(({ path, specialUse }) => [path, specialUse])).toEqual(
      expect.arrayContaining([
        ["INBOX", "\\Inbox"],
        ["Drafts", "\\Drafts"],
        ["Trash", "\\Trash"],
      ]),
    );
    await client.mailboxCreate("Entwürfe/Neu");
    const appended = await client.append("INBOX", message("first"), ["\\Seen", "$Label"], new Date(1e12));
    expect(appended).toMatchObject({ uid: 1 });
    await client.append("INBOX", message("second"));

    const lock = await client.getMailboxLock("INBOX");
    try {
      const all = await client.fetchAll("1:*", {
        uid: true,
        flags: true,
        envelope: true,
        bodyStructure: true,
        internalDate: true,
        size: true,
        source: true,
        threadId: true,
        headers: ["subject"],
      });
      expect(all.map(({ envelope }) => envelope!.subject)).toEqual(["first", "second"]);
      expect(all[0]!.source!.equals(message("first"))).toBe(true);
      expect([...all[0]!.flags!].sort()).toEqual(["$Label", "\\Seen"]);
      expect(all[0]!.internalDate).toEqual(new Date(1e12));
      expect(all[0]!.bodyStructure!.childNodes!.map(({ type }) => type)).toEqual([
        "text/plain",
        "application/octet-stream",
      ]);
      const { content } = await client.download("1", "2");
      const pieces: Buffer[] = [];
      for await (const piece of content!) pieces.push(piece as Buffer);
      expect(Buffer.concat(pieces)).toEqual(Buffer.from([0, 1, 2, 3, 4]));

      expect(await client.search({ subject: "second", seen: false }, { uid: true })).toEqual([2]);
      expect(await client.search({ body: "Grüße" })).toEqual([1, 2]);
      await client.messageFlagsAdd("2", ["\\Flagged"], { uid: true });
      const copied = await client.messageCopy("1:2", "Entwürfe/Neu");
      expect(copied).toMatchObject({
        uidMap: new Map([
          [1, 1],
          [2, 2],
        ]),
      });
      await client.messageMove("2", "Archive", { uid: true });
      await client.messageDelete("1", { uid: true });
      expect(client.mailbox).toMatchObject({ exists: 0 });
    } finally {
      lock.release();
    }
    expect(
      await client.status("Entwürfe/Neu", { messages: true, unseen: true, highestModseq: true }),
    ).toMatchObject({ messages: 2, unseen: 1 });
    await client.mailboxRename("Entwürfe/Neu", "Neu");
    await client.mailboxDelete("Neu");
  } finally {
    await client.logout();
  }
});

test("imapflow is told of arrivals, flags and expunges while it idles", async () => {
  await using server = await startImap();
  const client = await connect(server);
  try {
    await client.mailboxOpen("INBOX");
    const inbox = (await server.mail.findMailbox(server.store.ids.decode(server.robin.id)!.agent, "INBOX"))!;
    const arrival = once(client, "exists");
    const idling = client.idle();
    await server.mail.appendMessages(
      nobody,
      inbox.agent,
      inbox.number,
      [{ bytes: message("third"), flags: 0, keywords: [] }],
      { source: "imap" },
    );
    expect(await arrival).toMatchObject({ count: 1 });
    const flags = once(client, "flags");
    await server.mail.storeFlags(nobody, inbox.agent, inbox.number, {
      uids: [[1, 1]],
      mode: "add",
      flags: 8,
      keywords: [],
    });
    expect(await flags).toMatchObject({ seq: 1, flags: new Set(["\\Deleted"]) });
    const expunge = once(client, "expunge");
    await server.mail.expungeMessages(nobody, inbox.agent, inbox.number);
    expect(await expunge).toMatchObject({ seq: 1 });
    await client.noop();
    await idling;
  } finally {
    await client.logout();
  }
});

function once(client: ImapFlow, event: "exists" | "flags" | "expunge"): Promise<unknown> {
  return new Promise((resolve) => client.once(event, resolve));
}
