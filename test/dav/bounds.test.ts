/** The work and the answer of one request are bounded, also when it repeats the same thing many times. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { XmlElement } from "#/protocols/dav/xml/element.ts";
import { readXml } from "#/protocols/dav/xml/read-xml.ts";
import { writeElement } from "#/protocols/dav/xml/write-xml.ts";
import { davPropertiesMax, filterPartsMax, itemPortionBytesMax } from "#/src/model/limits.ts";
import { basic, type DavAnswer, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let calendar: string;

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  calendar = `/dav/calendars/${server.ada.id}/bounds/`;
  expect((await ada.request("MKCALENDAR", calendar)).status).toBe(201);
  const put = await ada.request("PUT", `${calendar}a.ics`, eventText("a"), {
    "Content-Type": "text/calendar",
  });
  expect(put.status).toBe(201);
});

afterAll(() => server[Symbol.asyncDispose]());

const spaces = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:S="http://calendarserver.org/ns/"';

function report(path: string, name: string, content: string, depth = "0"): Promise<DavAnswer> {
  return ada.request("REPORT", path, `<${name} ${spaces}>${content}</${name}>`, { Depth: depth });
}

function count(answer: DavAnswer, text: string): number {
  return answer.text.split(text).length - 1;
}

describe("a property that is asked for again and again is answered once", () => {
  test("in PROPFIND", async () => {
    const body = `<propfind ${spaces}><prop>${"<supported-privilege-set/>".repeat(300)}</prop></propfind>`;
    const answer = await ada.request("PROPFIND", calendar, body, { Depth: "0" });
    expect([answer.status, count(answer, "<D:supported-privilege-set>")]).toEqual([207, 1]);
  });

  test("beside allprop", async () => {
    const body = `<propfind ${spaces}><allprop/><include>${"<acl/>".repeat(300)}</include></propfind>`;
    const answer = await ada.request("PROPFIND", calendar, body, { Depth: "0" });
    expect([answer.status, count(answer, "<D:acl>")]).toEqual([207, 1]);
    const more = body.replace("<acl/>", "<acl/>".repeat(davPropertiesMax));
    expect((await ada.request("PROPFIND", calendar, more, { Depth: "0" })).status).toBe(400);
  });

  test("the octets of an item in a multiget", async () => {
    const asked = `<prop>${"<C:calendar-data/>".repeat(300)}</prop><href>${calendar}a.ics</href>`;
    const answer = await report(calendar, "C:calendar-multiget", asked);
    expect([answer.status, count(answer, "BEGIN:VEVENT")]).toEqual([207, 1]);
  });

  test("an item in a multiget, however its href is written", async () => {
    const hrefs = [`${calendar}a.ics`, `${calendar}%61.ics`, `http://x.example${calendar}a.ics`];
    const asked = `<prop><C:calendar-data/></prop>${`<href>${hrefs.join("</href><href>")}</href>`.repeat(100)}<href>/none</href>`;
    const answer = await report(calendar, "C:calendar-multiget", asked);
    expect([answer.status, count(answer, "BEGIN:VEVENT")]).toEqual([207, 1]);
    expect(answer.text).toContain(`<D:href>${calendar}a.ics</D:href>`);
  });

  test("in expand-property, also inside of others", async () => {
    const inner = '<property name="supported-privilege-set"/>'.repeat(20);
    const asked = `<property name="current-user-principal">${inner}</property>`.repeat(20);
    const answer = await report(calendar, "expand-property", asked);
    expect([answer.status, count(answer, "<D:supported-privilege-set>")]).toEqual([207, 1]);
  });
});

test("expand-property has the same limit of properties as other requests", async () => {
  const names = (size: number) =>
    Array.from({ length: size }, (_, at) => `<property name="p${at}"/>`).join("");
  expect((await report(calendar, "expand-property", names(davPropertiesMax))).status).toBe(207);
  expect((await report(calendar, "expand-property", names(davPropertiesMax + 1))).status).toBe(400);
});

test("PROPPATCH has the same limit of properties as other requests", async () => {
  const set = `<set><prop>${"<getetag/>".repeat(davPropertiesMax + 1)}</prop></set>`;
  const answer = await ada.request(
    "PROPPATCH",
    calendar,
    `<propertyupdate ${spaces}>${set}</propertyupdate>`,
  );
  expect(answer.status).toBe(400);
});

describe("a search for principals", () => {
  const condition = (text: string) =>
    `<property-search><prop>${"<displayname/>".repeat(50)}<S:email-address-set/></prop><match>${text}</match></property-search>`;

  test("finds principals that match all conditions", async () => {
    const found = await report("/dav/principals/", "principal-property-search", condition("ada").repeat(20));
    expect(count(found, "<D:response>")).toBe(1);
    const mixed = condition("ada") + condition("bob");
    const none = await report("/dav/principals/", "principal-property-search", mixed);
    expect(count(none, "<D:response>")).toBe(0);
  });

  test("is refused with more conditions than the limit", async () => {
    const many = condition("ada").repeat(filterPartsMax + 1);
    expect((await report("/dav/principals/", "principal-property-search", many)).status).toBe(400);
  });

  test("of Apple's clients does not match the scheme (mailto) of addresses", async () => {
    const search = (text: string) =>
      report(
        "/dav/principals/",
        "S:calendarserver-principal-search",
        `<S:search-token>${text}</S:search-token>`,
      );
    expect(count(await search("ada"), "<D:response>")).toBe(1);
    expect(count(await search("mailto"), "<D:response>")).toBe(0);
  });
});

describe("octets of items are read a portion at a time", () => {
  const names = ["0.ics", "1.ics", "2.ics", "3.ics"];
  let path = "";
  const read: number[] = [];

  beforeAll(async () => {
    path = `/dav/calendars/${server.ada.id}/large/`;
    await ada.request("MKCALENDAR", path);
    const line = `DESCRIPTION:${"x".repeat(3 * 1024 * 1024)}`;
    for (const name of names) {
      const put = await ada.request("PUT", `${path}${name}`, eventText(name, line), {
        "Content-Type": "text/calendar",
      });
      expect(put.status, put.text).toBe(201);
    }
  });

  beforeEach(() => {
    read.length = 0;
    const { collections } = server;
    const readItems = collections.readItems.bind(collections);
    vi.spyOn(collections, "readItems").mockImplementation(async (agent, numbers) => {
      const items = await readItems(agent, numbers);
      read.push(items.reduce((sum, item) => sum + (item?.size ?? 0), 0));
      return items;
    });
  });

  afterAll(() => vi.restoreAllMocks());

  const data = "<prop><getetag/><C:calendar-data/></prop>";
  const filter = (inner: string) =>
    `<C:filter><C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">${inner}</C:comp-filter></C:comp-filter></C:filter>`;
  const range = '<C:time-range start="20000101T000000Z" end="20400101T000000Z"/>';
  const hrefs = () => names.map((name) => `<href>${path}${name}</href>`).join("");
  const requests: [string, () => Promise<DavAnswer>][] = [
    ["multiget", () => report(path, "C:calendar-multiget", data + hrefs())],
    ["query", () => report(path, "C:calendar-query", data + filter(""), "1")],
    ["query by time", () => report(path, "C:calendar-query", data + filter(range), "1")],
    [
      "query by text",
      () =>
        report(
          path,
          "C:calendar-query",
          data + filter('<C:prop-filter name="UID"><C:text-match>ics</C:text-match></C:prop-filter>'),
          "1",
        ),
    ],
    ["first sync", () => report(path, "sync-collection", `<sync-token/><sync-level>1</sync-level>${data}`)],
    [
      "later sync",
      () =>
        report(
          path,
          "sync-collection",
          `<sync-token>urn:waypost:sync:1</sync-token><sync-level>1</sync-level>${data}`,
        ),
    ],
    ["export", () => ada.request("GET", path)],
  ];
  test.each(requests)("%s", async (_, ask) => {
    const answer = await ask();
    expect(read.length).toBeGreaterThan(1);
    expect(
      [count(answer, "BEGIN:VEVENT"), Math.max(...read) <= itemPortionBytesMax],
      String(answer.status),
    ).toEqual([names.length, true]);
  });

  test("free-busy", async () => {
    const asked = '<C:time-range start="20250101T000000Z" end="20270101T000000Z"/>';
    expect((await report(path, "C:free-busy-query", asked)).status).toBe(200);
    expect(read.length).toBeGreaterThan(1);
    expect(Math.max(...read)).toBeLessThanOrEqual(itemPortionBytesMax);
  });
});

test("a namespace declaration is not used by siblings, and is written once for its descendants", () => {
  const text =
    '<a xmlns="urn:1"><b xmlns="urn:2" xmlns:x="urn:3" x:y="1"/><x:b xmlns:x="urn:3"><c/></x:b></a>';
  const written = writeElement(readXml(Buffer.from(text)));
  expect(written).toBe(
    '<n0:a xmlns:n0="urn:1"><n1:b xmlns:n1="urn:2" xmlns:n2="urn:3" n2:y="1"/><n1:b xmlns:n1="urn:3"><n0:c/></n1:b></n0:a>',
  );
  expect(plain(readXml(Buffer.from(written)))).toEqual(plain(readXml(Buffer.from(text))));
});

function plain({ namespace, name, children }: XmlElement): unknown {
  return [namespace, name, children.map(plain)];
}
