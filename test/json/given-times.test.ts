/** Each field of an operation that is a time takes it with a zone, and without one on the clock of the default calendar: over `/v1`, MCP and the
 *  typed client. A new field of this kind needs a row. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { givenTime } from "#/protocols/json/given-time.ts";
import { jsonSchema } from "#/protocols/json/mcp/tool.ts";
import { operations } from "#/protocols/json/registry.ts";
import type { ShownDeclarations } from "#/src/model/declared-properties.ts";
import { folderDeclarations } from "#/src/model/folder-properties.ts";
import { messageDeclarations } from "#/src/model/message-properties.ts";
import { type Door, doorNames, openThreeDoors, type ThreeDoors } from "../support/clients/three-doors.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";
import { cardRows, eventRows, formsOf, valueAt } from "../support/written-times.ts";

let server: JsonServer;
let doors: ThreeDoors;
beforeAll(async () => {
  server = await openJsonServer({ limits: { sendsPerHour: 0, sendsPerDay: 0 } });
  doors = await openThreeDoors(server.url, server.ada.token);
  const { client, id } = server.ada;
  const { calendars } = (await client.ok("part.describe", { id })).content;
  const { version } = await client.ok("part.describe", { id: calendars[0].id });
  await client.ok("calendar.update", { id: calendars[0].id, version, time_zone: "Asia/Kolkata" });
  await server.deliver(server.ada, plainMessage("Here"));
});
afterAll(async () => {
  await doors[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

let count = 0;
const body = () => ({ to: [server.bob.address], subject: `Mail ${++count}`, text: "Hello." });
const sendAtOf = async (call: Door, id: string): Promise<number> =>
  Date.parse((await call("part.describe", { id })).content.send_at);

/** What a time is understood as. */
const rows: Readonly<Record<string, (call: Door, time: string) => Promise<unknown>>> = {
  ...declaredTimes(messageDeclarations, "message.update", async (call, given) => {
    const { message: id } = await call("draft.create", { body: body() });
    await call("message.update", { id, ...given });
    return (await call("part.describe", { id })).content;
  }),
  ...declaredTimes(folderDeclarations, "folder.create", async (call, given) => {
    const { ref: id } = await call("folder.create", { path: `Folder ${++count}`, ...given });
    return (await call("part.describe", { id })).content;
  }),
  ...declaredTimes(folderDeclarations, "folder.update", async (call, given) => {
    const { ref: id, version } = await call("folder.create", { path: `Folder ${++count}` });
    await call("folder.update", { id, version, ...given });
    return (await call("part.describe", { id })).content;
  }),
  "search since": async (call, since) =>
    (await call("search", { folder: "inbox", since })).content.items.length,
  "search before": async (call, before) =>
    (await call("search", { folder: "inbox", before })).content.items.length,
  "send send_at": async (call, send_at) =>
    sendAtOf(call, (await call("send", { body: body(), send_at })).ref),
  "hold.create send_at": async (call, send_at) =>
    sendAtOf(call, (await call("hold.create", { body: body(), send_at })).ref),
  "draft.create send_at": async (call, send_at) =>
    sendAtOf(call, (await call("draft.create", { body: body(), send_at })).ref),
  "draft.update send_at": async (call, send_at) => {
    const { ref, version } = await call("draft.create", { body: body() });
    await call("draft.update", { id: ref, version, body: body(), send_at });
    return sendAtOf(call, ref);
  },
  "message.update send_at": async (call, send_at) => {
    const later = new Date(server.clock.now() + 99 * 3_600_000).toISOString();
    const { ref, version } = await call("send", { body: body(), send_at: later });
    await call("message.update", { id: ref, version, send_at });
    return sendAtOf(call, ref);
  },
};

/** Rows of declared properties that are times: what is set, and then read. */
function declaredTimes(
  declared: ShownDeclarations,
  operation: string,
  set: (call: Door, given: object) => Promise<Readonly<Record<string, string>>>,
): typeof rows {
  const times = Object.values(declared).filter(({ form }) => form === "time");
  return Object.fromEntries(
    times.map(({ column }) => [
      `${operation} ${column}`,
      async (call, time) => Date.parse((await set(call, { [column]: time }))[column]!),
    ]),
  );
}

interface Field {
  readonly pattern?: string;
  /** Of one that may be null. */
  readonly anyOf?: readonly Field[];
}

const timePattern = z.toJSONSchema(givenTime).pattern;

it("has a row for each field that is a time", () => {
  const fields = operations.flatMap(({ name, input }) => {
    const { properties = {} } = jsonSchema(input, "input") as {
      properties?: Record<string, Field>;
    };
    return Object.entries(properties)
      .filter(([, field]) => [field, ...(field.anyOf ?? [])].some(({ pattern }) => pattern === timePattern))
      .map(([field]) => `${name} ${field}`);
  });
  expect(fields.toSorted()).toEqual(Object.keys(rows).toSorted());
});

