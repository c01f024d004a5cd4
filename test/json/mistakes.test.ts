/** Mistakes that language models make with their calls: each refusal says what mends it. The first part is derived from the declarations, the
 *  second is a table of mistakes that were made. */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { parseInput } from "#/protocols/json/carriage/input.ts";
import { givenTime } from "#/protocols/json/given-time.ts";
import { jsonSchema } from "#/protocols/json/mcp/tool.ts";
import { operations } from "#/protocols/json/registry.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

type Json = Readonly<Record<string, unknown>>;

interface Place {
  readonly path: readonly (string | number)[];
  readonly schema: Json;
  readonly mayBeMissing: boolean;
}

/** Each field, also within objects and lists. */
function placesOf({ properties = {}, required = [], items, anyOf }: Json, path: Place["path"] = []): Place[] {
  const inner = [
    ...Object.entries(properties as Record<string, Json>).map(([name, schema]) => [name, schema] as const),
    ...(items === undefined ? [] : [[0, items as Json] as const]),
  ];
  return [
    ...inner.flatMap(([step, schema]) => [
      {
        path: [...path, step],
        schema,
        mayBeMissing: typeof step === "string" && !(required as readonly string[]).includes(step),
      },
      ...placesOf(schema, [...path, step]),
    ]),
    ...((anyOf as readonly Json[] | undefined) ?? []).flatMap((choice) => placesOf(choice, path)),
  ];
}

function withAt(value: unknown, [step, ...rest]: Place["path"], put: unknown): unknown {
  if (step === undefined) return put;
  if (typeof step === "number") return [withAt(Array.isArray(value) ? value[0] : undefined, rest, put)];
  const object = typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
  return { ...object, [step]: withAt(object[step], rest, put) };
}

const all = operations.flatMap((operation) =>
  placesOf(jsonSchema(operation.input, "input")).map((place) => ({ operation, ...place })),
);

function refusalOf({ operation, path }: (typeof all)[number], value: unknown) {
  try {
    parseInput(operation.input, withAt(operation.example, path, value));
    return undefined;
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    const { message, details } = error;
    const at = `/${path.join("/")}`;
    // Something else may be wrong before it.
    return details.field === at || details.field?.startsWith(`${at}/`)
      ? { message, hint: details.hint! }
      : undefined;
  }
}

const wrong = [1, 1.5, -7, true, null, "?", "", "x ".repeat(60_000), [], [1], [[]], {}, { a: 1 }];

describe("a value of a wrong kind", () => {
  it("is refused with a hint about the field, of every field of every operation", () => {
    const silent: string[] = [];
    let refused = 0;
    for (const place of all)
      for (const value of wrong) {
        const refusal = refusalOf(place, value);
        if (refusal === undefined) continue;
        refused++;
        if (refusal.hint.startsWith("help.describe"))
          silent.push(
            `${place.operation.name} /${place.path.join("/")} ${JSON.stringify(value).slice(0, 20)}`,
          );
      }
    expect(silent).toEqual([]);
    expect(refused).toBeGreaterThan(1000);
  });

  it("is refused with all values, where there are few", () => {
    for (const place of all) {
      const values = (place.schema.enum ?? (place.schema.items as Json | undefined)?.enum) as
        | string[]
        | undefined;
      for (const value of values === undefined ? [] : ["?", 1, ["?"]]) {
        const refusal = refusalOf(place, value);
        for (const one of refusal === undefined ? [] : values!)
          expect([place.operation.name, place.path, refusal!.hint]).toEqual([
            place.operation.name,
            place.path,
            expect.stringContaining(one),
          ]);
      }
    }
  });

  it("is refused with the advice to leave null out, where the field may be missing", () => {
    const wrong: string[] = [];
    const advised = new Set<boolean>();
    for (const place of all) {
      const refusal = refusalOf(place, null);
      if (refusal === undefined) continue;
      const isAdvised = refusal.hint.includes("Leave it out");
      advised.add(isAdvised);
      const may = all.some(
        (one) =>
          one.operation === place.operation &&
          one.path.join("/") === place.path.join("/") &&
          one.mayBeMissing,
      );
      if (isAdvised !== may) wrong.push(`${place.operation.name} /${place.path.join("/")} ${refusal.hint}`);
    }
    expect(wrong).toEqual([]);
    expect(advised).toEqual(new Set([true, false]));
  });

  it("is not written to the end for its hint, where it is long", () => {
    const write = vi.spyOn(JSON, "stringify");
    try {
      const given = {
        a: "x".repeat(1_000_000),
        b: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [n, n])),
      };
      for (const value of [...Object.values(given), given])
        expect(() => parseInput(z.object({ list: z.array(z.unknown()) }), { list: value })).toThrow("a list");
      // A schema writes the names of its fields.
      expect(write.mock.calls.filter(([value]) => value !== "list")).toEqual([]);
      expect(() => parseInput(z.object({ list: z.array(z.unknown()) }), { list: { a: [1] } })).toThrow(
        expect.objectContaining({ details: { field: "/list", hint: 'A list: [{"a":[1]}].' } }),
      );
    } finally {
      write.mockRestore();
    }
  });

  it("is refused with a time that can be copied, where a time is asked for", () => {
    const { pattern } = z.toJSONSchema(givenTime);
    const formsOf = ({ anyOf }: Json) => (anyOf ?? []) as readonly Json[];
    const times = all.filter(({ schema }) =>
      [schema, ...formsOf(schema)].some((one) => one.pattern === pattern),
    );
    for (const place of times) {
      // An end of a range takes a day.
      const isRange = formsOf(place.schema).some(({ format }) => format === "date");
      for (const value of ["tomorrow", ...(isRange ? [] : ["2026-03-02"]), "03/02/2026", 1_772_442_000])
        expect(refusalOf(place, value)?.hint).toMatch(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/);
    }
    expect(times.length).toBeGreaterThan(5);
  });

  it("is shown without quotes or in a list, where that is what is wrong with it", () => {
    for (const place of all) {
      const { type, items } = place.schema;
      const text = { integer: "5", boolean: "true", array: "[]", object: "{}" }[String(type)];
      if (text !== undefined)
        expect(refusalOf(place, text)?.hint ?? "without quotes").toContain("without quotes");
      if (type === "array" && (items as Json).type === "string" && (items as Json).enum === undefined)
        expect(refusalOf(place, "one")?.hint ?? '["one"]').toContain('["one"]');
    }
  });
});

