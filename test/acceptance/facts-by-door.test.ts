/** What is told of the author of a mail (`authenticated`, who it may be taken for, its Reply-To) is the same at each door that tells it:
 *  each operation whose answer has such a member, over `/v1`, MCP and the typed client; and the events of a webhook. */
import { readFileSync } from "node:fs";
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { doorNames, openThreeDoors, type ThreeDoors } from "../support/clients/three-doors.ts";
import { type InProcessDaemon, manyRequests, startInProcessDaemon } from "../support/daemon.ts";
import { type DnsServer, sendersFromHere, startDnsServer } from "../support/servers/dns-server.ts";
import { openWebhookReceiver, type WebhookReceiver } from "../support/servers/webhook-receiver.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

const authors: Readonly<Record<string, { readonly from: string; readonly replyTo?: string }>> = {
  "a contact": { from: "Ottilie Brand <ottilie@brandkontor.example>" },
  "a contact whom somebody forges": { from: "Ottilie Brand <ottilie@forged.example>" },
  "the name of a contact": { from: "Ottilie Brand <office@other.example>" },
  "a domain like that of a contact": { from: "Office <office@brandkontcr.example>" },
  "a Reply-To like a contact": {
    from: "Anna <anna@honest.example>",
    replyTo: "Office <office@brandkontcr.example>",
  },
  "nobody in particular": { from: "Anna <anna@other.example>" },
};

let names: DnsServer;
let daemon: InProcessDaemon;
let receiver: WebhookReceiver;
let doors: ThreeDoors;
let cursor: string;
/** By author. */
const mails: Record<string, string> = {};
const holds: Record<string, string> = {};

beforeAll(async () => {
  names = await startDnsServer(
    sendersFromHere("brandkontor.example", "brandkontcr.example", "other.example", "honest.example"),
  );
  receiver = await openWebhookReceiver();
  daemon = await startInProcessDaemon({
    set: [
      `dns.servers=${names.address}`,
      "webhooks.allow_private_addresses=true",
      "outbound.smarthost_host=127.0.0.1",
      ...manyRequests,
    ],
  });
  const [agent] = daemon.agents;
  const [person] = daemon.people;
  const operate = (name: string, input: Record<string, unknown>) =>
    administer(atCommandLine, daemon.daemon.house, name, input);
  await operate("grant.create", { holder: person!.address, target: agent!.address, scopes: ["contacts"] });
  await operate("webhook.add", { owner: agent!.address, url: receiver.url });
  doors = await openThreeDoors(daemon.http.url, agent!.token);
  const { addressbooks } = (await doors.v1("part.describe", { id: agent!.id })).content;
  const card =
    "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:o\r\nFN:Ottilie Brand\r\nEMAIL:ottilie@brandkontor.example\r\nEND:VCARD\r\n";
  const put = await davClient(daemon.http.url, basic(person!.address, person!.password)).request(
    "PUT",
    `/dav/addressbooks/${agent!.id}/${addressbooks[0].id}/o.vcf`,
    card,
    { "Content-Type": "text/vcard" },
  );
  expect(put.status).toBe(201);
  ({ cursor } = await doors.v1("wait", {}));
  const transport = createTransport({ ...daemon.smtp, tls: { rejectUnauthorized: false } });
  for (const [name, { from, replyTo }] of Object.entries(authors)) {
    const organizer = /<(.*)>/.exec(from)![1]!;
    const content = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:${name}\r\nDTSTAMP:20260101T000000Z\r\nDTSTART:20270110T100000Z\r\nSUMMARY:x\r\nORGANIZER:mailto:${organizer}\r\nATTENDEE:mailto:${agent!.address}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
    await transport.sendMail({
      ...{ from, replyTo, to: agent!.address, subject: name, text: "Hello." },
      icalEvent: { method: "REQUEST", content },
    });
    const [item] = (await doors.v1("search", { folder: "inbox", limit: 1 })).content.items;
    expect(item.subject).toBe(name);
    mails[name] = item.id;
    const { hold } = await doors.v1("send", { body: { in_reply_to: item.id, text: "Yes." }, hold: "always" });
    holds[name] = hold;
  }
  transport.close();
});
afterAll(async () => {
  await doors?.[Symbol.asyncDispose]();
  await daemon?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
  await names?.[Symbol.asyncDispose]();
});

const told = ({ author_facts, reply_to_facts, provenance }: Answer) => ({
  author_facts,
  reply_to_facts,
  authenticated: provenance?.authenticated,
});
const isOf = (name: string) => (item: Answer) => item.uid === name || item.subject === name;
const eventOf = async (door: (typeof doorNames)[number], name: string) =>
  (await doors[door]("calendarMonth.list", { month: "2027-01" })).content.items.find(isOf(name));

/** Each place by an operation: what it tells of the mail of an author; undefined where it tells nothing of it. */
const places: Readonly<
  Record<
    string,
    Readonly<Record<string, (door: (typeof doorNames)[number], name: string) => Promise<Answer>>>
  >