const forms: Readonly<Record<string, (ms: number) => string>> = {
  "in UTC": (ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`,
  "with an offset": (ms) => `${new Date(ms - 5 * 3_600_000).toISOString().slice(0, 19)}-05:00`,
  "without a zone": (ms) => new Date(ms + 5.5 * 3_600_000).toISOString().slice(0, 19),
  "without a zone and seconds": (ms) => new Date(ms + 5.5 * 3_600_000).toISOString().slice(0, 16),
};

const cases = Object.keys(rows).flatMap((row) => doorNames.map((door) => [row, door] as const));

it.each(cases)("%s is the same instant however it is written, by %s", async (row, door) => {
  const minute = Math.floor(server.clock.now() / 60_000) * 60_000;
  // The mail came between these two.
  for (const at of row.startsWith("search") ? [minute - 60_000, minute + 60_000] : [minute + 7_200_000]) {
    const understood: unknown[] = [];
    for (const form of Object.values(forms)) understood.push(await rows[row]!(doors[door], form(at)));
    expect([row, ...understood]).toEqual([row, ...understood.map(() => understood[0])]);
    if (!row.startsWith("search")) expect(understood[0]).toBe(at);
    else expect(understood[0]).toBe((row === "search since") === at < minute ? 1 : 0);
  }
});

it.each(doorNames)("a day is its beginning on that clock, where a range is given, by %s", async (door) => {
  const search = async (range: object) =>
    (await doors[door]("search", { folder: "inbox", ...range })).content.items.length;
  const kolkata = (ms: number) => new Date(ms + 5.5 * 3_600_000).toISOString().slice(0, 10);
  const now = server.clock.now();
  const [today, tomorrow] = [kolkata(now), kolkata(now + 24 * 3_600_000)];
  expect(await search({ since: today, before: tomorrow })).toBe(1);
  expect([await search({ before: today }), await search({ since: tomorrow })]).toEqual([0, 0]);
  const free = { kind: "freetime", duration: "PT1H", since: "2027-03-01", before: "2027-03-02" };
  const { items } = (await doors[door]("search", free)).content;
  expect(items).toMatchObject([{ start: "2027-02-28T18:30:00Z", end: "2027-03-01T18:30:00Z" }]);
});

it("what a write answers says how a time without a zone was read", async () => {
  const { client } = server.ada;
  const ahead = Math.floor(server.clock.now() / 60_000) * 60_000 + 7_200_000;
  const shown = new Date(ahead).toISOString();
  const send_at = new Date(ahead + 5.5 * 3_600_000).toISOString().slice(0, 16);
  const sent = await client.ok("send", { body: body(), send_at, idempotency_key: "told" });
  expect(sent).toMatchObject({ state: "scheduled", send_at: shown });
  expect(await client.ok("send", { body: body(), send_at, idempotency_key: "told" })).toMatchObject({
    replayed: true,
    send_at: shown,
  });
  expect(await client.ok("send", { body: body(), send_at, dry_run: true })).toMatchObject({ send_at: shown });
  expect(await client.ok("send", { body: body(), send_at, hold: "always" })).toMatchObject({
    send_at: shown,
  });
  expect(await client.ok("hold.create", { body: body(), send_at })).toMatchObject({ send_at: shown });
  const drafted = { body: body(), send_at, idempotency_key: "drafted" };
  const { ref: draft, ...made } = await client.ok("draft.create", drafted);
  expect(made).toMatchObject({ send_at: shown });
  expect(await client.ok("draft.create", drafted)).toMatchObject({ ref: draft, send_at: shown });
  expect(await client.ok("draft.create", { ...drafted, dry_run: true })).toMatchObject({ send_at: shown });
  expect((await client.ok("part.describe", { id: draft })).content).toMatchObject({ send_at: shown });
  const update = { id: draft, version: made.version, body: body(), send_at };
  const { version, ...updated } = await client.ok("draft.update", update);
  expect(updated).toMatchObject({ send_at: shown });
  expect(await client.ok("send", { draft, version })).toMatchObject({ send_at: shown });
  const changed = { id: sent.ref, version: sent.version, send_at };
  expect(await client.ok("message.update", changed)).toMatchObject({ send_at: shown });
  expect(await client.ok("send", { body: body() })).not.toHaveProperty("send_at");
});

it.each(doorNames)("times of an event are taken in each form, by %s", async (door) => {
  const written: readonly (readonly [object, object])[] = [
    [{ start: "2027-07-01T08:00" }, { start: "2027-07-01T08:00:00" }],
    [
      { start: "2027-07-01T08:00:00.000Z", timeZone: "Europe/Berlin" },
      { start: "2027-07-01T10:00:00", timeZone: "Europe/Berlin" },
    ],
    [
      {
        start: "2027-07-01T08:00Z",
        timeZone: null,
        recurrenceRule: { frequency: "daily", until: "2027-07-04T10:00:00+02:00" },
      },
      {
        start: "2027-07-01T08:00:00",
        timeZone: "Etc/UTC",
        recurrenceRule: { frequency: "daily", until: "2027-07-04T08:00:00" },
      },
    ],
    [
      {
        start: "2027-07-01T08:00:00",
        timeZone: "Europe/Berlin",
        recurrenceRule: { frequency: "daily", until: "2027-07-04T06:00:00Z" },
        recurrenceOverrides: { "2027-07-02T08:00:00": { start: "2027-07-02T09:00:00Z" } },
      },
      {
        start: "2027-07-01T08:00:00",
        recurrenceRule: { frequency: "daily", until: "2027-07-04T08:00:00" },
        recurrenceOverrides: { "2027-07-02T08:00:00": { start: "2027-07-02T11:00:00" } },
      },
    ],
  ];
  for (const [given, stored] of written) {
    const body = { title: `Times ${++count}`, duration: "PT1H", ...given };
    const { ref } = await doors[door]("event.create", { body });
    expect((await doors[door]("part.describe", { id: ref })).content.event).toMatchObject(stored);
  }
});

const eventCases = Object.entries(eventRows).flatMap(([place, row]) =>
  doorNames.map((door) => [place, door, row] as const),
);

// What names an instance is in no event that is made.
it.each(eventCases.filter(([place]) => place !== "recurrenceId"))(
  "%s of an event is the same instant however it is written, by %s",
  async (place, door, { kind, body }) => {
    const read = async (more: object): Promise<unknown> => {
      const { ref } = await doors[door]("event.create", { body: more });
      return valueAt((await doors[door]("part.describe", { id: ref })).content.event, place);
    };
    const taken: unknown[] = [];
    for (const time of formsOf("2027-07-03T08:30:00"))
      taken.push(await read({ timeZone: "Europe/Berlin", ...body(time) }));
    const expected = kind === "local" ? "2027-07-03T08:30:00" : "2027-07-03T06:30:00Z";
    expect(taken).toEqual(taken.map(() => expected));
    const isProposal = place.endsWith("waypost:proposal");
    if (kind === "utc" && !isProposal)
      expect(await read(body("2027-07-03T08:30"))).toBe("2027-07-03T03:00:00Z");
  },
);

it.each(doorNames)("instances are named by their times in each form, by %s", async (door) => {
  const call = doors[door];
  const { ref } = await call("event.create", {
    body: { ...eventRows["recurrenceOverrides/*"]!.body("2027-07-03T06:30Z"), timeZone: "Europe/Berlin" },
  });
  for (const time of formsOf("2027-07-03T08:30:00")) {
    const { version } = await call("part.describe", { id: ref });
    await call("event.update", {
      id: ref,
      version,
      patch: { [`recurrenceOverrides/${time}/title`]: `By ${time}` },
    });
    const { event } = (await call("part.describe", { id: ref })).content;
    expect(event.recurrenceOverrides).toEqual({ "2027-07-03T08:30:00": { title: `By ${time}` } });
  }
});

const cardCases = Object.entries(cardRows).flatMap(([place, row]) =>
  doorNames.map((door) => [place, door, row] as const),
);

it.each(cardCases)(
  "%s of a contact is the same instant however it is written, by %s",
  async (place, door, { body }) => {
    const call = doors[door];
    // The clock of the default calendar shows another time than that of Berlin.
    const inKolkata = formsOf("2027-07-03T08:30:00").toSpliced(
      -2,
      2,
      "2027-07-03T12:00:00",
      "2027-07-03T12:00",
    );
    const read = async (id: string) => valueAt((await call("part.describe", { id })).content.card, place);
    const { ref } = await call("contact.create", { body: { name: "Ann" } });
    const patchOf = (time: string): object => {
      const [[member, value]] = Object.entries(body(time)).slice(-1) as [[string, unknown]];
      return { [member]: value };
    };
    for (const time of inKolkata) {
      const made = await call("contact.create", { body: body(time) });
      expect(await read(made.ref)).toBe("2027-07-03T06:30:00Z");
      const { version } = await call("part.describe", { id: ref });
      await call("contact.update", { id: ref, version, patch: patchOf(time) });
      expect(await read(ref)).toBe("2027-07-03T06:30:00Z");
    }
  },
);
