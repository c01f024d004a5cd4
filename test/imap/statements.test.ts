/** The number of store reads of a command. On PostgreSQL each read is a round trip, unless it begins while another one is under way, so
 *  no command may read once for every message. */

import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { nobody } from "#/src/model/author.ts";
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
  await append(messageCount);
  socket = net.connect(server.port, "127.0.0.1");
  socket.setEncoding("utf8");
  await readsOf(`LOGIN robin@example.test "${server.robin.password}"`);
  await readsOf("SELECT INBOX");
});
afterAll(async () => {
  socket.destroy();
  await server[Symbol.asyncDispose]();
});

async function append(count: number): Promise<void> {
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const inbox = (await server.mail.findMailbox(agent, "INBOX"))!;
  const messages = Array.from({ length: count }, (_, at) => ({
    bytes: Buffer.from(`Subject: Hello ${at}\r\nContent-Type: text/plain\r\n\r\nwords ${at}\r\n`),
    flags: 0,
    keywords: [],
  }));
  await server.mail.appendMessages(nobody, agent, inbox.number, messages, { source: "imap" });
}

/** Carries out a command, and answers how many reads it took. */
async function readsOf(command: string): Promise<number> {
  return (await costOf(command)).reads;
}

interface Cost {
  readonly reads: number;
  readonly rounds: number;
  readonly answer: string;
}

async function costOf(command: string): Promise<Cost> {
  const { reads, rounds } = watched;
  socket.write(`t ${command}\r\n`);
  for (let heard = ""; ; ) {
    heard += (await once(socket, "data"))[0] as string;
    const word = /^t (OK|NO|BAD)[^\r]*\r\n/m.exec(heard);
    if (word === null) continue;
    expect(word[1], word[0]).toBe("OK");
    return { reads: watched.reads - reads, rounds: watched.rounds - rounds, answer: heard };
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
  ["SELECT INBOX", 6],
  ["GETQUOTAROOT INBOX", 6],
])("%s of 200 messages takes at most %i reads", async (command, readsMax) => {
  expect(await readsOf(command)).toBeLessThanOrEqual(readsMax);
});

it("one body is one read and one write to the socket, without a timer", async () => {
  await readsOf("NOOP");
  const [write, timer] = [vi.spyOn(net.Socket.prototype, "write"), vi.spyOn(globalThis, "setTimeout")];
  try {
    for (const number of [7, 8, 9]) {
      write.mockClear();
      const { reads, answer } = await costOf(`FETCH ${number} (BODY.PEEK[])`);
      expect(answer).toContain(`Subject: Hello ${number - 1}`);
      expect(reads).toBe(1);
      // The command of the client, and its answer.
      expect(write).toHaveBeenCalledTimes(2);
    }
    expect(timer.mock.calls.filter(([, ms = 0]) => ms > 1000)).toEqual([]);
  } finally {
    write.mockRestore();
    timer.mockRestore();
  }
});

it("SELECT waits for the store four times", async () => {
  await readsOf("NOOP");
  expect(await costOf("SELECT INBOX")).toMatchObject({ reads: 6, rounds: 4 });
});

it("SELECT gives a UIDNEXT above a message that comes after its mailbox was read", async () => {
  await readsOf("NOOP");
  let begun = 0;
  watched.onRead = async () => {
    // The mailbox's name, the position with the keywords, then the UIDs, which wait for the mailbox.
    if (++begun !== 4) return;
    const { reads } = watched;
    await vi.waitUntil(() => watched.reads > reads, 60_000);
    watched.onRead = undefined;
    await append(1);
  };
  const { answer } = await costOf("SELECT INBOX");
  const exists = Number(/^\* (\d+) EXISTS/m.exec(answer)?.[1]);
  expect(exists).toBe(messageCount + 1);
  expect(answer).toContain(`[UIDNEXT ${exists + 1}]`);
});
