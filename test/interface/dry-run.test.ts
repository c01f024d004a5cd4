/** `dry_run: true` on every write: the answer is that of the call but for what names the object that would be made, and nothing is written:
 *  every row of every table is as before, nobody is told, and no key is used. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "#/protocols/json/registry.ts";
import type { AccountNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { append } from "../support/delivery.ts";
import { engine } from "../support/engine.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

let server: JsonServer;
/** Answers of the steps before, by their names. */
const made: Record<string, Answer> = {};
let commits = 0;
const base: Record<string, string> = {};

beforeAll(async () => {
  server = await openJsonServer({ outbound: { smarthostHost: "127.0.0.1" } });
  server.store.onCommit(() => commits++);
  base.message = await server.deliver(server.ada, plainMessage("One"));
  base.other = await server.deliver(server.ada, plainMessage("Two"));
});
afterAll(() => server[Symbol.asyncDispose]());

const versionOf = async (id: string) =>
  (await server.ada.client.ok("part.describe", { id })).version as string;
const to = () => [server.bob.address];
const start = "2026-03-02T10:00:00";
const event = () => ({
  title: "Review",
  start,
  timeZone: "Europe/Berlin",
  participants: { b: { calendarAddress: `mailto:${server.bob.address}`, roles: { attendee: true } } },
});

interface Step {
  readonly operation: string;
  readonly name?: string;
  readonly input: () => object | Promise<object>;
  /** The code of the refusal. */
  readonly refused?: string;
}

const of = (name: string) => async () => ({ id: made[name].ref, version: await versionOf(made[name].ref) });
const more = (name: string, input: () => object) => async () => ({ ...(await of(name)()), ...input() });
const step = (operation: string, input: Step["input"], name = operation): Step => ({
  operation,
  name,
  input,
});
const refused = (operation: string, code: string, input: Step["input"]): Step => ({
  operation,
  input,
  refused: code,
});

/** In this order: the first event is made before the owner has any calendar. */
const steps: readonly Step[] = [
  step("event.create", () => ({ body: event(), invite: "send" })),
  step(
    "event.update",
    more("event.create", () => ({ patch: { title: "Other" }, invite: "send" })),
  ),
  step(
    "event.delete",
    more("event.create", () => ({ invite: "send" })),
  ),
  step("calendar.create", () => ({ name: "Work" })),
  step("event.create", () => ({ in: made["calendar.create"].ref, body: { start } }), "event in it"),
  step(
    "calendar.update",
    more("calendar.create", () => ({ name: "Play" })),
  ),
  step("calendar.delete", of("calendar.create")),
  step("addressbook.create", () => ({ name: "Friends" })),
  step("contact.create", () => ({ in: made["addressbook.create"].ref, body: { name: { full: "Lee" } } })),
  step(
    "contact.update",
    more("contact.create", () => ({ patch: { "name/full": "Ray" } })),
  ),
  step("contact.delete", of("contact.create")),
  step(
    "addressbook.update",
    more("addressbook.create", () => ({ name: "Others" })),
  ),
  step("addressbook.delete", of("addressbook.create")),
  step("folder.create", () => ({ path: "One/Two" })),
  step("folder.create", () => ({ path: "One" }), "existing folder"),
  step(
    "folder.update",
    more("folder.create", () => ({ path: "One/Three" })),
  ),
  step("message.update", () => ({ ids: [base.message, base.other], folder: made["folder.create"].ref })),
  step("message.update", () => ({ id: base.message, unread: false, add_labels: ["done"] }), "one message"),
  step("folder.delete", of("folder.create")),
  step("blob.create", () => ({ data: Buffer.alloc(300_000, "x").toString("base64"), name: "x.txt" })),
  step("draft.create", () => ({
    body: { to: to(), text: "Hi", attachments: [{ blob: made["blob.create"].ref }] },
  })),
  step(
    "draft.update",
    more("draft.create", () => ({ body: { to: to(), text: "Hello" } })),
  ),
  step("send", async () => ({
    draft: made["draft.create"].ref,
    version: await versionOf(made["draft.create"].ref),
  })),
  step("send", () => ({ body: { to: ["new@elsewhere.example"], text: "Hi" } }), "held"),
  step("send", () => ({ body: { to: to(), text: "Later" }, send_at: "2026-06-01T00:00:00Z" }), "later"),
  step(
    "message.update",
    more("later", () => ({ send_at: "2026-07-01T00:00:00Z" })),
    "another time",
  ),
  step("message.delete", of("later")),
  step("hold.create", () => ({ body: { to: to(), text: "May I?" } })),
  step(
    "hold.update",
    more("hold.create", () => ({ body: { to: to(), text: "Please?" } })),
  ),
  step("hold.delete", of("hold.create")),
  step("draft.create", () => ({ body: { text: "Not sent" } }), "another draft"),
  step("draft.delete", of("another draft")),
  step("blob.delete", of("blob.create")),
  refused("message.delete", "precondition_failed", () => ({ id: base.message, version: "1" })),
  refused("draft.update", "not_found", () => ({ id: made["another draft"].ref, body: { text: "Hi" } })),
  refused("send", "invalid", () => ({ body: { to: to() } })),
];

