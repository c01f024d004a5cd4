/** How many reads of the store a command takes. On PostgreSQL each is a round trip, so none may be a read for every message. */
import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type WatchedStore, watchStore } from "../support/watched-store.ts";
import { type ImapServer, startImap } from "./server.ts";

let server: ImapServer;
let watched: WatchedStore;
let socket: net.Socket;

const messageCount = 200;

beforeAll(async () => {
  server = await startImap({}, (store) => {
    watched = watchStore(store);
    return watched.store;
  });
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const inbox = (await server.mail.findMailbox(agent, "INBOX"))!;
  const messages = Array.from({ length: messageCount }, (_, at) => ({
    bytes: Buffer.from(`Subject: Hello ${at}\r\nContent-Type: text/plain\r\n\r\nwords ${at}\r\n`),
    flags: 0,
    keywords: [],
  }));
  await server.mail.appendMessages(agent, inbox.number, messages, { source: "imap" });
  socket = net.connect(server.port, "127.0.0.1");
  socket.setEncoding("utf8");
  await readsOf(`LOGIN robin@example.test "${server.robin.password}"`);
  await readsOf("SELECT INBOX");
});
afterAll(async () => {
  socket.destroy();
  await server[Symbol.asyncDispose]();
});

/** Carries out a command, and answers how many reads it took. */
async function readsOf(command: string): Promise<number> {
  const before = watched.reads;
  socket.write(`t ${command}\r\n`);
  for (let heard = ""; ; ) {
    heard += (await once(socket, "data"))[0] as string;
    const word = /^t (OK|NO|BAD)[^\r]*\r\n/m.exec(heard);
    if (word === null) continue;
    expect(word[1], word[0]).toBe("OK");
    return watched.reads - before;
  }
}

it.each([
  ["NOOP", 3],
  ["FETCH 1:* (FLAGS)", 3],
  ["FETCH 1:* (UID FLAGS ENVELOPE)", 3],
  ["FETCH 1:* (BODY)", 8],
  ["FETCH 1:* (BODY.PEEK[HEADER.FIELDS (SUBJECT)])", 3],
  ["FETCH 1:* (BODY.PEEK[])", 8],
  ["STORE 1:100 +FLAGS (\\Seen)", 9],
  ["STATUS INBOX (MESSAGES UNSEEN)", 2],
  ['LIST "" "*"', 4],
  ['LIST "" "*" RETURN (STATUS (MESSAGES UNSEEN))', 4],
  ["SEARCH UNSEEN", 4],
  ["SEARCH SUBJECT hello", 10],
  ["SEARCH BODY words", 10],
  ["SORT (SUBJECT) UTF-8 ALL", 5],
  ["THREAD REFERENCES UTF-8 ALL", 5],
  ["COPY 1:100 Archive", 8],
  ["SELECT INBOX", 8],
  ["GETQUOTAROOT INBOX", 6],
])("%s of 200 messages takes at most %i reads", async (command, readsMax) => {
  expect(await readsOf(command)).toBeLessThanOrEqual(readsMax);
});