> = {
  search: {
    "an item of a folder": async (door, name) =>
      (await doors[door]("search", { folder: "inbox", limit: 100 })).content.items.find(isOf(name)),
    "a full item": async (door, name) =>
      (await doors[door]("search", { folder: "inbox", limit: 100, detail: "full" })).content.items.find(
        isOf(name),
      ),
  },
  "part.describe": {
    "a mail": async (door, name) => {
      const { content, provenance } = await doors[door]("part.describe", { id: mails[name]! });
      return { ...content, provenance };
    },
    "a full mail": async (door, name) => {
      const { content, provenance } = await doors[door]("part.describe", {
        id: mails[name]!,
        detail: "full",
      });
      return { ...content, provenance };
    },
    "a hold of an answer": async (door, name) => {
      const { content } = await doors[door]("part.describe", { id: holds[name]! });
      return content;
    },
    "an event that came by it": async (door, name) => {
      const event = await eventOf(door, name);
      if (event === undefined) return undefined;
      const { content, provenance } = await doors[door]("part.describe", { id: event.id });
      return { ...content, provenance };
    },
  },
  "calendarMonth.list": { "an event that came by it": eventOf },
  wait: {
    "the event of its arrival": async (door, name) => {
      const { events } = await doors[door]("wait", { cursor });
      return events.find(({ message }: Answer) => message === mails[name]);
    },
  },
};

/** What has no other door than its own. */
const apart: Readonly<Record<string, string>> = {
  watch: "a stream: its events are those of wait (`test/acceptance/event-authors.test.ts`)",
};

const rows = Object.entries(places).flatMap(([operation, of]) =>
  Object.keys(of).flatMap((place) => doorNames.map((door) => ({ operation, place, door }))),
);

it.each(rows)("$operation, $place, over $door", async ({ operation, place, door }) => {
  for (const name of Object.keys(authors)) {
    const whole = told(await places["part.describe"]!["a full mail"]!("v1", name));
    const found = await places[operation]![place]!(door, name);
    // Only an authenticated invitation is put into the calendar.
    if (found === undefined) {
      expect([name, place, whole.authenticated]).toEqual([name, "an event that came by it", false]);
      continue;
    }
    const here = told(found);
    if (place !== "the event of its arrival")
      expect([name, here.author_facts]).toEqual([name, whole.author_facts]);
    if (!place.includes("event") && !place.includes("hold"))
      expect([name, here.reply_to_facts]).toEqual([name, whole.reply_to_facts]);
    if (here.authenticated !== undefined)
      expect([name, here.authenticated]).toEqual([name, whole.authenticated]);
  }
});

it("finds the same look-alikes at each door as their items tell", async () => {
  const like = [];
  for (const name of Object.keys(authors)) {
    const { author_facts, reply_to_facts } = told(await places.search!["an item of a folder"]!("v1", name));
    if (author_facts?.resembles !== undefined || reply_to_facts?.resembles !== undefined) like.push(name);
  }
  expect(like.length).toBeGreaterThan(2);
  for (const door of doorNames) {
    const { items } = (await doors[door]("search", { resembles: true, folder: "inbox" })).content;
    expect(items.map(({ subject }: Answer) => subject).toSorted()).toEqual(like.toSorted());
  }
});

it("tells a webhook of each arrival whether its author is authenticated, as wait does", async () => {
  const { events } = await doors.v1("wait", { cursor });
  const arrived = (all: Answer[]) =>
    all
      .filter(({ type }) => type === "mail.received")
      .map(({ message, provenance }) => [message, provenance?.authenticated] as const);
  const heard = () =>
    arrived(receiver.requests.flatMap(({ body }) => (JSON.parse(body) as Answer).data.events as Answer[]));
  await expect
    .poll(() => heard().length, { timeout: 60_000 })
    .toBeGreaterThanOrEqual(Object.keys(authors).length);
  expect(new Map(heard())).toEqual(new Map(arrived(events)));
});

it("has every operation whose answer tells of authors", () => {
  const golden = JSON.parse(
    readFileSync(new URL("../json/golden/openapi.json", import.meta.url), "utf8"),
  ) as Answer;
  const tells = (part: Answer, seen: ReadonlySet<string>): boolean => {
    if (part === null || typeof part !== "object") return false;
    const name = typeof part.$ref === "string" ? (part.$ref as string).split("/").at(-1)! : undefined;
    if (name !== undefined)
      return !seen.has(name) && tells(golden.components.schemas[name], new Set([...seen, name]));
    return Object.entries(part).some(
      ([key, value]) => key === "author_facts" || key === "authenticated" || tells(value, seen),
    );
  };
  const operations = Object.entries<Answer>(golden.paths)
    .filter(([, { post, get }]) => tells((post ?? get).responses[200], new Set()))
    .map(([path]) => path.replace("/v1/", ""))
    // Their answers have the envelope of every answer.
    .filter((name) => !["help.describe", "catalog.describe"].includes(name));
  expect(operations.toSorted()).toEqual([...Object.keys(places), ...Object.keys(apart)].toSorted());
});
