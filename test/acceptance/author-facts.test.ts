/** Who an author is and is not, from SMTP to an answer over `/v1`, MCP and the typed client: on both engines. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { createClient } from "#/src/client/client.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { httpClient } from "../support/clients/http.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type DnsServer, sendersFromHere, startDnsServer } from "../support/servers/dns-server.ts";
import { unmarked } from "../support/unmarked.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

let names: DnsServer;
let daemon: InProcessDaemon;
let contact: string;
const call = (operation: string, input: object, token = daemon.agents[0]!.token): Promise<Answer> =>
  httpClient(daemon.http.url, token).ok(operation, input);
const administrate = (name: string, input: unknown): Promise<Answer> =>
  administer(atCommandLine, daemon.daemon.house, name, input) as Promise<Answer>;

beforeAll(async () => {
  names = await startDnsServer(
    sendersFromHere("brandkontor.example", "brandkontcr.example", "other.example", "honest.example"),
  );
  daemon = await startInProcessDaemon({ set: [`dns.servers=${names.address}`] });
  const [agent] = daemon.agents;
  const [person] = daemon.people;
  await administrate("grant.create", {
    holder: person!.address,
    target: agent!.address,
    scopes: ["contacts"],
  });
  const { agent: id } = await call("health", {});
  const { addressbooks } = (await call("part.describe", { id })).content;
  const card =
    "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:o\r\nFN:Ottilie Brand\r\nEMAIL:ottilie@brandkontor.example\r\nEND:VCARD\r\n";
  const put = await fetch(`${daemon.http.url}/dav/addressbooks/${id}/${addressbooks[0].id}/o.vcf`, {
    method: "PUT",
    headers: {
      Authorization: `Basic ${Buffer.from(`${person!.address}:${person!.password}`).toString("base64")}`,
      "Content-Type": "text/vcard",
    },
    body: card,
  });
  expect(put.status).toBe(201);
  contact = (await call("search", { in: addressbooks[0].id })).content.items[0].id;
  // What an agent writes is no reference.
  await call("contact.create", { body: { name: "Poisoned Name", emails: ["poison@honestly.example"] } });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
});

let count = 0;
async function factsOf(from: string): Promise<Answer> {
  const subject = `mail ${++count}`;
  const transport = createTransport({ ...daemon.smtp, tls: { rejectUnauthorized: false } });
  await transport.sendMail({ from, to: daemon.agents[0]!.address, subject, text: "Hello." });
  transport.close();
  const [item] = (await call("search", { limit: 1 })).content.items;
  expect(item.subject).toBe(subject);
  const { content } = await call("part.describe", { id: item.id });
  expect(content.author_facts).toEqual(item.author_facts);
  return item.author_facts;
}

it.each([
  ["a contact", "Ottilie Brand <ottilie@brandkontor.example>", () => ({ known: true, contact })],
  ["nobody in particular", "Anna <anna@honest.example>", () => ({ known: false })],
  [
    "the name of a contact at another address",
    "OTTILIE  Bränd <office@other.example>",
    () => ({ known: false, resembles: [{ by: "name", contact }] }),
  ],
  [
    "a domain one letter from that of a contact",
    "Office <office@brandkontcr.example>",
    () => ({ known: false, resembles: [{ by: "address", contact }] }),
  ],
  [
    "an address one letter from that of a contact",
    "Office <ottille@brandkontor.example>",
    () => ({ known: false, resembles: [{ by: "address", contact }] }),
  ],
  ["a colleague of a contact", "Bernd <bernd@brandkontor.example>", () => ({ known: false })],
  ["a name that an agent wrote", "Poisoned Name <x@honest.example>", () => ({ known: false })],
  ["a domain like one that an agent wrote", "X <x@honestlv.example>", () => ({ known: false })],
])("tells of %s", async (_, from, expected) => {
  expect(await factsOf(from)).toEqual(expected());
});

it("is not known when it is not authenticated", async () => {
  // This domain does not name the host that sends.
  await call("search", { limit: 1 });
  const facts = await factsOf("Ottilie Brand <ottilie@unknown.example>");
  expect(facts).toEqual({ known: false, resembles: [{ by: "name", contact }] });
});

it("names no contact to a credential that reads none, and is the same over MCP and by the typed client", async () => {
  const expected = await factsOf("Ottilie Brand <again@other.example>");
  const { token } = await administrate("token.create", {
    agent: daemon.agents[0]!.address,
    name: "mail alone",
    scopes: ["mail:read"],
  });
  const [item] = (await call("search", { limit: 1 }, token)).content.items;
  expect(item.author_facts).toEqual({ known: false, resembles: [{ by: "name" }] });
  const own = daemon.agents[0]!.token;
  const typed = await createClient({ url: daemon.http.url, token: own }).call("search", { limit: 1 });
  expect((typed.content as Answer).items[0].author_facts).toEqual(expected);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${daemon.http.url}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${own}` } },
    }),
  );
  const { content } = await client.callTool({ name: "search", arguments: { limit: 1 } });
  expect(unmarked((content as Answer)[0].text).content.items[0].author_facts).toEqual(expected);
  await client.close();
});

it("says nothing of mail that did not come from another server", async () => {
  const { message } = await call("draft.create", {
    body: { to: ["ottilie@brandkontor.example"], subject: "Draft", text: "Hello." },
  });
  expect((await call("part.describe", { id: message })).content.author_facts).toBeUndefined();
});
