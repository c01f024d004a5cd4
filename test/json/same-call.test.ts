/** decisions-3, section 16: a program that repeats a call of a tool that sends or creates, without a key, does it once. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sendsOrCreates } from "#/protocols/json/mcp/same-call.ts";
import { operations } from "#/protocols/json/registry.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let use: (name: string, input: object, token?: string) => Promise<Record<string, unknown>>;
beforeAll(async () => {
  server = await openJsonServer();
  use = async (name, input, token = server.ada.token) => {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { Authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
    const { content } = await client.callTool({ name, arguments: input as Record<string, unknown> });
    await client.close();
    return JSON.parse((content as { text: string }[])[0]!.text);
  };
});
afterAll(() => server[Symbol.asyncDispose]());

const again = { replayed: true, hint: expect.stringContaining("idempotency_key") };

const inputs: Readonly<Record<string, object>> = {
  send: { body: { to: ["bob@waypost.test"], subject: "Once", text: "Only once." } },
  "hold.create": { body: { to: ["bob@waypost.test"], subject: "May I", text: "Only once." } },
  "draft.create": { body: { subject: "Once", text: "Only once." } },
  "folder.create": { path: "Once" },
  "blob.create": { data: "SGVsbG8=", name: "hello.txt" },
  "calendar.create": { name: "Once" },
  "event.create": { body: { title: "Once", start: "2030-01-15T10:00:00", duration: "PT1H" } },
  "addressbook.create": { name: "Once" },
  "contact.create": { body: { name: "Once" } },
};

it("is tried with every tool that sends or creates", () => {
  const names = operations.filter(sendsOrCreates).map((one) => one.name);
  expect(Object.keys(inputs).toSorted()).toEqual(names.toSorted());
});

it.each(Object.entries(inputs))(
  "does %s once, until another key or ten minutes make it another call",
  async (name, input) => {
    const tool = name.replace(".", "_");
    const own = JSON.parse(JSON.stringify(input).replaceAll("bob@waypost.test", server.bob.address));
    const first = await use(tool, own);
    expect(first).toMatchObject({ created: true });
    expect(first.replayed).toBeUndefined();
    expect(await use(tool, own)).toEqual({ ...first, ...again });
    const keyed = await use(tool, { ...own, idempotency_key: `key-of-${name}` });
    expect(keyed.replayed).toBeUndefined();
    // A folder exists once, whoever asks.
    if (name !== "folder.create") expect(keyed.ref).not.toBe(first.ref);
    server.clock.advance(10 * 60 * 1000 + 1);
    expect((await use(tool, own)).replayed).toBeUndefined();
  },
);

it("takes another token, other arguments, a refused call and a call over /v1 as calls of their own", async () => {
  const input = { body: { name: "Grace" } };
  const first = await use("contact_create", input);
  const { token } = await server.token(server.ada, ["contacts"]);
  const refs = new Set([
    first.ref,
    (await use("contact_create", input, token)).ref,
    (await use("contact_create", { body: { name: "Grace H." } })).ref,
    (await server.ada.client.ok("contact.create", input)).ref,
  ]);
  expect(refs.size).toBe(4);
  const nobody = { body: { to: [], subject: "To nobody", text: "Hello." } };
  expect(await use("send", nobody)).toMatchObject({ error: { code: "invalid" } });
  expect(await use("send", nobody)).toMatchObject({ error: { code: "invalid" } });
});

it("does what is called twice at the same time once", async () => {
  const input = { body: { name: "At once" } };
  const both = await Promise.all([use("contact_create", input), use("contact_create", input)]);
  const refs = both.flatMap(({ ref, error }) =>
    ref === undefined ? [(error as { code: string }).code] : [ref],
  );
  expect(new Set(refs.filter((one) => one !== "rate_limited")).size).toBe(1);
});

it("answers the state of now for mail that was held", async () => {
  const input = { ...(inputs.send as object), hold: "always" };
  const own = JSON.parse(JSON.stringify(input).replaceAll("bob@waypost.test", server.bob.address));
  const first = await use("send", own);
  expect(first.state).toBe("held");
  expect(await use("send", own)).toMatchObject({ state: "held", ref: first.ref, ...again });
  await server.ada.client.ok("hold.delete", {
    id: first.hold,
    version: (await server.ada.client.ok("part.describe", { id: first.hold })).version,
  });
  expect(await use("send", own)).toMatchObject({ state: "withdrawn", ref: first.ref, ...again });
});
