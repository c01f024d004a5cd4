import { expect, test } from "vitest";
import { connectRawSmtp, type RawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms } from "./mail-rooms.ts";

async function atData(rooms: MailRooms): Promise<RawSmtp> {
  const client = await connectRawSmtp({ port: rooms.ports.smtp });
  await client.command("EHLO mx.outside.example");
  await client.command("MAIL FROM:<alice@outside.example>");
  await client.command("RCPT TO:<robin@waypost.example>");
  await client.command("DATA");
  return client;
}

test("answers 250 after the commit", async () => {
  await using rooms = await openMailRooms();
  await using client = await atData(rooms);
  const order: string[] = [];
  rooms.store.onCommit(() => order.push("commit"));
  const [reply] = await client.send(stuff("Subject: x\r\n\r\n"));
  order.push("reply");
  expect(reply).toMatch(/^250 /);
  expect(order).toEqual(["commit", "reply"]);
});

test("stores the current message when the port closes, and sends 421 to the other connections", async () => {
  await using rooms = await openMailRooms();
  await using idle = await connectRawSmtp({ port: rooms.ports.smtp });
  await using half = await atData(rooms);
  await half.send("Subject: half\r\n", 0);
  await using busy = await atData(rooms);
  const reply = busy.send(stuff(`Subject: last\r\n\r\n${"x".repeat(1_000_000)}\r\n`));
  // Only once it has been read is it being stored.
  const accepted = await reply;
  await Promise.all(rooms.listeners.map((listener) => listener.close()));
  expect(accepted[0]).toMatch(/^250 /);
  expect(await busy.reply()).toMatch(/^(?:421 4\.3\.2 |closed)/);
  expect(await idle.reply()).toMatch(/^421 4\.3\.2 /);
  expect(await half.reply()).toMatch(/^421 4\.3\.2 /);
  expect((await rooms.messages(rooms.agents.robin)).map(({ subject }) => subject)).toEqual(["last"]);
});

test("stores the messages of a hundred connections at the same time", async () => {
  await using rooms = await openMailRooms();
  const clients = await Promise.all(Array.from({ length: 100 }, () => atData(rooms)));
  const replies = await Promise.all(
    clients.map((client, index) =>
      client.send(stuff(`Subject: ${index}\r\n\r\n${"y".repeat(index * 997)}\r\n`)),
    ),
  );
  expect(replies.flat().every((reply) => reply.startsWith("250 "))).toBe(true);
  const subjects = (await rooms.messages(rooms.agents.robin)).map(({ subject }) => Number(subject));
  expect(subjects.sort((a, b) => a - b)).toEqual(clients.map((_, index) => index));
  for (const client of clients) client.destroy();
});

test("refuses a connection over the limit with 421", async () => {
  await using rooms = await openMailRooms({ smtp: { maxConnections: 2 } });
  await using first = await connectRawSmtp({ port: rooms.ports.smtp });
  await using second = await connectRawSmtp({ port: rooms.ports.smtp });
  await using third = await connectRawSmtp({ port: rooms.ports.smtp, isGreeted: false });
  expect(await third.reply()).toMatch(/^421 4\.7\.0 /);
  first.destroy();
  await second.command("NOOP");
});
