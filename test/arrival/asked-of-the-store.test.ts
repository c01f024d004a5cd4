/** What the main thread reads of the store for a mail that comes in: after each commit a read costs as much as the rest of the envelope. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type DnsServer, sendersFromHere, startDnsServer } from "../support/servers/dns-server.ts";
import { noteStoreQuestions } from "../support/store-questions.ts";

let names: DnsServer;
let daemon: InProcessDaemon;
/** Statements and writes for the client whose message is received, without the server's own. */
const asked: string[] = [];

beforeAll(async () => {
  names = await startDnsServer(sendersFromHere("one.example", "other.example"));
  daemon = await startInProcessDaemon({ set: [`dns.servers=${names.address}`] });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
});

beforeEach(() => {
  asked.length = 0;
  noteStoreQuestions(asked);
});

it.each([
  ["an author", "Anna Ost <anna@one.example>"],
  ["the same author", "Anna Ost <anna@one.example>"],
  ["the same author again", "Anna Ost <anna@one.example>"],
  ["another author of the domain", "Bert West <bert@one.example>"],
  ["an author of another domain", "Carla Nord <carla@other.example>"],
])("writes once and reads nothing after the last octet of a mail of %s", async (_, from) => {
  const transport = createTransport({ ...daemon.smtp, tls: { rejectUnauthorized: false } });
  const to = daemon.agents[0]!.address;
  await transport.sendMail({ from, to, replyTo: "office@other.example", text: "Hello." });
  transport.close();
  expect(asked).toEqual(["deliverMessage"]);
});
