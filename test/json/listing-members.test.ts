/** What listings say so that no second call is needed: over `/v1`, MCP and the typed client. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClient } from "#/src/client/client.ts";
import { doorNames, openThreeDoors } from "../support/clients/three-doors.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";

let server: JsonServer;
beforeAll(async () => {
  server = await openJsonServer();
});
afterAll(() => server[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
type Answer = any;

const ok = (operation: string, input: object): Promise<Answer> => server.ada.client.ok(operation, input);

function withFiles(subject: string, count: number): string {
  const files = Array.from(
    { length: count },
    (_, at) =>
      `--b\nContent-Type: text/csv; name="f${at}.csv"\nContent-Disposition: attachment; filename="f${at}.csv"\n\n1;2\n`,
  );
  return `From: Mel <mel@elsewhere.example>\nTo: ada@waypost.test\nSubject: ${subject}\nMessage-ID: <${subject}@elsewhere.example>\nDate: Mon, 5 Jan 2026 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nSee the files.\n${files.join("")}--b--\n`;
}

describe("a listing of mail", () => {
  it("names folders and files, ten and how many more", async () => {
    await server.deliver(server.ada, withFiles("files", 12));
    const [item] = (await ok("search", { limit: 1 })).content.items;
    expect(item).toMatchObject({ folder_role: "inbox", folder_path: "INBOX", attachments_more: 2 });
    expect(item.attachments).toHaveLength(10);
    expect(item.attachments[0]).toEqual({ part: "2", name: "f0.csv", type: "text/csv", size: 3 });
    const { text } = await ok("part.describe", { id: `${item.id}#${item.attachments[0].part}` });
    expect(text.trim()).toBe("1;2");
    const client = createClient({ url: server.url, token: server.ada.token });
    const typed = await client.call("search", { limit: 1 });
    expect((typed.content as Answer).items[0].attachments[9].name).toBe("f9.csv");
  });

  it("gives all that are asked for, with shorter previews; a given max_chars cuts, and says so first", async () => {
    for (let at = 0; at < 70; at++)
      await server.deliver(server.ada, plainMessage(`many ${at}`, "The quick brown fox. ".repeat(40)));
    const all = await ok("search", { limit: 70 });
    expect(all.content.items).toHaveLength(70);
    expect(Object.keys(all.content).slice(0, 2)).toEqual(["more", "shortened"]);
    expect([all.content.more, all.content.shortened]).toEqual(["limit", "preview"]);
    for (const { preview } of all.content.items) {
      expect(preview.length).toBeLessThan(256);
      // None looks as if the mail had no text.
      expect(preview.length).toBeGreaterThanOrEqual(60);
    }
    const whole = await ok("search", { limit: 70, max_chars: 200_000 });
    expect([whole.content.shortened, whole.content.items[0].preview.length]).toEqual([undefined, 256]);
    expect((await ok("search", { limit: 3 })).content).not.toHaveProperty("shortened");
    expect(all.content.items[69].subject).toBe("many 0");
    const cut = await ok("search", { limit: 70, max_chars: 5000 });
    expect(Object.keys(cut.content)[0]).toBe("more");
    expect([cut.content.more, typeof cut.cursor]).toEqual(["max_chars", "string"]);
    expect(cut.content.items[0].preview).toHaveLength(256);
    const last = await ok("search", { limit: 100 });
    expect([last.content.more, last.cursor]).toEqual([undefined, undefined]);
  });
});

describe("a long mail", () => {
  const filler = (count: number): string =>
    "All goes on as it was before, and nothing is new. ".repeat(count);
  const long = `${filler(400)}The Größe of the penalty\n  is seven per cent. ${filler(800)}The end is here.`;
  let id: string;
  beforeAll(async () => {
    id = await server.deliver(server.ada, plainMessage("contract", long));
  });

  it("is found with the text around the words, wherever they stand and however they are written", async () => {
    const { items } = (await ok("search", { q: "the grosse of the penalty" })).content;
    expect(items).toEqual([]);
    const [item] = (await ok("search", { q: "größe of the penalty" })).content.items;
    expect(item.id).toBe(id);
    expect(item.excerpt).toMatchObject({
      part: "body",
      text: expect.stringMatching(/penalty\s+is seven per cent/),
    });
    expect(item.excerpt.text.length).toBeLessThanOrEqual(300);
    const { part, offset } = item.excerpt;
    const read = await ok("part.describe", { id, part, offset, max_chars: 400 });
    expect(read.text.slice(0, 100)).toBe(item.excerpt.text.slice(0, 100));
  });

  it("is read around words, to both sides without a gap", async () => {
    const at = await ok("part.describe", {
      id,
      around: "GROSSE OF THE PENALTY".replace("SS", "ß"),
      max_chars: 1000,
    });
    expect(at.text).toMatch(/penalty\s+is seven/);
    expect(at.text.length).toBeLessThanOrEqual(1000);
    let text = await pageText(at);
    let { start } = at.content.range;
    for (let cursor = at.cursor_before; cursor !== undefined; ) {
      const before = await ok("part.describe", { id, cursor, max_chars: 5000 });
      expect(before.content.range.end).toBe(start);
      expect(before.text.length).toBeLessThanOrEqual(5000);
      text = (await pageText(before)) + text;
      start = before.content.range.start;
      cursor = before.cursor_before;
    }
    for (let { cursor } = at; cursor !== undefined; ) {
      const after = await ok("part.describe", { id, cursor, max_chars: 20_000 });
      text += await pageText(after);
      cursor = after.cursor;
    }
    expect(text).toBe((await ok("part.describe", { id, max_chars: 200_000 })).text);
  });

  it("is read from its end, and from a character on", async () => {
    const end = await ok("part.describe", { id, end: true, max_chars: 200 });
    expect([end.text.trim().endsWith("The end is here."), end.cursor]).toEqual([true, undefined]);
    expect(end.text.length).toBeLessThanOrEqual(200);
    const whole = (await ok("part.describe", { id, max_chars: 200_000 })).text;
    const part = await ok("part.describe", { id, offset: 500, max_chars: 200 });
    expect(part.text.slice(0, 50)).toBe(whole.slice(500, 550));
  });

  it("refuses two places, words that are not there, and places in what has no text", async () => {
    const refusal = async (input: object) => {
      const { status, body } = await server.ada.client.call("part.describe", { id, ...input });
      return [status, body.error.code, body.error.field];
    };
    expect(await refusal({ around: "penalty", end: true })).toEqual([400, "invalid", "/around"]);
    expect(await refusal({ around: "unheard of" })).toEqual([404, "not_found", undefined]);
    expect(await refusal({ id: server.ada.id, end: true })).toEqual([400, "invalid", "/end"]);
  });
});

describe("a month", () => {
  it("has both ends of an event on one clock, and what overlaps", async () => {
    const create = (body: object): Promise<Answer> => ok("event.create", { body });
    const zoned = (title: string, start: string, duration: string, more = {}) =>
      create({ title, start, duration, timeZone: "Europe/Berlin", ...more });
    const one = await zoned("One", "2027-03-10T10:00:00", "PT2H");
    const two = await zoned("Two", "2027-03-10T11:00:00", "PT2H");
    await zoned("Free", "2027-03-10T11:00:00", "PT1H", { freeBusyStatus: "free" });
    await zoned("Cancelled", "2027-03-10T11:00:00", "PT1H", { status: "cancelled" });
    await zoned("Next", "2027-03-10T13:00:00", "PT1H");
    // The clock goes forward in this night.
    const night = await zoned("Night", "2027-03-27T23:00:00", "PT6H");
    await create({ title: "Days", start: "2027-03-20T00:00:00", showWithoutTime: true, duration: "P2D" });
    const { items } = (await ok("calendarMonth.list", { month: "2027-03" })).content;
    const titled = (title: string) => items.find((item: Answer) => item.title === title);
    expect(titled("One")).toMatchObject({ end: "2027-03-10T12:00:00", overlaps: [two.ref] });
    expect(titled("Two").overlaps).toEqual([one.ref]);
    for (const title of ["Free", "Cancelled", "Next"]) expect(titled(title).overlaps).toBeUndefined();
    expect(titled("Night").end).toBe("2027-03-28T06:00:00");
    expect(titled("Days")).toMatchObject({
      start: "2027-03-20T00:00:00",
      end: "2027-03-22T00:00:00",
      all_day: true,
    });
    const { content } = await ok("part.describe", { id: night.ref });
    expect(content).toMatchObject({
      start: "2027-03-27T23:00:00",
      end: "2027-03-28T06:00:00",
      time_zone: "Europe/Berlin",
    });
  });
});

describe("one event", () => {
  const create = async (body: object, more: object = {}): Promise<string> =>
    (await ok("event.create", { body: { timeZone: "Europe/Berlin", ...body }, ...more })).ref;
  const on = (day: number, title: string, start: string, duration: string, more = {}) =>
    create({ title, start: `2028-05-${day}T${start}`, duration, ...more });

  it.each(doorNames)("says what overlaps, in all calendars of its owner, by %s", async (door) => {
    await using doors = await openThreeDoors(server.url, server.ada.token);
    const read = async (id: string) => (await doors[door]("part.describe", { id })).content.overlaps;
    const day = 10 + 3 * doorNames.indexOf(door);
    const { ref: other } = await ok("calendar.create", { name: `Other ${door}` });
    const one = await on(day, "One", "10:00:00", "PT2H");
    const two = await on(day, "Two", "11:00:00", "PT2H");
    const elsewhere = await create(
      { title: "Elsewhere", start: `2028-05-${day}T09:00:00`, duration: "PT90M" },
      { in: other },
    );
    const series = await on(day, "Series", "11:30:00", "PT15M", {
      recurrenceRule: { frequency: "daily", count: 3 },
    });
    const free = await on(day, "Free", "11:00:00", "PT1H", { freeBusyStatus: "free" });
    await on(day, "Cancelled", "11:00:00", "PT1H", { status: "cancelled" });
    await on(day, "Next", "13:00:00", "PT1H");
    const instance = `${series}#2028-05-${day}T11:30:00`;
    expect(await read(one)).toEqual([elsewhere, two, instance]);
    expect(await read(two)).toEqual([one, instance]);
    expect(await read(instance)).toEqual([one, two]);
    for (const none of [free, series]) expect(await read(none)).toBeUndefined();
    const { items } = (await ok("calendarMonth.list", { month: "2028-05" })).content;
    expect(items.find(({ id }: Answer) => id === one).overlaps).toEqual([two, instance]);
  });

  it("names five others at most", async () => {
    const whole = await on(20, "Whole", "08:00:00", "PT10H");
    const parts: string[] = [];
    for (let hour = 9; hour < 16; hour++)
      parts.push(await on(20, `Part ${hour}`, `${String(hour).padStart(2, "0")}:00:00`, "PT1H"));
    expect((await ok("part.describe", { id: whole })).content.overlaps).toEqual(parts.slice(0, 5));
  });

  it("tells of calendars alone that the caller reads", async () => {
    const { ada, bob } = server;
    const { ref: hidden } = await ok("calendar.create", { name: "Hidden" });
    const shown = (await ok("part.describe", { id: ada.id })).content.calendars[0].id;
    const one = await on(25, "Shown", "10:00:00", "PT1H");
    const two = await create(
      { title: "Not shown", start: "2028-05-25T10:00:00", duration: "PT1H" },
      { in: hidden },
    );
    await server.administer("grant.create", {
      holder: bob.address,
      target: ada.address,
      scopes: ["calendar:read"],
      calendars: [shown],
    });
    expect((await ok("part.describe", { id: one })).content.overlaps).toEqual([two]);
    expect((await bob.client.ok("part.describe", { id: one })).content.overlaps).toBeUndefined();
  });
});

/** The text of a page without its closing line. */
async function pageText({ text }: Answer): Promise<string> {
  return text.replace(/\n\[truncated: [^\n]*\]$/, "");
}
