/** The order of a write (`protocols/json/write-in-order.ts`): present reach to the mailbox, then the key, then the object. */
import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Write } from "#/protocols/json/registry.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";
import type { NamesIn } from "./authorization-table.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Makes the input of a request; what it names is of ada. */
type Request = () => Promise<Record<string, unknown>>;
/** What names nothing is about the mailbox of the credential, so that no grant of it can be lost. */
type Requests<One extends Write> = [NamesIn<One["input"], "">] extends [never]
  ? "own"
  : readonly [Request, ...Request[]];

const ada = (operation: string, input: unknown) => server.ada.client.ok(operation, input);
const versionOf = async (id: string): Promise<string> =>
  (await ada("part.describe", { id })).version as string;
const changing = async (id: string, change: object = {}) => ({ id, version: await versionOf(id), ...change });
let made = 0;
const newDraft = async () =>
  (await ada("draft.create", { body: { to: ["x@far.example"], subject: `s${made++}`, text: "t" } }))
    .ref as string;
const newFolder = async () => (await ada("folder.create", { path: `Folder ${made++}` })).ref as string;
const newCalendar = async () => (await ada("calendar.create", { name: `c${made++}` })).ref as string;
const newContact = async () =>
  (await ada("contact.create", { body: { name: { full: `Lee ${made++}` } } })).ref as string;
const newMessage = () => server.deliver(server.ada, plainMessage(`m${made++}`));

const newBlob = async () => (await ada("blob.create", { data: "aGk=" })) as Ref;
const newHold = async () => (await ada("hold.create", { body: body() })) as Ref;
const newEvent = async () =>
  (await ada("event.create", { body: { title: `e${made++}`, start: "2026-03-02T10:00:00" } })).ref as string;
const ofAda = async (of: "calendars" | "addressbooks") =>
  (await ada("part.describe", { id: server.ada.id })).content[of][0].id as string;
const body = () => ({ to: [server.ada.address], subject: `b${made++}`, text: "t" });
const inAda = async (change: object) => ({ in: server.ada.id, ...change });

/** Writes to what is of ada, which bob may do by a grant: for each operation one request for each way through it. A new operation that writes
 *  does not compile before it stands here. */
const requests: {
  readonly [Name in Write["name"]]: Requests<Extract<Write, { readonly name: Name }>>;
} = {
  "folder.create": [() => inAda({ path: `Other ${made++}` })],
  "folder.update": [async () => changing(await newFolder(), { path: `Renamed ${made++}` })],
  "folder.delete": [async () => changing(await newFolder())],
  "draft.create": [() => inAda({ body: { subject: "s", text: "t" } })],
  "draft.update": [async () => changing(await newDraft(), { body: { subject: "u" } })],
  "draft.delete": [async () => changing(await newDraft())],
  "message.update": [
    async () => ({ id: await newMessage(), flagged: true }),
    async () => ({ ids: [await newMessage(), await newMessage()], flagged: true }),
    async () => {
      const sent = { body: body(), send_at: "2026-06-01T10:00:00Z" };
      return changing((await ada("send", sent)).ref, { send_at: "2026-06-02T10:00:00Z" });
    },
  ],
  "message.delete": [async () => changing(await newMessage())],
  "hold.create": [() => inAda({ body: body() })],
  "hold.update": [
    async () => {
      const { ref: id, version } = await newHold();
      return { id, version, body: body() };
    },
    async () => {
      const { ref: id, version } = await newHold();
      return { id, version, state: "declined" };
    },
  ],
  "hold.delete": [
    async () => {
      const { ref: id, version } = await newHold();
      return { id, version };
    },
  ],
  "blob.create": "own",
  "blob.delete": [
    async () => {
      const { ref: id, version } = await newBlob();
      return { id, version };
    },
  ],
  "calendar.create": [() => inAda({ name: "Work" })],
  "calendar.update": [async () => changing(await newCalendar(), { name: "Home" })],
  "calendar.delete": [async () => changing(await newCalendar())],
  "event.create": [async () => ({ in: await ofAda("calendars"), body: { start: "2026-03-02T10:00:00" } })],
  "event.update": [async () => changing(await newEvent(), { patch: { title: "Other" } })],
  "event.delete": [async () => changing(await newEvent())],
  "addressbook.create": [() => inAda({ name: "Friends" })],
  "addressbook.update": [
    async () =>
      changing((await ada("addressbook.create", { name: `a${made++}` })).ref, { name: `Renamed ${made++}` }),
  ],
  "addressbook.delete": [
    async () => changing((await ada("addressbook.create", { name: `a${made++}` })).ref as string),
  ],
  "contact.create": [
    async () => ({ in: await ofAda("addressbooks"), body: { name: { full: `Lee ${made++}` } } }),
  ],
  "contact.update": [async () => changing(await newContact(), { patch: { "name/full": "Kim" } })],
  "contact.delete": [async () => changing(await newContact())],
  send: [
    () => inAda({ body: body() }),
    async () => {
      const { ref: draft, version } = (await ada("draft.create", { body: body() })) as Ref;
      return { draft, version };
    },
  ],
};