describe("several mistakes in one call", () => {
  const hintOf = (name: string, value: unknown): string => {
    try {
      parseInput(operations.find((one) => one.name === name)!.input, value);
    } catch (error) {
      if (isWaypostError(error)) return error.details.hint!;
      throw error;
    }
    return "";
  };

  it("are named together, each with what mends it", () => {
    const asked = {
      kind: "freetime",
      with: "ann@example.com",
      duration: "PT1H",
      since: "next week",
      days: ["monday"],
    };
    expect(hintOf("search", asked)).toMatch(
      /A list: \["ann@example\.com"\].*Also: The field \/days\/0 .*One of: su, mo, .*Also: The field \/since .*T09:00:00Z/,
    );
    expect(hintOf("send", { recipients: ["a@example.com"], content: "Hello." })).toMatch(
      /^\/body\/to was meant\? Known fields: .* Also: The field \/content is not known here\. \/body/,
    );
  });

  it("are told up to four, and none is told twice", () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`x${at}`, at]));
    const hint = hintOf("search", many);
    expect(hint.match(/Also:/g)).toHaveLength(3);
    expect(hint.match(/Known fields/g)).toHaveLength(1);
    expect(hint.length).toBeLessThan(1000);
  });
});

describe("a mistake", () => {
  let server: JsonServer;
  let ids: Readonly<Record<"message" | "event" | "contact" | "calendar" | "addressbook" | "agent", string>>;
  let versions: Readonly<Record<"event" | "contact", string>>;
  beforeAll(async () => {
    server = await openJsonServer();
    const { client, id: agent } = server.ada;
    const message = await server.deliver(server.ada, withFile);
    const event = await client.ok("event.create", {
      body: { title: "Review", start: "2027-03-02T10:00:00", duration: "PT1H" },
    });
    const contact = await client.ok("contact.create", { body: { name: "Ann", emails: ["ann@example.com"] } });
    const { calendars, addressbooks } = (await client.ok("part.describe", { id: agent })).content;
    ids = {
      message,
      agent,
      event: event.ref,
      contact: contact.ref,
      calendar: calendars[0].id,
      addressbook: addressbooks[0].id,
    };
    versions = { event: event.version, contact: contact.version };
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const part = (name: string, text: string) =>
    `--b\nContent-Type: text/plain\nContent-Disposition: ${name}\n\n${text}\n`;
  const withFile = plainMessage(
    "Here",
    `${part("inline", "Here.")}${part("attachment; filename=plan.txt", "Plan.")}--b--\n`,
  ).replace("text/plain; charset=utf-8", "multipart/mixed; boundary=b");
  const mail = { to: ["bob@first.example"], text: "Hello." };
  const week = { since: "2027-03-01T00:00:00Z", before: "2027-03-05T00:00:00Z" };
  const review = { title: "Review", start: "2027-03-02T10:00:00" };

  /** What is called with what, and what the message and hint have. */
  const rows: readonly (readonly [string, object, ...string[]])[] = [
    ["part_describe", { id: "message_…" }, "part.describe was meant?"],
    ["catalog_describe", {}, "catalog.describe was meant?"],
    ["mail.search", {}, "search was meant?"],
    ["messages.list", {}, "search was meant?"],
    ["message.send", mail, "send was meant?"],
    ["listEvents", {}, "calendarMonth.list was meant?"],
    ["contact.search", {}, "search was meant?"],
    ["messages.move", {}, "message.update was meant?"],
    ["folder.list", {}, "part.describe was meant?"],
    ["deleteMessage", {}, "message.delete was meant?"],
    ["send", mail, "/body/to was meant?"],
    [
      "send",
      { recipients: ["bob@first.example"], text: "x" },
      "/body/to was meant?",
      "/body/text was meant?",
    ],
    [
      "send",
      { body: { ...mail, attachments: [{ message: "message_…", part: "2" }] } },
      "/body/attachments/0/part was meant?",
      "message_…#1.2: a file of a mail",
    ],
    ["send", { body: { ...mail, attachments: [{ part: "2" }] } }, "message_…#1.2: a message, and"],
    [
      "event.update",
      { id: "event_…#2027-03-02T10:00Z", version: "event", patch: {} },
      "event_…#2026-03-02T10:00:00",
    ],
    ["send", { body: "Hello." }, "must be an object", "Its fields: to, cc, bcc"],
    ["send", { body: JSON.stringify(mail) }, "without quotes"],
    ["send", { body: { ...mail, to: "bob@first.example" } }, 'A list: ["bob@first.example"].'],
    ["event.create", review, "/body/title was meant?"],
    ["event.update", { id: "event_…", version: "event", title: "x" }, "/patch/title was meant?"],
    ["contact.create", { name: "Ann" }, "/body/name was meant?"],
    [
      "contact.create",
      { name: "Ann", email: "ann@example.com", phone: "1" },
      "/body/email was meant?",
      'For example {"body":{"name":"Ada Lovelace","emails":["ada@example.com"],"phones":',
    ],
    ["search", { kind: "freetime", ...week, duration: "PT1H", to: "2027-03-05" }, "/before was meant?"],
    ["search", { to: "ann@example.com" }, "/q was meant?"],
    ["part.describe", { id: "message_…", q: "words" }, "/around was meant?"],
    ["part.describe", { id: "message_…", part: "plan.txt" }, 'The file of this name is part "2".'],
    ["message.update", { id: "message_…", folder: "Reading" }, "folder.create makes one"],
    ["search", { kind: "freetime", ...week, duration: "PT1H", days: "mo" }, "One of: su, mo"],
    [
      "event.create",
      { body: { ...review, start: "2027-03-02T10:00:00", end: "2027-03-02T11:00:00" } },
      "duration",
    ],
    ["event.create", { body: { ...review, start_time: "2027-03-02T10:00:00" } }, "start:"],
    ["event.create", { body: { ...review, all_day: true } }, "showWithoutTime"],
    [
      "event.create",
      {
        body: {
          ...review,
          time_zone: "Europe/Berlin",
          end: "2027-03-02T11:00:00",
          attendees: ["a@b.example"],
        },
      },
      'timeZone: "Europe/Berlin"',
      "Also /end: An event has",
      "Also /attendees: `participants`",
    ],
    [
      "contact.create",
      { body: { name: "Ann", email: "ann@example.com", phone: "1" } },
      'emails: ["ada@example.com"]',
      "Also /phone: Known here: phones",
    ],
    [
      "event.create",
      { body: { ...review, recurrenceRule: { frequency: "weekly", byDay: ["fr"], until: "always" } } },
      '"byDay": [{"day": "mo"}]',
      "Also /recurrenceRule/until: A time",
    ],
    ["search", { kind: "contact" }, "part.describe of the mailbox that health names"],
    ["search", { query: "invoice" }, "/q was meant?"],
    ["search", { max_results: 5 }, "/limit was meant?"],
    ["search", { input: { folder: "inbox" } }, "stand beside the others, without input"],
    ["search", { folder: "Archiv" }, "There are archive, drafts, inbox", "part.describe"],
    ["search", { in: "contacts" }, "addressbook_…"],
    ["search", { kind: "contacts" }, "addressbook that in names"],
    [
      "search",
      { kind: "freetime", ...week, duration: "PT1H", days: "mo-fr" },
      "must be a list. One of: su, mo",
    ],
    ["part.describe", { message_id: "message_…" }, "/id was meant?"],
    ["part.describe", { id: "message_…", format: "markdown" }, "/render was meant?"],
    ["part.describe", { id: "inbox" }, 'part.describe {"id": "ag_'],
    ["send", { message: mail }, "/body was meant?"],
    ["send", { body: { ...mail, content: "x" } }, "/body/text was meant?"],
    ["send", { body: { ...mail, body: "x" } }, "/body/text was meant?"],
    ["send", { body: { recipients: ["bob@first.example"], text: "x" } }, "/body/to was meant?"],
    ["send", { body: { ...mail, cc: null } }, "Leave it out"],
    ["message.update", { id: "message_…", patch: { unread: false } }, "without patch around them"],
    ["message.update", { id: "message_…", move_to: "archive" }, "/folder was meant?"],
    ["message.update", { message: "message_…", unread: false }, "/id was meant?"],
    [
      "message.update",
      { id: "event_…", unread: false },
      "identifier of an event",
      "message_…. search gives them",
    ],
    ["folder.create", { name: "Projects" }, "/path was meant?"],
    ["event.create", { event: review }, "/body was meant?"],
    ["event.create", { calendar: "calendar_…", body: review }, "/in was meant?"],
    ["event.create", { in: "default", body: review }, "lists folders, calendars and addressbooks"],
    ["event.create", { body: { ...review, participants: ["Ann"] } }, "is no address", "ann@example.com"],
    ["event.create", { body: { ...review, description: null } }, "leave it out"],
    ["event.create", { body: { ...review, status: "CONFIRMED" } }, '"confirmed"'],
    ["event.create", { body: { ...review, duration: "1h" } }, "A duration: PT1H30M, P1D. duration:"],
    ["event.update", { id: "event_…", version: "event", body: { title: "x" } }, 'patch: {"title"'],
    [
      "event.update",
      { id: "event_…", version: "event", patch: { participationStatus: "accepted" } },
      "participants/me/participationStatus",
    ],
    [
      "event.update",
      {
        id: "event_…",
        version: "event",
        patch: { participants: { me: { participationStatus: "accepted" } } },
      },
      '"participants/me/participationStatus"',
    ],
    ["calendarMonth.list", { month: "2027-3" }, "2026-03"],
    ["calendarMonth.list", { year: 2027 }, "month"],
    ["contact.create", { body: { full_name: "Ann" } }, 'name: "Ada Lovelace"'],
    ["contact.create", { body: { name: "Ann", foo: 1 } }, "Known members (RFC 9553): "],
    ["contact.update", { id: "contact_…", version: "contact", body: { foo: 1 } }, "changes a part of it"],
    ["blob.create", { content: "aGk=" }, "/data was meant?"],
    ["help.describe", { op: "send" }, "/operation was meant?"],
    ["event.create", { body: { ...review, foo: 1 } }, "Known members: ", "title, "],
  ];

  const cases = rows.map(([operation, input, ...says]) => ({ operation, input, says }));

  it.each(cases)("in $operation $input is told with what mends it", async ({ operation, input, says }) => {
    const text = JSON.stringify(input)
      .replaceAll(
        /(message|event|contact|calendar|addressbook|agent)_…/g,
        (_, kind: string) => ids[kind as never],
      )
      .replaceAll(
        /"version":"(event|contact)"/g,
        (_, kind: string) => `"version":"${versions[kind as never]}"`,
      );
    const { body } = await server.ada.client.call(operation, JSON.parse(text));
    const told = `${body.error?.message} ${body.error?.hint}`;
    for (const one of says) expect(told).toMatch(one);
  });

  it.each([
    ["event.create", { title: "T", start: "2030-01-15T10:00" }],
    ["event.create", { title: "T", start: "2030-01-15T10:00", recurrenceOverrides: {} }],
    ["contact.create", { name: "Ada" }],
    ["contact.create", { name: "Ada", emails: {} }],
  ])("%s repeats only the beginning of names that are long: %j", async (operation, body) => {
    const names = Object.fromEntries(["a", "b", "c", "d"].map((letter) => [letter.repeat(100_000), 1]));
    const [inner] = Object.keys(body).filter((name) => name === "recurrenceOverrides" || name === "emails");
    const refused = await server.ada.client.call(operation, {
      body: inner === undefined ? { ...body, ...names } : { ...body, [inner]: names },
    });
    expect(JSON.stringify(refused.body)).toMatch(/"code":"invalid".*aaa…/);
    expect(JSON.stringify(refused.body).length).toBeLessThan(5000);
  });
});
