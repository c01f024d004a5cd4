/** What `/v1` answers without being asked for less: of each kind of object and of each listing one answer as it is recorded, so that no change
 *  loses a member of it. Record again on purpose: WAYPOST_RECORD=1 npm test -- test/json/full-answers.test.ts */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { contentOfKind } from "#/protocols/json/contents.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

const folder = new URL("./golden/full/", import.meta.url);

let server: JsonServer;
const named: Record<string, string> = {};
let client: JsonServer["ada"]["client"];
const ok = (operation: string, input: object): Promise<Answer> => client.ok(operation, input);

const mail = `From: "Mel Ott" <mel@elsewhere.example>
To: ada@first.example, Bob <bob@first.example>
Cc: eve@second.example
Reply-To: office@elsewhere.example
Subject: Two files
Message-ID: <two-files@elsewhere.example>
In-Reply-To: <before@elsewhere.example>
References: <before@elsewhere.example>
Date: Mon, 5 Jan 2026 10:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=c

--c
Content-Type: text/plain; charset=utf-8

See the files, please.

> On Sunday somebody wrote:
> Send them.
--c
Content-Type: text/html; charset=utf-8

<p>See the <b>files</b>, please. <a href="https://shop.example/a">https://bank.example</a> <span style="display:none">unseen</span></p>
--c--
--b
Content-Type: text/csv; name="a.csv"
Content-Disposition: attachment; filename="a.csv"

1;2
--b
Content-Type: application/vnd.waypost.agent+json
Content-Disposition: attachment; filename="agent.json"

{"ask": "price"}
--b--
`;

const checks = {
  spf: { result: "pass", domain: "elsewhere.example" },
  dkim: [{ result: "fail", domain: "list.example" }],
  dmarc: { result: "pass", policy: "none" },
  iprev: { result: "pass" },
  reply_to: { covered: false },
};

beforeAll(async () => {
  server = await openJsonServer();
  const { ada, bob } = server;
  ({ client } = await server.token(ada, ["mail", "send", "calendar", "contacts", "raw"]));
  await server.administer("grant.create", {
    holder: ada.address,
    target: bob.address,
    scopes: ["mail", "calendar"],
  });
  named.message = await server.deliver(ada, mail, { isAuthenticated: true, checks });
  const body = { to: ["Bob <bob@first.example>"], subject: "Draft", text: "Half of it." };
  named.draft = (await ok("draft.create", { body })).ref;
  named.hold = (await ok("hold.create", { body: { ...body, subject: "May I?" } })).ref;
  const sent = await ok("send", { body: { ...body, subject: "Sent" } });
  named.sent = sent.ref;
  await server.deliverQueued();
  named.later = (
    await ok("send", { body: { ...body, subject: "Later" }, send_at: "2026-02-01T09:00:00Z" })
  ).ref;
  named.blob = (await ok("blob.create", { data: "MTsyCg==", type: "text/csv", name: "b.csv" })).ref;
  const day = (title: string, start: string, more = {}) => ({
    body: { title, start, timeZone: "Europe/Berlin", duration: "PT2H", ...more },
  });
  named.event = (
    await ok("event.create", {
      ...day("Review", "2026-01-14T10:00:00", {
        description: "With *everything*.",
        locations: ["Room 5"],
        alerts: ["-PT15M"],
        participants: ["Bob <bob@first.example>"],
        recurrenceRule: { frequency: "weekly", count: 2 },
      }),
      invite: "send",
    })
  ).ref;
  named.other = (await ok("event.create", day("Other", "2026-01-14T11:00:00"))).ref;
  named.contact = (
    await ok("contact.create", {
      body: {
        name: "Mel Ott",
        emails: ["mel@elsewhere.example"],
        phones: ["+49 30 1"],
        notes: { n1: { note: "Sells files." } },
      },
    })
  ).ref;
  const { content } = await ok("part.describe", { id: ada.id });
  named.calendar = content.calendars[0].id;
  named.addressbook = content.addressbooks[0].id;
  const described = (await ok("part.describe", { id: named.message })).content;
  named.folder = described.folder;
  named.thread = described.thread;
});
afterAll(() => server[Symbol.asyncDispose]());

type Asked = readonly [operation: string, input: () => object];

