/** Every door writes its author into the change log: each kind of change is made through each door that offers it, and the log names
 *  the credential, the door and the request. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import { runPrivateOperation } from "#/src/daemon/private-operations.ts";
import { type AuthorKind, atCommandLine, type Door } from "#/src/model/author.ts";
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

async function v1(operation: string, input: Record<string, unknown>): Promise<[string, Made]> {
  const { status, headers, body } = await httpClient(server.http.url, owner().token).request(
    `/v1/${operation}`,
    {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(input),
    },
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return [headers.get("x-request-id")!, body];
}

const mail = "Subject: hello\r\nFrom: x@elsewhere.example\r\n\r\ntext\r\n";
const made: Record<string, Made> = {};

/** In this order: some need what an earlier one has made. */
const overV1: readonly (readonly [
  operation: string,
  input: () => Record<string, unknown>,
  change: string,
])[] = [
  ["folder.create", () => ({ path: "One" }), "mailbox add 1"],
  [
    "folder.update",
    () => ({ id: made["folder.create"]!.ref, path: "Two", version: made["folder.create"]!.version }),
    "mailbox update 1",
  ],
  ["draft.create", () => ({ body: { to: ["x@elsewhere.example"], subject: "s", text: "t" } }), "entry add 1"],
  ["message.update", () => ({ id: made["draft.create"]!.message, flagged: true }), "entry update 1"],
  [
    "draft.update",
    () => ({ id: made["draft.create"]!.ref, version: made["draft.create"]!.version, body: { subject: "u" } }),
    "entry add 1",
  ],
  [
    "draft.delete",
    () => ({ id: made["draft.create"]!.ref, version: made["draft.update"]!.version }),
    "entry remove 1",
  ],
  ["blob.create", () => ({ data: "aGVsbG8=" }), "upload add 1"],
  [
    "blob.delete",
    () => ({ id: made["blob.create"]!.ref, version: made["blob.create"]!.version }),
    "upload remove 1",
  ],
  ["send", () => ({ body: { to: ["new@elsewhere.example"], subject: "s", text: "t" } }), "entry add 1"],
  ["calendar.create", () => ({ name: "Work" }), "collection add 4"],
  [
    "event.create",
    () => ({
      in: made["calendar.create"]!.ref,
      body: { title: "t", start: "2026-11-01T10:00:00", timeZone: "Europe/Berlin" },
    }),
    "item add 1",
  ],
  [
    "event.delete",
    () => ({ id: made["event.create"]!.ref, version: made["event.create"]!.version }),
    "item remove 1",
  ],
  ["contact.create", () => ({ body: { name: { full: "Lee" } } }), "item add 1"],
  [
    "contact.delete",
    () => ({ id: made["contact.create"]!.ref, version: made["contact.create"]!.version }),
    "item remove 1",
  ],
  [
    "folder.delete",
    () => ({ id: made["folder.create"]!.ref, version: made["folder.update"]!.version }),
    "mailbox remove 1",
  ],
];

it.each(overV1)("%s over /v1", async (operation, input, change) => {
  const { rows, request } = await added(async () => {
    const [id, body] = await v1(operation, input());
    made[operation] = body;
    return id;
  });
  const by = { kind: "token", address: owner().address, credential: expect.any(Number), name: "first" };
  const mine = rows.filter(({ by }) => by.kind !== "server");
  expect(mine).toMatchObject([{ by, door: "v1", request }]);
  expect(mine[0]!.changes).toContain(change);
});

const overImap: readonly (readonly [command: string, change: string])[] = [
  ["CREATE Box", "mailbox add 1"],
  [`APPEND INBOX {${mail.length}+}\r\n${mail}`, "entry add 1"],
  ["SUBSCRIBE Box", "mailbox update 1"],
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

it.each(overImap)("%s over IMAP", async (text, change) => {
  const { rows } = await added(async () => void (await command(text)));
  if (change === "") return void expect(rows).toEqual([]);
  const by = { kind: "password", address: owner().address, name: "first" };
  expect(rows).toMatchObject([{ by, door: "imap", request: expect.stringMatching(/^[0-9a-f]{13}$/) }]);
  expect(rows[0]!.changes).toContain(change);
});

const propertyUpdate = `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><x xmlns="urn:x">y</x></D:prop></D:set></D:propertyupdate>`;

const overDav: readonly (readonly [
  method: string,
  path: string,
  body: string | undefined,
  change: string,
])[] = [
  ["MKCALENDAR", "calendars/{}/made/", undefined, "collection add 1"],
  ["PUT", "calendars/{}/made/a.ics", eventOf("a"), "item add 1"],
  ["PUT", "calendars/{}/made/a.ics", eventOf("a", "SUMMARY:other"), "item update 1"],
  ["PROPPATCH", "calendars/{}/made/", propertyUpdate, "collection update 1"],
  ["DELETE", "calendars/{}/made/a.ics", undefined, "item remove 1"],
  ["DELETE", "calendars/{}/made/", undefined, "collection remove 1"],
  ["PUT", "files/{}/a.txt", "text", "file add 1"],
  ["PROPPATCH", "files/{}/a.txt", propertyUpdate, "file update 1"],
  ["MKCOL", "files/{}/folder/", undefined, "file add 1"],
  ["DELETE", "files/{}/folder/", undefined, "file remove 1"],
];

function eventOf(uid: string, ...lines: string[]): string {
  return eventText(uid, ...lines).toString();
}

it.each(overDav)("%s %s over DAV", async (method, path, body, change) => {
  const { id, address, password } = owner();
  const client = davClient(server.http.url, basic(address, password));
  const { rows, request } = await added(async () => {
    const { status, headers } = await client.request(method, `/dav/${path.replace("{}", id)}`, body);
    expect(status).toBeLessThan(300);
    return headers["x-request-id"];
  });
  expect(rows).toMatchObject([{ by: { kind: "password", address, name: "first" }, door: "dav", request }]);
  expect(rows[0]!.changes).toContain(change);
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

it("a tool of MCP", async () => {
  const { rows, request } = await added(async () => {
    const { status, headers } = await fetch(`${server.http.url}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${owner().token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "folder_create", arguments: { path: "By MCP" } },
      }),
    });
    expect(status).toBe(200);
    return headers.get("x-request-id")!;
  });
  expect(rows).toMatchObject([{ by: { kind: "token", address: owner().address }, door: "mcp", request }]);
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
    const [, trashed] = await v1("message.delete", { id, version });
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
