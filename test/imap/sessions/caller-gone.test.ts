/** A command ends when its client disconnects: it reads nothing more from the store. */

import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { ConnectionClosed } from "#/protocols/connection/connection.ts";
import { commandSilenceMsMax } from "#/protocols/imap/limits.ts";
import { nobody } from "#/src/model/author.ts";
import { callerSignal } from "#/src/model/caller.ts";
import { type WatchedStore, watchStore } from "../../support/watched-store.ts";
import { type ImapServer, startImap } from "../server.ts";

let server: ImapServer;
let watched: WatchedStore;

beforeAll(async () => {
  server = await startImap({}, (store) => {
    watched = watchStore(store);
    return watched.store;
  });
  const { agent } = server.store.ids.decode(server.robin.id)!;
  const inbox = (await server.mail.findMailbox(agent, "INBOX"))!;
  const bytes = Buffer.from(
    `Subject: Hello\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from("words ".repeat(50_000)).toString("base64")}\r\n`,
  );
  const messages = Array.from({ length: 40 }, () => ({ bytes, flags: 0, keywords: [] }));
  await server.mail.appendMessages(nobody, agent, inbox.number, messages, { source: "imap" });
});
afterAll(async () => {
  watched.onRead = undefined;
  await server[Symbol.asyncDispose]();
});

const commands = [
  "SEARCH BODY nowhere",
  "SEARCH HEADER Subject nowhere",
  "SEARCH FUZZY TEXT {7+}\r\nno when",
  "SORT (SUBJECT) UTF-8 TEXT nowhere",
  "THREAD REFERENCES UTF-8 TEXT nowhere",
  "ESEARCH IN (personal) BODY nowhere",
  "FETCH 1:* (BODY.PEEK[])",
  "FETCH 1:* (BINARY.PEEK[1])",
  "FETCH 1:* (BINARY.SIZE[1])",
  "FETCH 1:* (PREVIEW)",
  "FETCH 1:* (BODY)",
  "STORE 1:* +FLAGS (told)",
  "UID COPY 1:* Archive",
  'LIST "" "*" RETURN (STATUS (MESSAGES SIZE DELETED))',
  'APPEND INBOX CATENATE (URL "/INBOX/;UID=1/;SECTION=TEXT" URL "/INBOX/;UID=2")',
];

it.each(commands)("ends %s when its client goes", async (command) => {
  const socket = await connect();
  const held = holdRead();
  socket.write(`c ${command}\r\n`);
  const caller = await held.caller;
  socket.resetAndDestroy();
  await vi.waitUntil(() => caller.aborted, { timeout: 60_000, interval: 5 });
  expect(caller.reason).toBeInstanceOf(ConnectionClosed);
  const reads = watched.reads;
  held.release();
  await settled();
  expect(watched.reads).toBe(reads);
});

it("notices that a client has closed its connection without LOGOUT", async () => {
  const socket = await connect();
  const held = holdRead();
  socket.write("c SEARCH BODY nowhere\r\n");
  const caller = await held.caller;
  socket.destroy();
  await vi.waitUntil(() => caller.aborted, { timeout: 60_000, interval: 20 });
  expect(caller.reason).toBeInstanceOf(ConnectionClosed);
  held.release();
});

it("ends the connection when a command sends nothing for too long", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const socket = await connect();
    let said = "";
    const ended = once(socket, "close");
    socket.on("data", (data: Buffer) => {
      said += data.toString("latin1");
    });
    const held = holdRead(10);
    socket.write("c SEARCH BODY nowhere\r\n");
    const caller = await held.caller;
    await vi.advanceTimersByTimeAsync(commandSilenceMsMax);
    expect(caller.aborted).toBe(true);
    // The work itself has not ended yet.
    await ended;
    expect(said.endsWith("* BYE [UNAVAILABLE] The command took too long\r\n")).toBe(true);
    held.release();
    await settled();
  } finally {
    vi.useRealTimers();
  }
});

/** A read of the next command waits until it is released. */
function holdRead(number = 2): { readonly caller: Promise<AbortSignal>; release(): void } {
  const held = Promise.withResolvers<AbortSignal>();
  const released = Promise.withResolvers<void>();
  let count = 0;
  watched.onRead = (): void | Promise<void> => {
    const signal = callerSignal();
    if (signal === undefined || ++count !== number) return;
    held.resolve(signal);
    return released.promise;
  };
  return { caller: held.promise, release: released.resolve };
}

/** Whatever would still go on has had its turns. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
}

async function connect(): Promise<net.Socket> {
  watched.onRead = undefined;
  const socket = net.connect({ port: server.port, host: "127.0.0.1" });
  socket.on("error", () => {});
  const say = async (line: string, end: string): Promise<void> => {
    let said = "";
    const heard = new Promise<void>((resolve) => {
      const listen = (data: Buffer): void => {
        said += data.toString("latin1");
        if (!said.includes(end)) return;
        socket.off("data", listen);
        resolve();
      };
      socket.on("data", listen);
    });
    if (line !== "") socket.write(line);
    await heard;
  };
  await say("", "ready\r\n");
  await say(`a LOGIN robin@example.test "${server.robin.password}"\r\n`, "a OK");
  await say("b SELECT INBOX\r\n", "b OK");
  return socket;
}
