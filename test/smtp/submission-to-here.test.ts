/** What a person submits to mailboxes here asks the same lists and limits as mail that leaves. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { type MailRooms, openMailRooms, password } from "./mail-rooms.ts";

let rooms: MailRooms;
beforeAll(async () => {
  rooms = await openMailRooms({ limits: { sendsPerHour: 3 } });
});
afterAll(async () => {
  await rooms[Symbol.asyncDispose]();
});

const alex = "alex@waypost.example";

async function submit(to: string): Promise<string> {
  await using client = await connectRawSmtp({ port: rooms.ports.submissions, isTls: true });
  await client.command("EHLO laptop");
  const secret = Buffer.from(`\0${alex}\0${password}`).toString("base64");
  expect(await client.command(`AUTH PLAIN ${secret}`)).toMatch(/^235 /);
  await client.command(`MAIL FROM:<${alex}>`);
  await client.command(`RCPT TO:<${to}>`);
  await client.command("DATA");
  return (await client.send(stuff(`From: ${alex}\r\nTo: ${to}\r\nSubject: to here\r\n\r\nHello.\r\n`)))[0]!;
}

const arrived = async () =>
  (await rooms.messages(rooms.agents.robin)).filter(({ subject }) => subject === "to here").length;

test("the limits of the mailbox count it, and a mailbox that is paused sends none", async () => {
  const robin = "robin@waypost.example";
  const become = (state: "paused" | "active") =>
    rooms.store.write(nobody, "setAgentState", { agent: rooms.agents.alex, state, by: "operator", at: 0 });
  expect(await submit(robin)).toMatch(/^250 /);
  await become("paused");
  expect(await submit(robin)).toMatch(/^[45]\d\d /);
  await become("active");
  expect(await submit(robin)).toMatch(/^250 /);
  expect(await submit(robin)).toMatch(/^250 /);
  expect(await submit(robin)).toMatch(/^4\d\d /);
  expect(await arrived()).toBe(3);
});