/** Each way through each operation. */
const ways = Object.entries<"own" | readonly Request[]>(requests).flatMap(([operation, list]) =>
  list === "own" ? [] : list.map((input, index) => [operation, index, input] as const),
);

const scopes = ["mail", "send", "calendar", "contacts", "approve"];

async function grantToBob(): Promise<() => Promise<unknown>> {
  const { number } = (await server.administer("grant.create", {
    holder: server.bob.address,
    target: server.ada.address,
    scopes,
  })) as { number: number };
  return () => server.administer("grant.revoke", { number });
}

it.each(ways)(
  "%s, request %d: who has lost the grant is not answered an earlier result",
  async (operation, index, input) => {
    const revoke = await grantToBob();
    const { client } = await server.token(server.bob, scopes);
    const request = { ...(await input()), idempotency_key: `lost-${operation}-${index}` };
    const first = resultsOf(await client.ok(operation, request));
    const again = resultsOf(await client.ok(operation, request));
    expect(again.map(({ ref, version }) => [ref, version])).toEqual(
      first.map(({ ref, version }) => [ref, version]),
    );
    expect(first.map(({ version }) => typeof version)).not.toContain("undefined");
    await revoke();
    const { status, body } = await client.call(operation, request);
    // Of several each is refused by itself.
    expect(status, JSON.stringify(body)).toBe(body.results === undefined ? 403 : 200);
    for (const { ref, version, error } of resultsOf(body))
      expect([error?.code, version, body.results && ref]).toEqual([
        "forbidden_scope",
        undefined,
        body.results && expect.stringMatching(/^message_/),
      ]);
  },
);

interface Ref {
  readonly ref: string;
  readonly version: string;
}

interface Result extends Partial<Ref> {
  readonly error?: { readonly code: string };
}

const resultsOf = (answer: Result & { readonly results?: readonly Result[] }): readonly Result[] =>
  answer.results ?? [answer];

it("message.update: of several, only those in the mailbox of a lost grant are refused", async () => {
  const revoke = await grantToBob();
  const { client } = await server.token(server.bob, scopes);
  const ids = [await newMessage(), await server.deliver(server.eve, plainMessage("foreign"))];
  const request = { ids, flagged: true, idempotency_key: "lost-of-several" };
  const [first, foreign] = (await client.ok("message.update", request)).results;
  expect(first.version).toEqual(expect.any(String));
  expect(foreign.error.code).toBe("not_found");
  expect((await client.ok("message.update", request)).results).toEqual([first, foreign]);
  await revoke();
  const codes = (await client.ok("message.update", request)).results.map((one: Result) => one.error?.code);
  expect(codes).toEqual(["forbidden_scope", "not_found"]);
});

it.each(ways.filter(([operation]) => operation.endsWith(".delete")))(
  "%s: an earlier result is answered though its object is gone",
  async (operation, _index, input) => {
    const request = { ...(await input()), idempotency_key: `gone-${operation}` };
    const first = await ada(operation, request);
    expect(await ada(operation, request)).toEqual(first);
  },
);

/** The files with a text. */
function filesWith(text: string, ...folders: readonly string[]): readonly string[] {
  const top = new URL("../..", import.meta.url);
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: top.pathname }));
  return files.filter((file) => readFileSync(new URL(file, top), "utf8").includes(text)).toSorted();
}

it("is in one place: no operation looks for a key by itself, and no room for what is kept under it", () => {
  expect(filesWith("idempotencyOf(", "protocols/json")).toEqual([
    // The same call of a tool, which the caller has given no key.
    "protocols/json/carriage/invoke.ts",
    "protocols/json/idempotency.ts",
    "protocols/json/write-in-order.ts",
  ]);
  expect(filesWith('"#/storage/idempotency.ts"', "src", "protocols")).toEqual(["src/mail/write-once.ts"]);
});