const part = (of: string, behind = "", more = {}): Asked => [
  "part.describe",
  () => ({ id: `${of === "agent" ? server.ada.id : named[of]}${behind}`, ...more }),
];
const list = (more: object | (() => object)): Asked => [
  "search",
  typeof more === "function" ? (more as () => object) : () => more,
];

/** Each with what is asked for it. */
const asked = Object.entries<Asked>({
  agent: part("agent"),
  folder: part("folder"),
  message: part("message"),
  "message-sent": part("sent"),
  "message-scheduled": part("later"),
  "message-source": part("message", "", { render: "source" }),
  "message-body": part("message", "#1.2"),
  "message-attachment": part("message", "#2"),
  "message-agent-part": part("message", "", { part: "agent" }),
  "message-headers": part("message", "", { render: "headers" }),
  "message-structure": part("message", "", { render: "structure" }),
  thread: part("thread"),
  draft: part("draft"),
  hold: part("hold"),
  blob: part("blob"),
  calendar: part("calendar"),
  "calendar-agenda": part("calendar", "", { render: "agenda" }),
  event: part("event"),
  "event-json": part("event", "", { render: "json" }),
  "event-ical": part("event", "", { render: "ical" }),
  "event-source": part("event", "", { render: "source" }),
  "event-instance": part("event", "#2026-01-14T10:00:00"),
  addressbook: part("addressbook"),
  contact: part("contact"),
  "contact-source": part("contact", "", { render: "source" }),
  "list-mail": list({ limit: 50 }),
  "list-mail-found": list({ q: "files" }),
  "list-mail-inbox": list({ folder: "inbox", unread: true }),
  "list-mail-waiting": list({ folder: "holds" }),
  "list-thread": list(() => ({ thread: named.thread })),
  "list-events": list(() => ({ in: named.calendar })),
  "list-contacts": list(() => ({ in: named.addressbook })),
  "list-busy": list({ kind: "freebusy", since: "2026-01-14T00:00:00Z", before: "2026-01-15T00:00:00Z" }),
  "list-free": list({
    kind: "freetime",
    duration: "PT1H",
    since: "2026-01-14T00:00:00Z",
    before: "2026-01-15T00:00:00Z",
  }),
  "list-month": ["calendarMonth.list", () => ({ month: "2026-01" })],
});

it.each(asked)(
  "is all that is recorded, without being asked and with detail full: %s",
  async (name, [operation, input]) => {
    const said = await ok(operation, input());
    expect(await ok(operation, { ...input(), detail: "full" })).toEqual(said);
    const shown = recorded(said);
    const file = new URL(`${name}.json`, folder);
    if (process.env.WAYPOST_RECORD === "1") writeFileSync(file, `${JSON.stringify(shown, null, 2)}\n`);
    expect(shown).toEqual(JSON.parse(readFileSync(file, "utf8")));
  },
);

it("is recorded of each kind, and nothing else is", () => {
  const kept = readdirSync(folder).filter((name) => name.endsWith(".json"));
  expect(kept.sort()).toEqual(asked.map(([name]) => `${name}.json`).sort());
  const kinds = new Set(kept.map((name) => JSON.parse(readFileSync(new URL(name, folder), "utf8")).kind));
  // Those two have goldens of their own.
  const others = ["grammar", "catalog"];
  expect([...kinds, ...others].sort()).toEqual(Object.keys(contentOfKind).sort());
});

/** An answer with what is by chance as numbers, in the order in which it comes. */
function recorded(answer: Answer): Answer {
  const seen = new Map<string, string>();
  const numbered = (kind: string) => (text: string) => {
    const known =
      seen.get(text) ??
      `${kind}_${[...seen.values()].filter((one) => one.startsWith(`${kind}_`)).length + 1}`;
    seen.set(text, known);
    return known;
  };
  const { content } = answer;
  const data =
    typeof content.data === "string" ? { data: Buffer.from(content.data, "base64").toString() } : {};
  const text = JSON.stringify({ ...answer, content: { ...content, ...data } })
    .replaceAll(/\b([a-z]+)_[0-9a-z]{26}\b/g, (id, kind: string) => numbered(kind)(id))
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered("uuid"))
    .replaceAll(/\b[0-9a-f]{64}\b/g, numbered("digest"))
    .replaceAll(/"(cursor|cursor_before)":"[^"]+"/g, '"$1":"cursor"')
    .replaceAll(/"version":"\d+"/g, '"version":"version"');
  return JSON.parse(text);
}
