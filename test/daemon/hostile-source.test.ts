/** Mail is imported from an IMAP server with arbitrary answers: the import ends or refuses one message, with limited memory. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importMail } from "#/src/daemon/moving/import-mail.ts";
import { openMailSource } from "#/src/daemon/moving/open-source.ts";
import { createMail } from "#/src/mail/mail.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { openTestStore, type Seed, seedAgent, type TestStore } from "../support/store.ts";

const bytesMax = 4000;
let house: TestStore;
let owner: Seed;
beforeAll(async () => {
  house = await openTestStore();
  owner = await seedAgent(house.store, "ada", { account: "ours" });
});
afterAll(() => house[Symbol.asyncDispose]());

const message = "Subject: x\r\n\r\nx\r\n";
const row = (uid: number, size: number): string =>
  `* ${uid} FETCH (UID ${uid} FLAGS (\\Seen) INTERNALDATE "05-Jan-2020 10:00:00 +0000" RFC822.SIZE ${size})\r\n`;
const usual: Readonly<Record<string, string>> = {
  CAPABILITY: "* CAPABILITY IMAP4rev1\r\n",
  LIST: '* LIST () "/" INBOX\r\n',
  LSUB: '* LSUB () "/" INBOX\r\n',
  STATUS: "* STATUS INBOX (MESSAGES 2)\r\n",
  EXAMINE: "* 2 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n* OK [UIDNEXT 3] x\r\n",
  "UID SEARCH": "* SEARCH 1 2\r\n",
  "UID FETCH": row(1, message.length) + row(2, message.length),
  "body 1": `* 1 FETCH (UID 1 BODY[] {${message.length}}\r\n${message})\r\n`,
  "body 2": `* 2 FETCH (UID 2 BODY[] {${message.length}}\r\n${message})\r\n`,
};

/** Answers a command with what stands beside its name, and OK; a whole answer begins with `tag`. */
async function importFrom(answers: Readonly<Record<string, string>>) {
  const commands: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.write("* OK ready\r\n");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (let end = text.indexOf("\r\n"); end >= 0; end = text.indexOf("\r\n")) {
        const line = text.slice(0, end);
        text = text.slice(end + 2);
        const [, tag, name] = /^(\S+) ((?:UID )?\S+)/.exec(line)!;
        const body = /^\S+ UID FETCH (\d+) .*BODY/.exec(line)?.[1];
        const command = body === undefined ? name! : `body ${body}`;
        commands.push(command);
        const said = answers[command] ?? usual[command] ?? "";
        socket.write(said.startsWith("tag ") ? said.replace("tag", tag!) : `${said}${tag} OK done\r\n`);
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const place = `imap://ada@127.0.0.1:${(server.address() as AddressInfo).port}`;
    await using source = await openMailSource(place, bytesMax, { password: "x", isToken: false });
    const signal = new AbortController().signal;
    const options = { by: atCommandLine, agent: owner.agent, bytesMax, signal, onProgress: () => {} };
    return { ...(await importMail(createMail(house.store), source, options)), commands };
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

test("a message with an announced size above the limit is not fetched, and the others are imported", async () => {
  const { imported, refused, refusals, commands } = await importFrom({
    "UID FETCH": row(1, bytesMax + 1) + row(2, message.length),
  });
  expect({ imported, refused, refusals }).toEqual({
    imported: 1,
    refused: 1,
    refusals: [{ folder: "\\Inbox", why: "It has 4001 octets; the limit is 4000." }],
  });
  expect(commands).toContain("body 2");
  expect(commands).not.toContain("body 1");
});

test("of the flags of a message those are kept that can be keywords", async () => {
  const names = ["Kept", '"two words"', '"a\\"b"', "{4}\r\nx\r\ny", "k".repeat(101), "kept-too", '"}"'];
  const { imported } = await importFrom({
    EXAMINE: "* 1 EXISTS\r\n* OK [UIDVALIDITY 9] x\r\n* OK [UIDNEXT 2] x\r\n",
    "UID SEARCH": "* SEARCH 1\r\n",
    "UID FETCH": row(1, message.length).replace("\\Seen", names.join(" ")),
  });
  expect(imported).toBe(1);
  const found = await createMail(house.store).keywordNames(owner.agent);
  expect(found.toSorted()).toEqual(["Kept", "kept-too", "}"]);
});

test.each([
  ["a literal of 4 GB", { "body 1": "* 1 FETCH (UID 1 BODY[] {4000000000}\r\n" }, /.*/],
  [
    "a literal that is larger than was said",
    { "body 1": `* 1 FETCH (UID 1 BODY[] {${2 * bytesMax + 1}}\r\n` },
    /.*/,
  ],
  [
    "more messages than were asked for",
    { "UID FETCH": Array.from({ length: 1500 }, (_, at) => row(at + 1, 10)).join("") },
    /not asked for/,
  ],
  ["a line without an end", { "UID SEARCH": `tag ${"1 ".repeat(9 * 1024 * 1024)}` }, /.*/],
])("ends with an error at %s", async (_what, answers, words) => {
  await expect(importFrom(answers as Record<string, string>)).rejects.toThrow(words);
});

test("shows the server's reply in one line without control characters", async () => {
  const error = await importFrom({ LOGIN: "tag NO \u001b[31mgo\u0007 away\r\n" }).catch(
    (one: unknown) => one,
  );
  expect((error as Error).message).toMatch(/^127\.0\.0\.1:\d+: [ -~]+$/);
});