/** Every row of every table, as text. */
async function allRows(): Promise<Record<string, string[]>> {
  const { store } = server;
  const names =
    engine === "sqlite"
      ? await store.column<string>(
          "select name from sqlite_master where type = 'table' and name not like 'sqlite%'",
        )
      : await store.column<string>(
          "select cast(table_name as text) from information_schema.tables where table_schema = current_schema()",
        );
  const rows: Record<string, string[]> = {};
  for (const name of names.toSorted()) {
    // Daemons on PostgreSQL renew their leases at any time.
    if (name === "daemon" || name === "lease") continue;
    const found = await store.all<object>(`select * from ${name}`);
    rows[name] = found.map((row) => JSON.stringify(row)).toSorted();
  }
  return rows;
}

/** What the calls before have left for the sweep is gone. */
async function settled(): Promise<void> {
  const left = async () => {
    const row = await server.store.get<{ count: number }>(
      `select (select count(*) from collection where state = 'deleted')
        + (select count(*) from blob where reference_count = 0) as count`,
    );
    return row!.count;
  };
  await expect.poll(left, { timeout: 60_000 }).toBe(0);
}

/** Without what names an object that was made, versions, and times. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== "object" || value === null) return value;
  const untold = ["ref", "version", "hold", "message", "uid", "dry_run", "expires_at", "request_id"];
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !untold.includes(name))
      .map(([name, inner]) => [name, comparable(inner)]),
  );
}

describe("a dry run", () => {
  it.each(
    steps.map((one) => [one.refused === undefined ? one.name! : `refused ${one.operation}`, one] as const),
  )(
    "of %s answers what the call answers, and writes nothing",
    async (name, { operation, input, refused: code }) => {
      const { client } = server.ada;
      const asked = await input();
      await settled();
      const [before, told] = [await allRows(), commits];
      const dry = await client.call(operation, { ...asked, idempotency_key: "k", dry_run: true });
      expect(await allRows()).toEqual(before);
      expect(commits).toBe(told);
      // The key is free: the call itself uses it, with another request in each step.
      const key = name.replaceAll(" ", "-");
      const real = await client.call(operation, { ...asked, idempotency_key: key });
      expect(dry.status, JSON.stringify([dry.body, real.body])).toBe(real.status);
      expect(comparable(dry.body)).toEqual(comparable(real.body));
      expect(real.status === 200 ? undefined : real.body.error.code).toBe(code);
      if (code !== undefined) return;
      expect(dry.body.dry_run).toBe(true);
      const { version } = asked as { readonly version?: string };
      expect(dry.body.version).toBe(version);
      if (real.body.created === true) expect(dry.body).not.toHaveProperty("ref");
      else expect(dry.body.ref).toBe(real.body.ref);
      // A dry run does not find a key either.
      const after = await client.call(operation, { ...asked, idempotency_key: key, dry_run: true });
      expect(after.body.replayed).toBeUndefined();
      made[name] = real.body;
    },
  );

  it("is possible of every operation that writes", () => {
    const writing = operations.filter(({ effect }) => effect === "writes").map(({ name }) => name);
    expect([...new Set(steps.map(({ operation }) => operation))].toSorted()).toEqual(writing.toSorted());
  });

  it("of a folder with more mail than one write removes leaves it", async () => {
    const { client } = server.ada;
    const { ref, version } = await client.ok("folder.create", { path: "Many" });
    const { agent, object } = server.store.ids.decode(ref)!;
    const place = { agent, inbox: object as MailboxNumber, account: 1 as AccountNumber, address: "" };
    await append(server.store, place, 1500);
    const [before, told] = [await allRows(), commits];
    expect(await client.ok("folder.delete", { id: ref, version, dry_run: true })).toEqual({
      ...{ ref, created: false, version, dry_run: true },
    });
    const wrong = await client.call("folder.delete", { id: ref, version: "1", dry_run: true });
    expect(wrong.status).toBe(409);
    expect(await allRows()).toEqual(before);
    expect(commits).toBe(told);
  });

  it("is not what a read takes", async () => {
    const { status, body } = await server.ada.client.call("search", { dry_run: true });
    expect([status, body.error.field]).toEqual([400, "/dry_run"]);
  });
});
