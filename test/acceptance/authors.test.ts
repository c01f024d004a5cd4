/** Every door writes its author into the change log: each kind of change is made through each door that offers it, and the log names
 *  the credential, the door and the request. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { MethodName } from "#/protocols/dav/methods/registry.ts";
import { commands } from "#/protocols/imap/commands/index.ts";
import type { Write } from "#/protocols/json/registry.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { type AuthorKind, atCommandLine, type Door, doors } from "#/src/model/author.ts";
import type { ChangeKind, ChangeOperation } from "#/src/model/changes.ts";
import { fieldOf, openBrowser } from "../support/clients/browser.ts";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { httpClient } from "../support/clients/http.ts";
import { connectRawImap, type RawImap } from "../support/clients/raw-imap.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { eventText } from "../support/item-texts.ts";

interface Made {
  readonly ref: string;
  readonly version: string;
  readonly message: string;
}

interface Shown {
  readonly position: number;
  readonly by: { readonly kind: AuthorKind; readonly address?: string; readonly name?: string };
  readonly door?: Door;
  readonly request?: string;
  readonly deleted?: readonly string[];
  readonly changes: readonly string[];
}

let server: InProcessDaemon;
let imap: RawImap;
beforeAll(async () => {
  server = await startInProcessDaemon({ set: ["outbound.smarthost_host=127.0.0.1"] });
  imap = await connectRawImap(server.imap);
  const [agent] = server.agents;
  await command(`LOGIN ${agent!.address} ${agent!.password}`);
});
afterAll(async () => {
  await imap[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function command(text: string): Promise<void> {
  expect((await imap.command(text)).status, text).toMatch(/^OK/);
}

const owner = () => server.agents[0]!;

async function logSince(position: number, input: Record<string, unknown> = {}): Promise<readonly Shown[]> {
  const { changes } = (await administer(atCommandLine, server.daemon.house, "log.show", {
    owner: owner().address,
    limit: 100,
    ...input,
  })) as { changes: readonly Shown[] };
  return changes.filter((change) => change.position > position);
}

/** What `work` adds to the log; `work` answers the id of its request where it knows it. */
async function added(
  work: () => Promise<string | undefined>,
): Promise<{ rows: readonly Shown[]; request: string | undefined }> {
  const before = (await logSince(0, { limit: 1 }))[0]?.position ?? 0;
  const request = await work();
  return { request, rows: await logSince(before) };
}

interface Answered {
  readonly request: string;
  readonly made: Made;
}

async function v1(operation: string, input: Record<string, unknown>): Promise<Answered> {
  const { request, text } = await post(`/v1/${operation}`, input);
  return { request, made: JSON.parse(text) };
}

async function mcp(operation: string, input: Record<string, unknown>): Promise<Answered> {
  const params = { name: operation.replaceAll(".", "_"), arguments: input };
  const { request, text } = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const { result } = JSON.parse(/^data: (.*)$/m.exec(text)![1]!);
  expect(result.isError, text).not.toBe(true);
  return { request, made: JSON.parse(result.content[0].text) };
}

