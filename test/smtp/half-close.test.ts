/** A peer that ends its side after its last command, and reads on (RFC 9293 section 3.6), gets an answer to everything that it has sent.
 *  Exim does so after a pipelined BDAT LAST and QUIT. */
import { once } from "node:events";
import net from "node:net";
import tls from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MailRooms, openMailRooms, password } from "./mail-rooms.ts";

let rooms: MailRooms;
beforeAll(async () => {
  rooms = await openMailRooms({});
});
afterAll(() => rooms[Symbol.asyncDispose]());

const outside = "alice@outside.example";
const alex = "alex@waypost.example";
const envelopeOf = (from: string): string => `MAIL FROM:<${from}>\r\nRCPT TO:<robin@waypost.example>\r\n`;
const messageOf = (from: string): string => `From: ${from}\r\nSubject: half closed\r\n\r\nhello\r\n`;

/** Everything that the server says from now on, when it has ended its side. */
async function restOf(socket: net.Socket): Promise<string> {
  let heard = "";
  socket.on("data", (piece: Buffer) => {
    heard += piece.toString("latin1");
  });
  await once(socket, "end");
  return heard;
}

async function open(): Promise<net.Socket> {
  const socket = net.connect({ port: rooms.ports.smtp, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "data");
  return socket;
}

async function openSecure(): Promise<net.Socket> {
  const plain = await open();
  plain.write("EHLO x.test\r\nSTARTTLS\r\n");
  for (let heard = ""; !/^220 /m.test(heard); ) heard += String((await once(plain, "data"))[0]);
  const secure = tls.connect({
    socket: plain,
    rejectUnauthorized: false,
    allowHalfOpen: true,
  } as tls.ConnectionOptions);
  await once(secure, "secureConnect");
  return secure;
}

/** TLS from the first octet, as on port 465, and a login. */
async function openSubmissions(): Promise<net.Socket> {
  const socket = tls.connect({
    port: rooms.ports.submissions,
    host: "127.0.0.1",
    rejectUnauthorized: false,
    allowHalfOpen: true,
  } as tls.ConnectionOptions);
  const login = Buffer.from(`\0${alex}\0${password}`).toString("base64");
  await once(socket, "data");
  socket.write(`EHLO x.test\r\nAUTH PLAIN ${login}\r\n`);
  for (let heard = ""; !/^235 /m.test(heard); ) heard += String((await once(socket, "data"))[0]);
  return socket;
}

const openers: [string, () => Promise<net.Socket>, string][] = [
  ["plain", open, outside],
  ["with STARTTLS", openSecure, outside],
  ["with TLS from the first octet", openSubmissions, alex],
];

test.each(openers)("answers a pipelined chunk and QUIT, %s", async (_, connect, from) => {
  const message = messageOf(from);
  const before = (await rooms.messages(rooms.agents.robin)).length;
  const socket = await connect();
  const rest = restOf(socket);
  socket.end(`EHLO x.test\r\n${envelopeOf(from)}BDAT ${message.length} LAST\r\n${message}QUIT\r\n`);
  expect(
    (await rest)
      .split("\r\n")
      .filter((line) => /^\d{3} /.test(line))
      .map((line) => line.slice(0, 3)),
  ).toEqual(["250", "250", "250", "250", "221"]);
  await rooms.deliverQueued();
  expect(await rooms.messages(rooms.agents.robin)).toHaveLength(before + 1);
  socket.destroy();
});

test.each(openers)("answers the end of DATA, and then ends the connection, %s", async (_, connect, from) => {
  const socket = await connect();
  socket.write(`EHLO x.test\r\n${envelopeOf(from)}DATA\r\n`);
  for (let heard = ""; !/^354 /m.test(heard); ) heard += String((await once(socket, "data"))[0]);
  const rest = restOf(socket);
  socket.end(`${messageOf(from)}.\r\n`);
  expect(await rest).toMatch(/^250 2\.6\.0 .*\r\n$/);
  socket.destroy();
});

test("ends the connection of a peer that ends its side in the middle of a message", async () => {
  const before = (await rooms.messages(rooms.agents.robin)).length;
  const socket = await open();
  const rest = restOf(socket);
  socket.end(`EHLO x.test\r\n${envelopeOf(outside)}BDAT 1000 LAST\r\nnot all`);
  expect((await rest).trimEnd().split("\r\n").at(-1)).toMatch(/^250 2\.1\.5 /);
  expect(await rooms.messages(rooms.agents.robin)).toHaveLength(before);
  socket.destroy();
});

test("ends the connection of a peer that ends its side in the middle of a handshake", async () => {
  const socket = await open();
  socket.write("EHLO x.test\r\nSTARTTLS\r\n");
  for (let heard = ""; !/^220 /m.test(heard); ) heard += String((await once(socket, "data"))[0]);
  socket.on("data", () => {});
  socket.end();
  await once(socket, "close");
  expect(socket.destroyed).toBe(true);
});
