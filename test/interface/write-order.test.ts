/** The order of a write (`protocols/json/write-in-order.ts`): present reach to the mailbox, then the key, then the object. */
import { globSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

type Request = readonly [operation: string, input: () => Promise<Record<string, unknown>>];

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

/** Writes to the mailbox of ada, which bob may do by a grant. Those that need a version are for an object that each makes. */
const requests: readonly Request[] = [
  ["folder.create", async () => ({ in: server.ada.id, path: `Other ${made++}` })],
  ["folder.update", async () => changing(await newFolder(), { path: `Renamed ${made++}` })],
  ["folder.delete", async () => changing(await newFolder())],
  ["draft.create", async () => ({ in: server.ada.id, body: { subject: "s", text: "t" } })],
  ["draft.update", async () => changing(await newDraft(), { body: { subject: "u" } })],
  ["draft.delete", async () => changing(await newDraft())],
  ["message.update", async () => ({ id: await newMessage(), flagged: true })],
  ["message.delete", async () => changing(await newMessage())],
  ["calendar.create", async () => ({ in: server.ada.id, name: "Work" })],
  ["calendar.update", async () => changing(await newCalendar(), { name: "Home" })],
  ["calendar.delete", async () => changing(await newCalendar())],
  ["contact.update", async () => changing(await newContact(), { patch: { "name/full": "Kim" } })],
  ["contact.delete", async () => changing(await newContact())],
  ["send", async () => ({ in: server.ada.id, body: { to: [server.ada.address], subject: "s", text: "t" } })],
];

async function grantToBob(): Promise<() => Promise<unknown>> {
  const { number } = (await server.administer("grant.create", {
    holder: server.bob.address,
    target: server.ada.address,
    scopes: ["mail", "send", "calendar", "contacts"],
  })) as { number: number };
  return () => server.administer("grant.revoke", { number });
}

it.each(requests)(
  "%s: who has lost the grant is not answered an earlier result",
  async (operation, input) => {
    const revoke = await grantToBob();
    const { client } = await server.token(server.bob, ["mail", "send", "calendar", "contacts"]);
    const request = { ...(await input()), idempotency_key: `lost-${operation}` };
    const first = await client.ok(operation, request);
    expect(await client.ok(operation, request)).toMatchObject({ ref: first.ref, version: first.version });
    await revoke();
    const { status, body } = await client.call(operation, request);
    expect([status, body.error?.code], JSON.stringify(body)).toEqual([403, "forbidden_scope"]);
  },
);

it.each(requests.filter(([operation]) => operation.endsWith(".delete")))(
  "%s: an earlier result is answered though its object is gone",
  async (operation, input) => {
    const request = { ...(await input()), idempotency_key: `gone-${operation}` };
    const first = await ada(operation, request);
    expect(await ada(operation, request)).toEqual(first);
  },
);

it("is in one place: no operation looks for a key by itself", () => {
  const files = globSync("protocols/json/**/*.ts", { cwd: new URL("../..", import.meta.url).pathname });
  const looking = files.filter((file) =>
    readFileSync(new URL(`../../${file}`, import.meta.url), "utf8").includes("idempotencyOf("),
  );
  expect(looking.toSorted()).toEqual([
    // The same call of a tool, which the caller has given no key.
    "protocols/json/carriage/invoke.ts",
    "protocols/json/idempotency.ts",
    "protocols/json/write-in-order.ts",
  ]);
});