async function post(
  path: string,
  body: object,
): Promise<{ readonly request: string; readonly text: string }> {
  const answer = await fetch(`${server.http.url}${path}`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${owner().token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return { request: answer.headers.get("x-request-id")!, text };
}

const mail = "Subject: hello\r\nFrom: x@elsewhere.example\r\n\r\ntext\r\n";

/** What the operations have answered, by their names. */
type Answers = Readonly<Record<string, Made>>;
interface Change {
  /** Names what earlier ones have made. */
  readonly input: (made: Answers) => Record<string, unknown>;
  readonly change: `${ChangeKind} ${ChangeOperation}`;
}

let count = 0;
const body = () => ({ to: ["new@elsewhere.example"], subject: `s${count++}`, text: "t" });
const change = (of: string, latest: string = of, more: object = {}): Change["input"] => {
  return (made) => ({ id: made[of]!.ref, version: made[latest]!.version, ...more });
};

/** Every operation that writes, in an order in which each finds what it names. */
const operations: Readonly<Record<Write["name"], Change>> = {
  "folder.create": { input: () => ({ path: `One ${count++}` }), change: "mailbox add" },
  "folder.update": {
    input: (made) => change("folder.create", "folder.create", { path: `Two ${count++}` })(made),
    change: "mailbox update",
  },
  "draft.create": { input: () => ({ body: body() }), change: "entry add" },
  "message.update": {
    input: (made) => ({ id: made["draft.create"]!.message, flagged: true }),
    change: "entry update",
  },
  "draft.update": {
    input: (made) => ({ ...change("draft.create")(made), body: body() }),
    change: "entry add",
  },
  "draft.delete": { input: change("draft.create", "draft.update"), change: "entry remove" },
  "blob.create": { input: () => ({ data: "aGVsbG8=" }), change: "upload add" },
  "blob.delete": { input: change("blob.create"), change: "upload remove" },
  send: { input: () => ({ body: body(), send_at: inAnHour() }), change: "entry add" },
  "message.delete": { input: change("send"), change: "entry remove" },
  "hold.create": { input: () => ({ body: body() }), change: "entry add" },
  "hold.update": {
    input: (made) => ({ id: made["hold.create"]!.ref, version: made["hold.create"]!.version, body: body() }),
    change: "entry add",
  },
  "hold.delete": { input: change("hold.create", "hold.update"), change: "entry remove" },
  "calendar.create": { input: () => ({ name: "Work" }), change: "collection add" },
  "calendar.update": {
    input: change("calendar.create", "calendar.create", { name: "Play" }),
    change: "collection update",
  },
  "event.create": {
    input: (made) => ({
      in: made["calendar.create"]!.ref,
      body: { title: "t", start: "2026-11-01T10:00:00" },
    }),
    change: "item add",
  },
  "event.update": {
    input: change("event.create", "event.create", { patch: { title: "u" } }),
    change: "item update",
  },
  "event.delete": { input: change("event.create", "event.update"), change: "item remove" },
  "calendar.delete": { input: change("calendar.create", "calendar.update"), change: "collection remove" },
  "addressbook.create": { input: () => ({ name: "Friends" }), change: "collection add" },
  "addressbook.update": {
    input: change("addressbook.create", "addressbook.create", { name: "Others" }),
    change: "collection update",
  },
  "contact.create": {
    input: (made) => ({ in: made["addressbook.create"]!.ref, body: { name: { full: "Lee" } } }),
    change: "item add",
  },
  "contact.update": {
    input: change("contact.create", "contact.create", { patch: { "name/full": "Kim" } }),
    change: "item update",
  },
  "contact.delete": { input: change("contact.create", "contact.update"), change: "item remove" },
  "addressbook.delete": {
    input: change("addressbook.create", "addressbook.update"),
    change: "collection remove",
  },
  "folder.delete": { input: change("folder.create", "folder.update"), change: "mailbox remove" },
};

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** The changes of one kind, without how many. */
const kindsOf = ({ changes }: Shown) => changes.map((one) => one.replace(/ \d+$/, ""));

describe.each([
  ["v1", v1],
  ["mcp", mcp],
] as const)("over %s", (door, call) => {
  const made: Record<string, Made> = {};
  it.each(Object.entries(operations))("%s", async (operation, { input, change }) => {
    const { rows, request } = await added(async () => {
      const answered = await call(operation, input(made));
      made[operation] = answered.made;
      return answered.request;
    });
    const by = { kind: "token", address: owner().address, credential: expect.any(Number), name: "first" };
    const mine = rows.filter(({ by }) => by.kind !== "server");
    expect(mine).toMatchObject([{ by, door, request }]);
    expect(kindsOf(mine[0]!)).toContain(change);
  });
});

const overImap: readonly (readonly [command: string, change: string])[] = [
  ["CREATE Box", "mailbox add 1"],
  [`APPEND INBOX {${mail.length}+}\r\n${mail}`, "entry add 1"],
  ["SUBSCRIBE Box", "mailbox update 1"],
  ["UNSUBSCRIBE Box", "mailbox update 1"],
  ["SELECT INBOX", ""],
  ["STORE 1 +FLAGS (\\Flagged)", "entry update 1"],
  ["FETCH 1 BODY[]", "entry update 1"],
  ["COPY 1 Box", "entry add 1"],
  ["MOVE 1 Box", "entry remove 1"],
  ["SELECT Box", ""],
  ["STORE 1 +FLAGS (\\Deleted)", "entry update 1"],
  ["EXPUNGE", "entry remove 1"],
  [`REPLACE 1 Box {${mail.length}+}\r\n${mail}`, "entry add 1"],
  ["STORE 1 +FLAGS (\\Deleted)", "entry update 1"],
  ["CLOSE", "entry remove 1"],
  ['SETMETADATA Box (/shared/comment "x")', "metadata update 1"],
  ["RENAME Box Case", "mailbox update 1"],
  ["DELETE Case", "mailbox remove 1"],
];

it("has every command of IMAP that writes", () => {
  const tried = overImap.map(([text]) => text.split(" ")[0]!);
  const writing = commands.filter(({ isWrite }) => isWrite === true).map(({ name }) => name);
  expect(writing.filter((name) => !tried.includes(name))).toEqual([]);
});

it.each(overImap)("%s over IMAP", async (text, change) => {
  const { rows } = await added(async () => void (await command(text)));
  if (change === "") return void expect(rows).toEqual([]);
  const by = { kind: "password", address: owner().address, name: "first" };
  expect(rows).toMatchObject([{ by, door: "imap", request: expect.stringMatching(/^[0-9a-f]{13}$/) }]);
  expect(rows[0]!.changes).toContain(change);
});

const propertyUpdate = `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">y</x></D:prop></D:set></D:propertyupdate>`;

interface OverDav {
  readonly path: string;
  readonly body?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly change: `${ChangeKind} ${ChangeOperation}`;
}

/** Every method, in an order in which each finds what it is about; or why it changes nothing. */
const overDav: Readonly<Record<MethodName, "reads" | "locks" | "is refused" | readonly OverDav[]>> = {
  OPTIONS: "reads",
  GET: "reads",
  HEAD: "reads",
  PROPFIND: "reads",
  REPORT: "reads",
  // Access is given by grants.
  ACL: "is refused",
  // Locks are in memory.
  LOCK: "locks",
  UNLOCK: "locks",
  MKCALENDAR: [{ path: "calendars/{}/made/", change: "collection add" }],
  MKCOL: [{ path: "files/{}/folder/", change: "file add" }],
  PUT: [
    { path: "calendars/{}/made/a.ics", body: eventOf("a"), change: "item add" },
    { path: "calendars/{}/made/a.ics", body: eventOf("a", "SUMMARY:other"), change: "item update" },
    { path: "files/{}/a.txt", body: "text", change: "file add" },
  ],
  POST: [
    {
      path: "calendars/{}/made/",
      body: eventOf("b"),
      fields: { "Content-Type": "text/calendar" },
      change: "item add",
    },
  ],
  PROPPATCH: [
    { path: "calendars/{}/made/", body: propertyUpdate, change: "collection update" },
    { path: "files/{}/a.txt", body: propertyUpdate, change: "file update" },
  ],
  COPY: [{ path: "files/{}/a.txt", fields: { Destination: "files/{}/b.txt" }, change: "file add" }],
  MOVE: [
    {
      path: "calendars/{}/made/a.ics",
      fields: { Destination: "calendars/{}/made/c.ics" },
      change: "item add",
    },
    { path: "files/{}/b.txt", fields: { Destination: "files/{}/c.txt" }, change: "file update" },
  ],
  DELETE: [
    { path: "calendars/{}/made/c.ics", change: "item remove" },
    { path: "calendars/{}/made/", change: "collection remove" },
    { path: "files/{}/folder/", change: "file remove" },
  ],
};

const davChanges = Object.entries<string | readonly OverDav[]>(overDav).flatMap(([method, list]) =>
  typeof list === "string" ? [] : list.map((one) => [method, one.path, one] as const),
);

function eventOf(uid: string, ...lines: string[]): string {
  return eventText(uid, ...lines).toString();
}

it.each(davChanges)("%s %s over DAV", async (method, _path, { path, body, fields = {}, change }) => {
  const { id, address, password } = owner();
  const client = davClient(server.http.url, basic(address, password));
  const hrefOf = (place: string) => `/dav/${place.replace("{}", id)}`;
  const { Destination: to, ...others } = fields;
  const sent = to === undefined ? others : { ...others, Destination: `${server.http.url}${hrefOf(to)}` };
  const { rows, request } = await added(async () => {
    const { status, headers } = await client.request(method, hrefOf(path), body, sent);
    expect(status).toBeLessThan(300);
    return headers["x-request-id"];
  });
  expect(rows).toMatchObject([{ by: { kind: "password", address, name: "first" }, door: "dav", request }]);
  expect(kindsOf(rows[0]!)).toContain(change);
});

it("a decision in the pages", async () => {
  const [person] = server.people;
  const { made } = await v1("send", { body: body(), hold: "always" });
  const { hold } = made as Made & { readonly hold: string };
  const browser = openBrowser(server.http.url.replace("127.0.0.1", "localhost"));
  await browser.post("/sign-in", { address: person!.address, password: person!.password });
  const { rows } = await added(async () => {
    const version = fieldOf(await browser.get(`/approvals/${hold}`), "version");
    const fields = { version, act: "decline", password: person!.password };
    expect((await browser.post(`/approvals/${hold}/decide`, fields)).status).toBe(200);
    return undefined;
  });
  expect(rows).toMatchObject([
    { by: { kind: "session", address: person!.address }, door: "pages", request: expect.stringMatching(/./) },
  ]);
});

it("a submission over SMTP", async () => {
  const { address, password } = owner();
  const transport = createTransport({
    ...server.submission,
    auth: { user: address, pass: password },
    tls: { rejectUnauthorized: false },
  });
  const { rows } = await added(async () => {
    await transport.sendMail({ from: address, to: "newer@elsewhere.example", subject: "s", text: "t" });
    return undefined;
  });
  transport.close();
  expect(rows.filter(({ by }) => by.kind !== "server")).toMatchObject([
    {
      by: { kind: "password", address, name: "first" },
      door: "submission",
      request: expect.stringMatching(/^[0-9a-f]{13}$/),
    },
  ]);
});

it("an operator at the command line and over HTTP", async () => {
  const { house } = server.daemon;
  const locally = (operation: string, input: Record<string, unknown>) =>
    runPrivateOperation(house, {
      operation,
      input,
      signal: new AbortController().signal,
      onProgress() {},
      onFrame() {},
    });
  const pause = await added(async () => void (await locally("agent.pause", { owner: owner().address })));
  expect(pause.rows).toMatchObject([{ by: { kind: "operator" }, door: "command" }]);
  const { token, number } = (await locally("operator.create", { name: "platform" })) as {
    token: string;
    number: number;
  };
  const resume = await added(async () => {
    const { headers } = await httpClient(server.http.url, token).request("/operator/v1/agent.resume", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ owner: owner().address }),
    });
    return headers.get("x-request-id")!;
  });
  expect(resume.rows).toMatchObject([
    {
      by: { kind: "operator", credential: number, name: "platform" },
      door: "operator",
      request: resume.request,
    },
  ]);
});

