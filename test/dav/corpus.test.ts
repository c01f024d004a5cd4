import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CollectionNumber } from "#/src/model/numbers.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import {
  type CorpusMessage,
  corpusFolder,
  corpusNote,
  hasCorpus,
  listCorpusFiles,
} from "../support/corpus.ts";
import { isExhaustive, sampleOf } from "../support/samples.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

/** It is not stored (RFC 6638 section 7.2), so what comes back is not what was sent. */
const ofOneChange = /^(?:ATTENDEE|ORGANIZER);SCHEDULE-FORCE-SEND=/m;

describe.skipIf(!hasCorpus)(`the corpus${corpusNote}`, () => {
  let server: JsonServer;
  let ada: DavClient;

  beforeAll(async () => {
    server = await openJsonServer();
    ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  });

  afterAll(() => server[Symbol.asyncDispose]());

  /** What files are refused with, and how many are taken, which have to come back as they were. Many at once, as each
   *  is three writes; files of one UID, which then meet, once more by themselves. */
  async function roundTrip(
    collection: string,
    type: string,
    files: readonly CorpusMessage[],
  ): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    const again: CorpusMessage[] = [];
    const carry = async ({ file, bytes }: CorpusMessage, path: string, isLast: boolean): Promise<void> => {
      const put = await ada.request("PUT", path, bytes, { "Content-Type": type });
      const outcome = put.status < 300 ? "stored" : `${put.status} ${put.condition?.split(" ")[1]}`;
      if (!isLast && outcome === "403 no-uid-conflict") {
        again.push({ file, bytes });
        return;
      }
      counts[outcome] = (counts[outcome] ?? 0) + 1;
      if (put.status >= 300) return;
      const got = await ada.request("GET", path);
      const isChanged = ofOneChange.test(bytes.toString("latin1"));
      expect(put.headers.etag, file).toBe(isChanged ? undefined : got.headers.etag);
      expect(got.bytes.equals(bytes), file).toBe(!isChanged);
      expect((await ada.request("DELETE", path)).status).toBe(204);
    };
    const left = files.values();
    await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        for (const file of left) await carry(file, `${collection}${at}`, false);
      }),
    );
    for (const file of again) await carry(file, `${collection}again`, true);
    return counts;
  }

  /** All files have these outcomes; some of them have some. */
  function expectOutcomes(counts: Record<string, number>, all: Record<string, number>): void {
    if (isExhaustive) expect(counts).toEqual(all);
    else expect(Object.keys(all)).toEqual(expect.arrayContaining(Object.keys(counts)));
  }

  // Many files are cut out of tests: without VERSION, with METHOD, events without VCALENDAR, cards without UID.
  test("every calendar object is answered octet for octet, and every other text is refused with its precondition", async () => {
    const [, collection] = await listHrefs(`/dav/calendars/${server.ada.id}/`);
    const files = sampleOf(listCorpusFiles("calendar", /\.ics$/), 150);
    const counts = await roundTrip(collection!, "text/calendar", files);
    expectOutcomes(counts, {
      stored: 603,
      "403 valid-calendar-data": 292,
      "403 valid-calendar-object-resource": 212,
      "403 supported-calendar-component": 2,
      "403 supported-rscale": 4,
    });
  });

  test("every card is answered octet for octet, and every other text is refused with its precondition", async () => {
    const [, collection] = await listHrefs(`/dav/addressbooks/${server.ada.id}/`);
    const files = sampleOf(listCorpusFiles("contact", /\.vcf$/), 50);
    const counts = await roundTrip(collection!, "text/vcard", files);
    expectOutcomes(counts, {
      stored: 55,
      "403 valid-address-data": 85,
      "403 supported-address-data": 19,
    });
  });

  async function listHrefs(home: string): Promise<readonly string[]> {
    return readResponses(await ada.request("PROPFIND", home, undefined, { Depth: "1" })).map(
      ({ href }) => href,
    );
  }

  test.each(hasCorpus ? listCorpusFiles("attack/dav-xml", /\.xml$/) : [])(
    "$file is answered as it should be",
    async ({ file, bytes }) => {
      const { how, expect: expected } = JSON.parse(
        readFileSync(`${corpusFolder}/attack/dav-xml/${file}.expect.json`, "utf8"),
      ) as { how: string; expect: { status?: readonly number[]; accept: string } };
      const [, calendar] = await listHrefs(`/dav/calendars/${server.ada.id}/`);
      const method = /PROPPATCH|REPORT/.exec(how)?.[0] ?? "PROPFIND";
      const path = method === "PROPFIND" ? "/dav/" : calendar!;
      const answer = await ada.request(method, path, bytes, {
        Depth: how.includes("Depth: 1") ? "1" : "0",
        "Content-Type": "application/xml",
      });
      expect(answer.status).not.toBe(500);
      if (expected.status !== undefined && method !== "REPORT")
        expect(expected.status).toContain(answer.status);
      expect(answer.text).not.toContain("root:");
      // The server goes on.
      expect((await ada.request("PROPFIND", "/dav/", undefined, { Depth: "0" })).status).toBe(207);
    },
  );

  const calendarQuery = `<C:calendar-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:prop><C:calendar-data><C:expand start="20260901T000000Z" end="20261001T000000Z"/></C:calendar-data></D:prop>
<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT"><C:time-range start="20260901T000000Z" end="20261001T000000Z"/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>`;
  const addressbookQuery = `<C:addressbook-query xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:carddav"><D:prop><C:address-data content-type="text/vcard" version="4.0"/></D:prop>
<C:filter><C:prop-filter name="FN"/></C:filter></C:addressbook-query>`;

  test.each([
    ...(hasCorpus ? listCorpusFiles("attack/ical", /\.ics$/) : []),
    ...(hasCorpus ? listCorpusFiles("attack/vcard", /\.vcf$/) : []),
  ])("$file is stored or refused, and reports about it are answered", async ({ file, bytes }) => {
    const kind = file.endsWith(".ics") ? "calendar" : "addressbook";
    const { client } = server.ada;
    const [, collection] = await listHrefs(`/dav/${kind}s/${server.ada.id}/`);
    const path = `${collection}attack`;
    const put = await ada.request("PUT", path, bytes, {
      "Content-Type": `text/${kind === "calendar" ? kind : "vcard"}`,
    });
    if (put.status >= 300) {
      expect([put.status, put.condition]).toEqual([
        403,
        expect.stringMatching(/ (?:valid-|max-|supported-)/),
      ]);
      return;
    }
    const query = kind === "calendar" ? calendarQuery : addressbookQuery;
    const asked = await ada.request("REPORT", collection!, query, { Depth: "1" });
    // What is too much work is said of this object alone.
    for (const { missing } of readResponses(asked))
      for (const status of missing.values()) expect(status).toBe(507);
    const { agent, object } = server.store.ids.decode(collection!.split("/").at(-2)!)!;
    const item = await server.collections.findItemBySegment(agent, object as CollectionNumber, "attack");
    const id = server.store.ids.encode(kind === "calendar" ? "event" : "contact", agent, item!.number);
    expect((await client.ok("part.describe", { id })).text.length).toBeLessThan(100_000);
    if (kind === "calendar") await client.ok("calendarMonth.list", { month: "2026-09" });
    await client.ok("search", { in: collection!.split("/").at(-2), q: "attack" });
    expect((await ada.request("DELETE", path)).status).toBe(204);
  });
});