it("what no mailbox's log has is in the log of access: an operator at both doors", async () => {
  const { house } = server.daemon;
  const { token, number } = (await administer(atCommandLine, house, "operator.create", {
    name: "second",
  })) as {
    token: string;
    number: number;
  };
  const { headers } = await httpClient(server.http.url, token).request("/operator/v1/token.create", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ agent: owner().address, name: "new" }),
  });
  const show = (input: object) => administer(atCommandLine, house, "log.access", input);
  const about = { owner: owner().address, change: "create token", object: expect.any(String) };
  expect(await show({ owner: owner().address, limit: 1 })).toMatchObject({
    changes: [
      {
        ...about,
        by: { kind: "operator", credential: number, name: "second" },
        door: "operator",
        request: headers.get("x-request-id"),
      },
    ],
  });
  await administer(atCommandLine, house, "domain.add", { name: "more.example" });
  const { changes } = (await show({ by: "operator", limit: 3 })) as { changes: { position: number }[] };
  expect(changes).toMatchObject([
    { by: { kind: "operator" }, door: "command", change: "create domain", object: "more.example" },
    about,
    { change: "create operator token", object: String(number), door: "command" },
  ]);
  expect(await show({ limit: 1, before: changes[0]!.position })).toMatchObject({ changes: [about] });
  expect(await show({ since: new Date(Date.now() + 60_000).toISOString() })).toEqual({ changes: [] });
});

it("mail that arrives has no author but the server", async () => {
  const transport = createTransport({ ...server.smtp, tls: { rejectUnauthorized: false } });
  const { rows } = await added(async () => {
    await transport.sendMail({ from: "mel@elsewhere.example", to: owner().address, subject: "s", text: "t" });
    return undefined;
  });
  transport.close();
  expect(rows).toMatchObject([{ by: { kind: "server" } }]);
  expect(rows[0]).not.toHaveProperty("door");
});

it("names the messages that were deleted, and not those that were moved", async () => {
  const { content } = await httpClient(server.http.url, owner().token).ok("search", {
    folder: "inbox",
    limit: 1,
  });
  const [{ id, version }] = content.items;
  const removals = await added(async () => {
    const { made: trashed } = await v1("message.delete", { id, version });
    await v1("message.delete", { id, version: trashed.version });
    return undefined;
  });
  expect(removals.rows.map(({ deleted }) => deleted)).toEqual([[id], undefined]);
});

it("is shown by kind, from a time and from a position on", async () => {
  const all = await logSince(0, { limit: 1000 });
  const ofTokens = await logSince(0, { by: "token", limit: 1000 });
  expect(ofTokens).toEqual(all.filter(({ by }) => by.kind === "token"));
  expect(await logSince(0, { before: all[4]!.position, limit: 3 })).toEqual(all.slice(5, 8));
  expect(await logSince(0, { since: new Date(Date.now() + 60_000).toISOString() })).toEqual([]);
});

/** Behind all others: what came through each door. */
it("has seen every door in the log", async () => {
  const seen = new Set((await logSince(0, { limit: 1000 })).map(({ door }) => door ?? "house"));
  expect([...seen].toSorted()).toEqual(doors.toSorted());
});
