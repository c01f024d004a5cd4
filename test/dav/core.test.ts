import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockTimeoutMsMax } from "#/protocols/dav/locks/locks.ts";
import { apple, caldav, calendarserver, carddav, dav } from "#/protocols/dav/xml/names.ts";
import { deadPropertiesMax, deadPropertyBytesMax } from "#/src/model/limits.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { calendarText, cardText, eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let home: string;
let calendar: string;
let addressbook: string;

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  home = `/dav/calendars/${server.ada.id}/`;
  const listed = await ada.request("PROPFIND", home, undefined, { Depth: "1" });
  calendar = readResponses(listed).find(
    ({ found }) => found.get("DAV: displayname")?.text === "Calendar",
  )!.href;
  const cards = await ada.request("PROPFIND", `/dav/addressbooks/${server.ada.id}/`, undefined, {
    Depth: "1",
  });
  addressbook = readResponses(cards).find(
    ({ found }) => found.get("DAV: displayname")?.text === "Contacts",
  )!.href;
});

afterAll(() => server[Symbol.asyncDispose]());

const ics = { "Content-Type": "text/calendar; charset=utf-8" };
const vcf = { "Content-Type": "text/vcard" };
const outside = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;

describe("discovery", () => {
  test.each(["caldav", "carddav"])("/.well-known/%s leads to /dav/ without a credential", async (name) => {
    for (const method of ["GET", "PROPFIND", "OPTIONS"]) {
      const answer = await davClient(server.url).request(method, `/.well-known/${name}`);
      expect([answer.status, answer.headers.location]).toEqual([301, "/dav/"]);
    }
  });

  test("a client finds its calendars and addressbooks from the root alone", async () => {
    const root = await ada.properties(
      "/dav/",
      dav("current-user-principal"),
      dav("principal-collection-set"),
    );
    const principal = root.get("DAV: current-user-principal")!.children[0]!.text;
    expect(principal).toBe(`/dav/principals/${server.ada.id}/`);
    const found = await ada.properties(
      principal,
      caldav("calendar-home-set"),
      carddav("addressbook-home-set"),
      caldav("calendar-user-address-set"),
      dav("resourcetype"),
      dav("displayname"),
    );
    expect(found.get("urn:ietf:params:xml:ns:caldav calendar-home-set")!.children[0]!.text).toBe(home);
    expect(found.get("urn:ietf:params:xml:ns:carddav addressbook-home-set")!.children[0]!.text).toBe(
      `/dav/addressbooks/${server.ada.id}/`,
    );
    const addresses = found.get("urn:ietf:params:xml:ns:caldav calendar-user-address-set")!.children;
    expect(addresses.map(({ text }) => text)).toEqual(["mailto:ada@first.example", principal]);
    expect(found.get("DAV: resourcetype")!.children.map(({ name }) => name)).toEqual([
      "collection",
      "principal",
    ]);
  });

  test.runIf(outside !== undefined)(
    "a password is taken from another machine over TLS alone, and is not asked for without",
    async () => {
      await using own = await openJsonServer({
        http: { host: "0.0.0.0" },
        https: { enabled: true, host: "0.0.0.0", port: 0 },
      });
      const { address, token } = own.ada;
      const [plain, secure] = own.listeners.map(({ port }) => port);
      const ask = async (port: number, authorization: string) => {
        const overTls = { protocol: "https:", agent: new https.Agent({ rejectUnauthorized: false }) };
        const request = http.request({
          ...(port === secure ? overTls : {}),
          host: outside,
          port,
          path: "/dav/",
          method: "PROPFIND",
          headers: { authorization, depth: "0" },
        });
        const [response] = (await once(request.end(), "response")) as [http.IncomingMessage];
        response.resume();
        return [response.statusCode, response.headers["www-authenticate"]];
      };
      const bearer = 'Bearer realm="Waypost"';
      expect(await ask(plain!, basic(address, token))).toEqual([401, bearer]);
      expect(await ask(plain!, `Bearer ${token}`)).toEqual([207, undefined]);
      expect(await ask(secure!, basic(address, token))).toEqual([207, undefined]);
    },
  );

  test("OPTIONS names what is served, and the methods of the resource", async () => {
    const { status, headers } = await ada.request("OPTIONS", calendar);
    expect(status).toBe(200);
    const classes = headers.dav!.split(", ");
    for (const one of "1 2 3 access-control extended-mkcol calendar-access calendar-availability addressbook".split(
      " ",
    ))
      expect(classes).toContain(one);
    expect(headers.allow!.split(", ").sort()).toEqual(
      "ACL COPY DELETE GET HEAD LOCK MKCOL MOVE OPTIONS POST PROPFIND PROPPATCH REPORT UNLOCK".split(" "),
    );
  });

  test("OPTIONS names MKCALENDAR where calendars are made", async () => {
    const allow = async (path: string) => (await ada.request("OPTIONS", path)).headers.allow!.split(", ");
    expect(await allow(home)).toContain("MKCALENDAR");
    expect(await allow(`${calendar}new/`)).toContain("MKCALENDAR");
    for (const path of [calendar, addressbook, "/dav/"])
      expect(await allow(path)).not.toContain("MKCALENDAR");
  });
});

describe("credentials", () => {
  test.each([
    ["none", undefined],
    ["a wrong password", basic("ada@first.example", "wrong")],
    ["an unknown address", basic("nobody@first.example", "wrong")],
    ["Basic that is none", "Basic ???"],
    ["a wrong token", "Bearer wp_wrong"],
  ])("%s is answered 401 with a challenge", async (_, authorization) => {
    const answer = await davClient(server.url, authorization).request("PROPFIND", "/dav/");
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe('Basic realm="Waypost", charset="UTF-8"');
  });

  test("a bearer token is taken", async () => {
    const client = davClient(server.url, `Bearer ${server.ada.token}`);
    expect((await client.request("PROPFIND", "/dav/", undefined, { Depth: "0" })).status).toBe(207);
  });

  test("a token that reads calendars sees no addressbook and writes nothing", async () => {
    const { token } = await server.token(server.ada, ["calendar:read"]);
    const reader = davClient(server.url, `Bearer ${token}`);
    expect((await reader.request("PROPFIND", calendar, undefined, { Depth: "0" })).status).toBe(207);
    expect((await reader.request("PROPFIND", addressbook, undefined, { Depth: "0" })).status).toBe(404);
    const refused = await reader.request("PUT", `${calendar}read.ics`, eventText("read"), ics);
    expect([refused.status, refused.condition]).toEqual([403, "DAV: need-privileges"]);
    const privileges = await reader.properties(calendar, dav("current-user-privilege-set"));
    const names = privileges
      .get("DAV: current-user-privilege-set")!
      .children.map((one) => one.children[0]!.name);
    expect(names).toContain("read");
    expect(names).not.toContain("write-content");
  });

  test("a token with the scope mail alone is refused", async () => {
    const { token } = await server.token(server.ada, ["mail"]);
    expect((await davClient(server.url, `Bearer ${token}`).request("PROPFIND", "/dav/")).status).toBe(403);
  });

  test("another's calendars answer 404", async () => {
    const bob = davClient(server.url, basic(server.bob.address, server.bob.token));
    expect((await bob.request("PROPFIND", home, undefined, { Depth: "0" })).status).toBe(404);
    expect((await bob.request("PROPFIND", calendar, undefined, { Depth: "0" })).status).toBe(404);
    expect((await bob.request("GET", `${calendar}a.ics`)).status).toBe(404);
    const eve = davClient(server.url, basic(server.eve.address, server.eve.token));
    expect(
      (await eve.request("PROPFIND", `/dav/principals/${server.ada.id}/`, undefined, { Depth: "0" })).status,
    ).toBe(404);
  });
});

describe("items", () => {
  test("what a client PUTs is what a client GETs", async () => {
    const event = eventText("one", "SUMMARY:Zahnarzt \u00e4\u{1f600}", 'X-ODD;X-P="a,b":c');
    const put = await ada.request("PUT", `${calendar}one.ics`, event, { ...ics, "If-None-Match": "*" });
    expect(put.status, put.text).toBe(201);
    const etag = put.headers.etag!;
    const got = await ada.request("GET", `${calendar}one.ics`);
    expect(got.status).toBe(200);
    expect(got.bytes.equals(event)).toBe(true);
    expect(got.headers).toMatchObject({
      etag,
      "content-type": "text/calendar; charset=utf-8; component=VEVENT",
      "content-length": String(event.length),
    });
    expect((await ada.request("HEAD", `${calendar}one.ics`)).headers["content-length"]).toBe(
      String(event.length),
    );
    expect(
      (await ada.request("GET", `${calendar}one.ics`, undefined, { "If-None-Match": etag })).status,
    ).toBe(304);

    const changed = eventText("one", "SUMMARY:Later");
    for (const [field, value] of [
      ["If-Match", '"1"'],
      ["If-None-Match", "*"],
    ] as const)
      expect(
        (await ada.request("PUT", `${calendar}one.ics`, changed, { ...ics, [field]: value })).status,
      ).toBe(412);
    const second = await ada.request("PUT", `${calendar}one.ics`, changed, { ...ics, "If-Match": etag });
    expect(second.status).toBe(204);
    expect(second.headers.etag).not.toBe(etag);
    expect((await ada.request("DELETE", `${calendar}one.ics`, undefined, { "If-Match": etag })).status).toBe(
      412,
    );
    expect((await ada.request("DELETE", `${calendar}one.ics`)).status).toBe(204);
    expect((await ada.request("GET", `${calendar}one.ics`)).status).toBe(404);
  });

  test("a weak tag, as a proxy makes one, permits no change by If-Match, and is known to If-None-Match", async () => {
    const path = `${calendar}weak.ics`;
    const { headers } = await ada.request("PUT", path, eventText("weak"), ics);
    const weak = `W/${headers.etag}`;
    const change = (field: string, value: string) =>
      ada.request("PUT", path, eventText("weak", "SUMMARY:x"), { ...ics, [field]: value });
    expect((await change("If-Match", weak)).status).toBe(412);
    expect((await change("If-None-Match", `"1", ${weak}`)).status).toBe(412);
    expect((await ada.request("DELETE", path, undefined, { "If-Match": weak })).status).toBe(412);
    const read = await ada.request("GET", path, undefined, { "If-None-Match": `"1", ${weak}` });
    expect([read.status, read.text]).toEqual([304, ""]);
    expect((await ada.request("GET", path)).text).not.toContain("SUMMARY:x");
  });

  test("If-Match: * fails for an absent resource", async () => {
    const answer = await ada.request("PUT", `${calendar}absent.ics`, eventText("absent"), {
      ...ics,
      "If-Match": "*",
    });
    expect(answer.status).toBe(412);
  });

  test.each<[string, () => string, string | Buffer, Record<string, string>, number, string]>([
    [
      "text that is no iCalendar",
      () => calendar,
      "BEGIN:VCALENDAR",
      ics,
      403,
      "urn:ietf:params:xml:ns:caldav valid-calendar-data",
    ],
    [
      "an object with METHOD",
      () => calendar,
      calendarText(
        "METHOD:REQUEST",
        "BEGIN:VEVENT",
        "UID:m",
        "DTSTAMP:20260101T000000Z",
        "DTSTART:20260101T000000Z",
        "END:VEVENT",
      ),
      ics,
      403,
      "urn:ietf:params:xml:ns:caldav valid-calendar-object-resource",
    ],
    [
      "a component that nobody knows",
      () => calendar,
      calendarText("BEGIN:X-THING", "UID:m", "END:X-THING"),
      ics,
      403,
      "urn:ietf:params:xml:ns:caldav supported-calendar-component",
    ],
    [
      "plain text",
      () => calendar,
      "hello",
      { "Content-Type": "text/plain" },
      403,
      "urn:ietf:params:xml:ns:caldav supported-calendar-data",
    ],
    [
      "iCalendar in another charset",
      () => calendar,
      eventText("c"),
      { "Content-Type": "text/calendar; charset=utf-16" },
      403,
      "urn:ietf:params:xml:ns:caldav valid-calendar-data",
    ],
    [
      "iCalendar that is not UTF-8",
      () => calendar,
      Buffer.from(eventText("c", "SUMMARY:caf\xe9").toString(), "latin1"),
      ics,
      403,
      "urn:ietf:params:xml:ns:caldav valid-calendar-data",
    ],
    [
      "a vCard that is not UTF-8",
      () => addressbook,
      Buffer.from("BEGIN:VCARD\r\nVERSION:4.0\r\nUID:a\r\nFN:Andr\xe9\r\nEND:VCARD\r\n", "latin1"),
      vcf,
      403,
      "urn:ietf:params:xml:ns:carddav valid-address-data",
    ],
    [
      "a vCard with a control character",
      () => addressbook,
      "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:a\r\nFN:a\x07b\r\nEND:VCARD\r\n",
      vcf,
      403,
      "urn:ietf:params:xml:ns:carddav valid-address-data",
    ],
    [
      "4 MiB and an octet",
      () => calendar,
      Buffer.alloc(4 * 1024 * 1024 + 1, 32),
      ics,
      403,
      "urn:ietf:params:xml:ns:caldav max-resource-size",
    ],
    [
      "a vCard without FN",
      () => addressbook,
      "BEGIN:VCARD\r\nVERSION:4.0\r\nUID:a\r\nEND:VCARD\r\n",
      vcf,
      403,
      "urn:ietf:params:xml:ns:carddav valid-address-data",
    ],
    [
      "a vCard 2.1",
      () => addressbook,
      "BEGIN:VCARD\r\nVERSION:2.1\r\nFN:a\r\nN:a\r\nEND:VCARD\r\n",
      vcf,
      403,
      "urn:ietf:params:xml:ns:carddav supported-address-data",
    ],
    [
      "a calendar in an addressbook",
      () => addressbook,
      eventText("c"),
      ics,
      403,
      "urn:ietf:params:xml:ns:carddav supported-address-data",
    ],
    [
      "a card of 4 MiB and an octet",
      () => addressbook,
      Buffer.alloc(4 * 1024 * 1024 + 1, 32),
      vcf,
      403,
      "urn:ietf:params:xml:ns:carddav max-resource-size",
    ],
  ])("%s is refused with its precondition", async (_, where, body, fields, status, condition) => {
    const answer = await ada.request("PUT", `${where()}bad`, body, fields);
    expect([answer.status, answer.condition]).toEqual([status, condition]);
  });

  test("a refused UID names the href of the item that has it", async () => {
    await ada.request("PUT", `${calendar}uid.ics`, eventText("uid"), ics);
    const answer = await ada.request("PUT", `${calendar}other.ics`, eventText("uid"), ics);
    expect([answer.status, answer.condition]).toEqual([403, "urn:ietf:params:xml:ns:caldav no-uid-conflict"]);
    expect(answer.xml.children[0]!.children[0]!.text).toBe(`${calendar}uid.ics`);
    const card = await ada.request("PUT", `${addressbook}uid.vcf`, cardText("uid", "Ann"), vcf);
    expect(card.status, card.text).toBe(201);
    const again = await ada.request("PUT", `${addressbook}other.vcf`, cardText("uid", "Ann"), vcf);
    expect([again.status, again.condition]).toEqual([403, "urn:ietf:params:xml:ns:carddav no-uid-conflict"]);
    expect(again.xml.children[0]!.children[0]!.text).toBe(`${addressbook}uid.vcf`);
  });

  test.each([
    "a b.ics",
    "100%.ics",
    "\u00e4\u{1f600}.ics",
    "a@b:c+d;e=f.ics",
    "%2e.ics",
    "#?.ics",
    "..x",
    "constructor",
  ])("an item can be called %s", async (name) => {
    const path = `${calendar}${encodeURIComponent(name)}`;
    const put = await ada.request("PUT", path, eventText(`named ${name}`), ics);
    expect(put.status, put.text).toBe(201);
    expect((await ada.request("GET", path)).status).toBe(200);
    const listed = await ada.request("PROPFIND", calendar, undefined, { Depth: "1" });
    const hrefs = readResponses(listed).map(({ href }) => decodeURIComponent(href));
    expect(hrefs).toContain(`${calendar}${name}`);
    expect((await ada.request("DELETE", path)).status).toBe(204);
  });

  test.each(["%2e%2e", "a%2Fb", "%00", "%zz", "%c3%28"])("no item can be called %s", async (segment) => {
    const answer = await ada.request("PUT", `${calendar}${segment}`, eventText("unnamed"), ics);
    expect(answer.status).toBe(400);
  });

  test("Prefer: return=representation answers the stored item", async () => {
    const event = eventText("represented");
    const answer = await ada.request("PUT", `${calendar}represented.ics`, event, {
      ...ics,
      Prefer: "return=representation",
    });
    expect(answer.status).toBe(201);
    expect(answer.headers).toMatchObject({
      "preference-applied": "return=representation",
      "content-location": `${calendar}represented.ics`,
    });
    expect(answer.bytes.equals(event)).toBe(true);
  });

  test.each([
    ["If-Match", '"1"'],
    ["If-None-Match", "*"],
    ["If-Schedule-Tag-Match", '"1"'],
  ])("Prefer: return=representation answers the current item when %s fails", async (field, value) => {
    const event = eventText(`kept-${field}`);
    const path = `${calendar}kept-${field}.ics`;
    const etag = (await ada.request("PUT", path, event, ics)).headers.etag;
    const changed = eventText(`kept-${field}`, "SUMMARY:Changed");
    const answer = await ada.request("PUT", path, changed, {
      ...ics,
      [field]: value,
      Prefer: "return=representation",
    });
    expect(answer.status).toBe(412);
    expect(answer.headers).toMatchObject({
      etag,
      "preference-applied": "return=representation",
      "content-location": path,
      "content-type": "text/calendar; charset=utf-8; component=VEVENT",
    });
    expect(answer.bytes.equals(event)).toBe(true);
  });

  test("POST to add-member creates an item with a name from the server", async () => {
    const target = (await ada.properties(calendar, dav("add-member"))).get("DAV: add-member")!.children[0]!
      .text;
    const answer = await ada.request("POST", target, eventText("posted"), ics);
    expect(answer.status, answer.text).toBe(201);
    const location = answer.headers.location!;
    expect(location).toMatch(new RegExp(`^${calendar}event_[0-9a-z]+\\.ics$`));
    const got = await ada.request("GET", location);
    expect(got.headers.etag).toBe(answer.headers.etag);
    expect((await ada.request("POST", `${calendar}?action=none`, eventText("posted-2"), ics)).status).toBe(
      400,
    );
  });

  test("GET of a calendar or an addressbook answers its items as one file", async () => {
    const path = await makeCalendar("export");
    const zone = [
      "BEGIN:VTIMEZONE",
      "TZID:X",
      "BEGIN:STANDARD",
      "DTSTART:19700101T000000",
      "TZOFFSETFROM:+0100",
      "TZOFFSETTO:+0100",
      "END:STANDARD",
      "END:VTIMEZONE",
    ];
    // Large objects are not read as others are.
    const long = `DESCRIPTION:${"x".repeat(20_000)}`;
    for (const [uid, more] of [
      ["e1", []],
      ["e2", []],
      ["e3", [long, "BEGIN:VALARM", "ACTION:AUDIO", "TRIGGER:-PT1M", "END:VALARM"]],
      ["e4", [long]],
    ] as const)
      await ada.request(
        "PUT",
        `${path}${uid}.ics`,
        calendarText(
          ...zone,
          "BEGIN:VEVENT",
          `UID:${uid}`,
          "DTSTAMP:20260101T000000Z",
          "DTSTART;TZID=X:20260101T000000",
          ...more,
          "END:VEVENT",
        ),
        ics,
      );
    const answer = await ada.request("GET", path);
    expect(answer.headers["content-type"]).toBe("text/calendar; charset=utf-8");
    const lines = answer.text.split("\r\n");
    expect(lines.filter((line) => line === "BEGIN:VCALENDAR")).toHaveLength(1);
    expect(lines.filter((line) => line === "BEGIN:VTIMEZONE")).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("UID:"))).toEqual(
      ["e1", "e2", "e3", "e4"].map((uid) => `UID:${uid}`),
    );
    for (const name of ["VEVENT", "VALARM", "VTIMEZONE", "VCALENDAR"])
      expect(lines.filter((line) => line === `BEGIN:${name}`)).toHaveLength(
        lines.filter((line) => line === `END:${name}`).length,
      );
    expect(lines.filter((line) => line === "ACTION:AUDIO")).toHaveLength(1);
    expect(lines.at(-2)).toBe("END:VCALENDAR");
    const cards = await ada.request("GET", addressbook);
    expect(cards.headers["content-type"]).toBe("text/vcard; charset=utf-8");
    expect(cards.text).toContain("BEGIN:VCARD");
  });
});

async function makeCalendar(name: string): Promise<string> {
  const made = await ada.request("MKCALENDAR", `${home}${name}`);
  expect(made.status, made.text).toBe(201);
  return `${home}${name}/`;
}

describe("collections", () => {
  test("MKCALENDAR sets properties, and PROPFIND answers them", async () => {
    const body = `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:A="http://apple.com/ns/ical/"><D:set><D:prop>
      <D:displayname>Work &amp; play</D:displayname><C:calendar-description xml:lang="en">Mine</C:calendar-description>
      <C:supported-calendar-component-set><C:comp name="VTODO"/></C:supported-calendar-component-set>
      <A:calendar-color>#FF2968FF</A:calendar-color><A:calendar-order>3</A:calendar-order>
      <C:schedule-calendar-transp><C:transparent/></C:schedule-calendar-transp>
      <C:calendar-timezone-id>Europe/Berlin</C:calendar-timezone-id>
      <x:thing xmlns:x="urn:x">dead <x:b/></x:thing></D:prop></D:set></C:mkcalendar>`;
    const made = await ada.request("MKCALENDAR", `${home}work/`, body);
    expect(made.status, made.text).toBe(201);
    const found = await ada.properties(
      `${home}work/`,
      dav("displayname"),
      dav("resourcetype"),
      caldav("calendar-description"),
      caldav("supported-calendar-component-set"),
      apple("calendar-color"),
      apple("calendar-order"),
      caldav("schedule-calendar-transp"),
      caldav("calendar-timezone"),
      caldav("calendar-timezone-id"),
      { namespace: "urn:x", name: "thing" },
      dav("sync-token"),
      dav("creationdate"),
      calendarserver("getctag"),
    );
    expect(found.get("DAV: creationdate")!.text).toBe(new Date(server.clock.now()).toISOString());
    const text = (key: string) => found.get(key)?.text;
    expect(text("DAV: displayname")).toBe("Work & play");
    expect(text("urn:ietf:params:xml:ns:caldav calendar-description")).toBe("Mine");
    expect(text("http://apple.com/ns/ical/ calendar-color")?.toUpperCase()).toBe("#FF2968FF");
    expect(text("http://apple.com/ns/ical/ calendar-order")).toBe("3");
    expect(text("urn:ietf:params:xml:ns:caldav calendar-timezone")).toContain("TZID:Europe/Berlin");
    expect(text("urn:ietf:params:xml:ns:caldav calendar-timezone-id")).toBe("Europe/Berlin");
    expect(found.get("urn:ietf:params:xml:ns:caldav schedule-calendar-transp")!.children[0]!.name).toBe(
      "transparent",
    );
    expect(found.get("urn:x thing")!.content).toMatchObject(["dead ", { namespace: "urn:x", name: "b" }]);
    expect(text("DAV: sync-token")).toMatch(/^urn:waypost:sync:\d+$/);
    const event = await ada.request("PUT", `${home}work/e.ics`, eventText("not-a-task"), ics);
    expect([event.status, event.condition]).toEqual([
      403,
      "urn:ietf:params:xml:ns:caldav supported-calendar-component",
    ]);
    const again = await ada.request("MKCALENDAR", `${home}work/`);
    expect([again.status, again.condition]).toEqual([403, "DAV: resource-must-be-null"]);
  });

  test("an extended MKCOL makes an addressbook", async () => {
    const path = `/dav/addressbooks/${server.ada.id}/friends/`;
    const body = `<mkcol xmlns="DAV:"><set><prop><resourcetype><collection/><c:addressbook xmlns:c="urn:ietf:params:xml:ns:carddav"/></resourcetype><displayname>Friends</displayname></prop></set></mkcol>`;
    expect((await ada.request("MKCOL", path, body)).status).toBe(201);
    const found = await ada.properties(path, dav("resourcetype"), dav("displayname"));
    expect(found.get("DAV: resourcetype")!.children.map(({ name }) => name)).toEqual([
      "collection",
      "addressbook",
    ]);
    expect((await ada.request("MKCOL", path, body)).status).toBe(405);
    expect((await ada.request("DELETE", path)).status).toBe(204);
    expect((await ada.request("PROPFIND", path)).status).toBe(404);
  });

  test.each<[string, string, () => string, string | undefined, number, string | undefined]>([
    ["a MKCOL without a type", "MKCOL", () => `${home}plain`, undefined, 403, "DAV: valid-resourcetype"],
    [
      "a calendar in a calendar",
      "MKCALENDAR",
      () => `${calendar}inner`,
      undefined,
      403,
      "urn:ietf:params:xml:ns:caldav calendar-collection-location-ok",
    ],
    [
      "a calendar among addressbooks",
      "MKCALENDAR",
      () => `/dav/addressbooks/${server.ada.id}/cal`,
      undefined,
      403,
      "urn:ietf:params:xml:ns:caldav calendar-collection-location-ok",
    ],
    [
      "an addressbook in a calendar",
      "MKCOL",
      () => `${calendar}inner`,
      `<mkcol xmlns="DAV:"><set><prop><resourcetype><collection/><c:addressbook xmlns:c="urn:ietf:params:xml:ns:carddav"/></resourcetype></prop></set></mkcol>`,
      403,
      "urn:ietf:params:xml:ns:carddav addressbook-collection-location-ok",
    ],
    ["a calendar below nothing", "MKCALENDAR", () => `${home}a/b`, undefined, 409, undefined],
    ["a calendar that is called inbox", "MKCALENDAR", () => `${home}outbox2/../x`, undefined, 400, undefined],
    ["a MKCOL with another body", "MKCOL", () => `${home}plain`, "<a/>", 415, undefined],
  ])("%s is refused", async (_, method, where, body, status, condition) => {
    const answer = await ada.request(method, where(), body);
    expect([answer.status, answer.condition]).toEqual([status, condition]);
  });

  test("a MKCALENDAR with a protected property creates nothing, and names the property", async () => {
    const body = `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:getetag>1</D:getetag><D:displayname>x</D:displayname></D:prop></D:set></C:mkcalendar>`;
    const answer = await ada.request("MKCALENDAR", `${home}half/`, body);
    expect([...readResponses(answer)[0]!.missing]).toEqual([
      ["DAV: getetag", 403],
      ["DAV: displayname", 424],
    ]);
    expect((await ada.request("PROPFIND", `${home}half/`)).status).toBe(404);
  });

  test("PROPPATCH makes all its changes or none", async () => {
    const path = await makeCalendar("patched");
    const patch = (inner: string) =>
      ada.request(
        "PROPPATCH",
        path,
        `<D:propertyupdate xmlns:D="DAV:" xmlns:x="urn:x">${inner}</D:propertyupdate>`,
      );
    const set = await patch(
      '<D:set xml:lang="de"><D:prop><x:a>1 &lt; 2</x:a><x:b><x:c x:d="e"/></x:b><D:displayname>New</D:displayname></D:prop></D:set>',
    );
    expect(readResponses(set)[0]!.found.size).toBe(3);
    const refused = await patch(
      "<D:remove><D:prop><x:a/></D:prop></D:remove><D:set><D:prop><D:getetag>no</D:getetag></D:prop></D:set>",
    );
    expect([...readResponses(refused)[0]!.missing]).toEqual([
      ["DAV: getetag", 403],
      ["urn:x a", 424],
    ]);
    expect(refused.text).toContain("cannot-modify-protected-property");
    const found = await ada.properties(
      path,
      { namespace: "urn:x", name: "a" },
      { namespace: "urn:x", name: "b" },
      dav("displayname"),
    );
    expect(found.get("urn:x a")).toMatchObject({
      text: "1 < 2",
      attributes: [{ name: "lang", value: "de" }],
    });
    expect(found.get("urn:x b")!.children[0]!.attributes).toEqual([
      { namespace: "urn:x", name: "d", value: "e" },
    ]);
    expect(found.get("DAV: displayname")!.text).toBe("New");
    await patch(
      "<D:remove><D:prop><x:a/></D:prop></D:remove><D:set><D:prop><x:b/></D:prop></D:set><D:remove><D:prop><x:b/></D:prop></D:remove>",
    );
    expect(
      (await ada.properties(path, { namespace: "urn:x", name: "a" }, { namespace: "urn:x", name: "b" })).size,
    ).toBe(0);
    const all = await ada.request(
      "PROPFIND",
      path,
      "<propfind xmlns='DAV:'><allprop/><include><sync-token/></include></propfind>",
      { Depth: "0" },
    );
    expect([...readResponses(all)[0]!.found.keys()]).toEqual(
      expect.arrayContaining(["DAV: displayname", "DAV: sync-token"]),
    );
    expect(readResponses(all)[0]!.found.has("DAV: acl")).toBe(false);
    const names = await ada.request("PROPFIND", path, "<propfind xmlns='DAV:'><propname/></propfind>", {
      Depth: "0",
    });
    expect(readResponses(names)[0]!.found.has("DAV: acl")).toBe(true);
  });

  test("the default calendar cannot be deleted", async () => {
    const answer = await ada.request("DELETE", calendar);
    expect([answer.status, answer.condition]).toEqual([
      403,
      "urn:ietf:params:xml:ns:caldav default-calendar-needed",
    ]);
  });

  test("another calendar can become the default one, and the former default can then be deleted", async () => {
    const inbox = `${home}inbox/`;
    const [next, tasks] = [await makeCalendar("next-default"), `${home}tasks-alone/`];
    const components = `<C:mkcalendar xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><C:supported-calendar-component-set><C:comp name="VTODO"/></C:supported-calendar-component-set></D:prop></D:set></C:mkcalendar>`;
    expect((await ada.request("MKCALENDAR", tasks, components)).status).toBe(201);
    const patch = async (value: string) =>
      readResponses(
        await ada.request(
          "PROPPATCH",
          inbox,
          `<D:propertyupdate xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav" xmlns:x="urn:x"><D:set><D:prop><x:beside>1</x:beside><C:schedule-default-calendar-URL>${value}</C:schedule-default-calendar-URL></D:prop></D:set></D:propertyupdate>`,
        ),
      )[0]!;
    const name = "urn:ietf:params:xml:ns:caldav schedule-default-calendar-URL";
    const readDefault = async () =>
      (await ada.properties(inbox, caldav("schedule-default-calendar-URL"))).get(name)!.children[0]!.text;
    for (const bad of [
      "",
      `<D:href>${addressbook}</D:href>`,
      `<D:href>${home}nothing/</D:href>`,
      `<D:href>${inbox}</D:href>`,
      `<D:href>${tasks}</D:href>`,
    ])
      expect([...(await patch(bad)).missing], bad).toEqual(
        expect.arrayContaining([
          [name, 403],
          ["urn:x beside", 424],
        ]),
      );
    expect(await readDefault()).toBe(calendar);
    expect((await ada.properties(inbox, { namespace: "urn:x", name: "beside" })).size).toBe(0);

    expect([...(await patch(`<D:href>${next}</D:href>`)).found.keys()]).toContain(name);
    expect(await readDefault()).toBe(next);
    const needed = await ada.request("DELETE", next);
    expect([needed.status, needed.condition]).toEqual([
      403,
      "urn:ietf:params:xml:ns:caldav default-calendar-needed",
    ]);
    await patch(`<D:href>${calendar}</D:href>`);
    expect(await readDefault()).toBe(calendar);
    expect((await ada.request("DELETE", next)).status).toBe(204);
  });

  test.each([undefined, "infinity"])("Depth %s is refused of a collection", async (depth) => {
    const answer = await ada.request(
      "PROPFIND",
      home,
      undefined,
      depth === undefined ? {} : { Depth: depth },
    );
    expect([answer.status, answer.condition]).toEqual([403, "DAV: propfind-finite-depth"]);
  });

  test("return=minimal leaves out absent properties, and depth-noroot the collection itself", async () => {
    const body = "<propfind xmlns='DAV:'><prop><getetag/><nothing/></prop></propfind>";
    const answer = await ada.request("PROPFIND", home, body, {
      Depth: "1",
      Prefer: "return=minimal, depth-noroot",
    });
    expect(answer.headers["preference-applied"]).toBe("return=minimal");
    expect(answer.text).not.toContain("HTTP/1.1 404");
    expect(readResponses(answer).map(({ href }) => href)).not.toContain(home);
    const brief = await ada.request("PROPFIND", home, body, { Depth: "0", Brief: "t" });
    expect(brief.text).not.toContain("HTTP/1.1 404");
  });
});

describe("properties of items that clients set", () => {
  const mark = { namespace: "urn:x", name: "mark" };
  const patch = (path: string, inner: string) =>
    ada.request(
      "PROPPATCH",
      path,
      `<D:propertyupdate xmlns:D="DAV:" xmlns:x="urn:x">${inner}</D:propertyupdate>`,
    );
  const setMark = (path: string, text: string) =>
    patch(path, `<D:set><D:prop><x:mark>${text}</x:mark></D:prop></D:set>`);
  const markOf = async (path: string) => (await ada.properties(path, mark)).get("urn:x mark")?.text;

  test("are kept beside the octets, and the ETag and the sync-token do not change", async () => {
    const path = await makeCalendar("marked");
    const item = `${path}a.ics`;
    const { etag } = (await ada.request("PUT", item, eventText("marked"), ics)).headers;
    const token = async () => (await ada.properties(path, dav("sync-token"))).get("DAV: sync-token")!.text;
    const before = await token();
    expect(readResponses(await setMark(item, "one"))[0]!.found.size).toBe(1);
    expect(await markOf(item)).toBe("one");
    expect((await ada.request("GET", item)).headers.etag).toBe(etag);
    expect(await token()).toBe(before);
    const all = await ada.request("PROPFIND", path, undefined, { Depth: "1" });
    expect(
      readResponses(all)
        .find(({ href }) => href === item)!
        .found.has("urn:x mark"),
    ).toBe(true);
    await ada.request("PUT", item, eventText("marked", "SUMMARY:Changed"), ics);
    expect(await markOf(item)).toBe("one");
    const refused = await patch(
      item,
      "<D:remove><D:prop><x:mark/></D:prop></D:remove><D:set><D:prop><D:getetag>1</D:getetag></D:prop></D:set>",
    );
    expect([...readResponses(refused)[0]!.missing]).toEqual([
      ["DAV: getetag", 403],
      ["urn:x mark", 424],
    ]);
    expect(await markOf(item)).toBe("one");
    await patch(item, "<D:remove><D:prop><x:mark/></D:prop></D:remove>");
    expect(await markOf(item)).toBeUndefined();
  });

  test("are copied and moved with the item, and deleted with it", async () => {
    const [from, to] = [await makeCalendar("marked-from"), await makeCalendar("marked-to")];
    await ada.request("PUT", `${from}a.ics`, eventText("marked-moved"), ics);
    await ada.request("PUT", `${to}b.ics`, eventText("marked-moved"), ics);
    await setMark(`${from}a.ics`, "moved");
    await setMark(`${to}b.ics`, "replaced");
    expect((await ada.request("COPY", `${from}a.ics`, undefined, { Destination: `${to}b.ics` })).status).toBe(
      204,
    );
    expect(await markOf(`${to}b.ics`)).toBe("moved");
    await setMark(`${to}b.ics`, "replaced");
    expect((await ada.request("MOVE", `${from}a.ics`, undefined, { Destination: `${to}b.ics` })).status).toBe(
      204,
    );
    expect(await markOf(`${to}b.ics`)).toBe("moved");
    await ada.request("DELETE", `${to}b.ics`);
    await ada.request("PUT", `${to}b.ics`, eventText("marked-moved"), ics);
    expect(await markOf(`${to}b.ics`)).toBeUndefined();
  });

  test("are bounded", async () => {
    const item = `${await makeCalendar("marked-much")}a.ics`;
    await ada.request("PUT", item, eventText("marked-much"), ics);
    expect((await setMark(item, "x".repeat(deadPropertyBytesMax))).status).toBe(413);
    const many = Array.from({ length: deadPropertiesMax + 1 }, (_, at) => `<x:m${at}/>`).join("");
    expect((await patch(item, `<D:set><D:prop>${many}</D:prop></D:set>`)).status).toBe(507);
    expect(await markOf(item)).toBeUndefined();
  });
});

describe("MOVE of a collection", () => {
  const moveTo = (from: string, Destination: string, fields: Record<string, string> = {}) =>
    ada.request("MOVE", from, undefined, { Destination, ...fields });

  test("gives it another URL, with its items, its properties and its id", async () => {
    const from = await makeCalendar("before");
    await ada.request("PUT", `${from}a.ics`, eventText("within"), ics);
    const { etag } = (await ada.request("GET", `${from}a.ics`)).headers;
    const id = (await ada.properties(from, dav("resource-id"))).get("DAV: resource-id")!.children[0]!.text;
    const moved = await moveTo(from, `${server.url}${home}behind%20it/`);
    expect([moved.status, moved.headers.location]).toEqual([201, `${home}behind%20it/`]);
    expect((await ada.request("GET", `${from}a.ics`)).status).toBe(404);
    expect((await ada.request("GET", `${home}behind%20it/a.ics`)).headers.etag).toBe(etag);
    const found = await ada.properties(`${home}behind%20it/`, dav("resource-id"));
    expect(found.get("DAV: resource-id")!.children[0]!.text).toBe(id);
    await makeCalendar("before");
    const listed = await ada.request("PROPFIND", home, undefined, { Depth: "1" });
    expect(readResponses(listed).map(({ href }) => href)).toEqual(
      expect.arrayContaining([from, `${home}behind%20it/`]),
    );
  });

  test("replaces the collection at the destination, unless Overwrite is F", async () => {
    const [from, to] = [await makeCalendar("newer"), await makeCalendar("standing")];
    await ada.request("PUT", `${to}old.ics`, eventText("gone-with-it"), ics);
    expect((await moveTo(from, to, { Overwrite: "F" })).status).toBe(412);
    expect((await ada.request("GET", `${to}old.ics`)).status).toBe(200);
    expect((await moveTo(from, to)).status).toBe(204);
    expect((await ada.request("GET", `${to}old.ics`)).status).toBe(404);
    expect((await ada.request("PROPFIND", from, undefined, { Depth: "0" })).status).toBe(404);
    const needed = await moveTo(to, calendar);
    expect([needed.status, needed.condition]).toEqual([
      403,
      "urn:ietf:params:xml:ns:caldav default-calendar-needed",
    ]);
  });

  test("needs the tokens of its locks, and removes the locks", async () => {
    const path = await makeCalendar("locked-whole");
    await ada.request("PUT", `${path}a.ics`, eventText("locked-within"), ics);
    const lock = await ada.request(
      "LOCK",
      `${path}a.ics`,
      "<lockinfo xmlns='DAV:'><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>",
    );
    const token = lock.headers["lock-token"]!;
    expect((await moveTo(path, `${home}unlocked/`)).status).toBe(423);
    expect((await moveTo(path, `${home}unlocked/`, { If: `<${path}a.ics> (${token})` })).status).toBe(201);
    expect((await ada.request("DELETE", `${home}unlocked/a.ics`)).status).toBe(204);
  });

  test.each<[string, (path: string) => [string, Record<string, string>?], number]>([
    ["onto itself", (path) => [path], 403],
    ["into a calendar", () => [`${calendar}inner/`], 403],
    ["among addressbooks", () => [`/dav/addressbooks/${server.ada.id}/moved/`], 403],
    ["into another's home", () => [`/dav/calendars/${server.bob.id}/moved/`], 409],
    ["onto the inbox", () => [`${home}inbox/`], 403],
    ["onto the outbox", () => [`${home}outbox/`], 403],
    ["without its items", () => [`${home}elsewhere/`, { Depth: "0" }], 400],
    ["with a version that it does not have", () => [`${home}elsewhere/`, { "If-Match": '"1"' }], 412],
    ["to a name that is too long", () => [`${home}${"a".repeat(256)}/`], 403],
  ])("%s is refused", async (title, where, status) => {
    const path = await makeCalendar(`stays-${title.replaceAll(/\W/g, "-")}`);
    const [destination, fields] = where(path);
    expect((await moveTo(path, destination, fields)).status).toBe(status);
    expect((await ada.request("PROPFIND", path, undefined, { Depth: "0" })).status).toBe(207);
  });

  test("moves an addressbook too, and refuses to move the inbox", async () => {
    const [from, to] = ["people", "persons"].map((name) => `/dav/addressbooks/${server.ada.id}/${name}/`);
    const body = `<mkcol xmlns="DAV:"><set><prop><resourcetype><collection/><c:addressbook xmlns:c="urn:ietf:params:xml:ns:carddav"/></resourcetype></prop></set></mkcol>`;
    await ada.request("MKCOL", from!, body);
    expect((await moveTo(from!, to!)).status).toBe(201);
    expect((await moveTo(`${home}inbox/`, `${home}other-inbox/`)).status).toBe(403);
  });
});

describe("COPY and MOVE", () => {
  test("moves and copies an item between calendars", async () => {
    const [from, to] = [await makeCalendar("from"), await makeCalendar("to")];
    await ada.request("PUT", `${from}a.ics`, eventText("moved"), ics);
    const moved = await ada.request("MOVE", `${from}a.ics`, undefined, {
      Destination: `${server.url}${to}b.ics`,
    });
    expect(moved.status, moved.text).toBe(201);
    expect((await ada.request("GET", `${from}a.ics`)).status).toBe(404);
    expect((await ada.request("GET", `${to}b.ics`)).status).toBe(200);
    expect((await ada.request("COPY", `${to}b.ics`, undefined, { Destination: `${from}c.ics` })).status).toBe(
      201,
    );
    expect(
      (await ada.request("COPY", `${to}b.ics`, undefined, { Destination: `${from}c.ics`, Overwrite: "F" }))
        .status,
    ).toBe(412);
    expect((await ada.request("COPY", `${to}b.ics`, undefined, { Destination: `${from}c.ics` })).status).toBe(
      204,
    );
    const conflict = await ada.request("COPY", `${to}b.ics`, undefined, { Destination: `${to}d.ics` });
    expect([conflict.status, conflict.condition]).toEqual([
      403,
      "urn:ietf:params:xml:ns:caldav no-uid-conflict",
    ]);
    expect((await ada.request("MOVE", `${to}b.ics`, undefined, { Destination: `${from}c.ics` })).status).toBe(
      204,
    );
    expect((await ada.request("GET", `${to}b.ics`)).status).toBe(404);
  });

  test.each<[string, Record<string, string>, number]>([
    ["no destination", {}, 400],
    ["another server", { Destination: "http://elsewhere.example/dav/a" }, 502],
    ["nothing above it", { Destination: "/dav/calendars/x/y/z.ics" }, 409],
    ["itself", { Destination: "SELF" }, 403],
    ["an addressbook", { Destination: "BOOK" }, 403],
  ])("%s is refused", async (_, fields, status) => {
    await ada.request("PUT", `${calendar}stays.ics`, eventText("stays"), ics);
    const replaced = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        value.replace("SELF", `${calendar}stays.ics`).replace("BOOK", `${addressbook}x.vcf`),
      ]),
    );
    expect((await ada.request("MOVE", `${calendar}stays.ics`, undefined, replaced)).status).toBe(status);
  });
});

describe("locks", () => {
  const info = (scope: string) =>
    `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:${scope}/></D:lockscope><D:locktype><D:write/></D:locktype><D:owner><D:href>mailto:a</D:href></D:owner></D:lockinfo>`;

  test("a locked item is changed only with the lock token", async () => {
    const path = `${calendar}locked.ics`;
    await ada.request("PUT", path, eventText("locked"), ics);
    const locked = await ada.request("LOCK", path, info("exclusive"), { Timeout: "Second-100" });
    expect(locked.status, locked.text).toBe(200);
    const token = locked.headers["lock-token"]!;
    expect(token).toMatch(/^<urn:uuid:.*>$/);
    expect(locked.text).toContain("Second-100");
    const refused = await ada.request("PUT", path, eventText("locked", "SUMMARY:x"), ics);
    expect([refused.status, refused.condition]).toEqual([423, "DAV: lock-token-submitted"]);
    expect((await ada.request("DELETE", path)).status).toBe(423);
    expect((await ada.request("LOCK", path, info("shared"))).status).toBe(423);
    expect((await ada.request("PUT", path, eventText("locked"), { ...ics, If: `(${token})` })).status).toBe(
      204,
    );
    expect(
      (await ada.request("PUT", path, eventText("locked"), { ...ics, If: "(<urn:uuid:other>)" })).status,
    ).toBe(412);
    const refreshed = await ada.request("LOCK", path, undefined, {
      If: `(${token})`,
      Timeout: "Infinite, Second-50",
    });
    expect(refreshed.status).toBe(200);
    const discovered = await ada.properties(path, dav("lockdiscovery"));
    expect(discovered.get("DAV: lockdiscovery")!.children).toHaveLength(1);
    expect((await ada.request("UNLOCK", path, undefined, { "Lock-Token": "<urn:uuid:other>" })).status).toBe(
      409,
    );
    expect((await ada.request("UNLOCK", path, undefined, { "Lock-Token": token })).status).toBe(204);
    expect((await ada.request("DELETE", path)).status).toBe(204);
  });

  test.each(["Infinite", "Second-4100000000", "Second-9999999999"])(
    "a lock that is wanted for %s lasts an hour at most, when it is taken and when it is refreshed",
    async (Timeout) => {
      const path = `${calendar}long-${Timeout.toLowerCase()}.ics`;
      await ada.request("PUT", path, eventText(`long-${Timeout}`), ics);
      const locked = await ada.request("LOCK", path, info("exclusive"), { Timeout });
      const If = `(${locked.headers["lock-token"]})`;
      const refreshed = await ada.request("LOCK", path, undefined, { If, Timeout });
      for (const { status, text } of [locked, refreshed]) {
        expect(status).toBe(200);
        const [, seconds] = /Second-(\d+)/.exec(text)!;
        expect(Number(seconds) * 1000).toBeLessThanOrEqual(lockTimeoutMsMax);
      }
    },
  );

  test("a locked calendar and its members are not changed without the token", async () => {
    const path = await makeCalendar("kept");
    const { headers } = await ada.request("LOCK", path, info("exclusive"), { Depth: "infinity" });
    expect((await ada.request("PUT", `${path}a.ics`, eventText("kept"), ics)).status).toBe(423);
    const tagged = { ...ics, If: `<${server.url}${path}> (${headers["lock-token"]})` };
    expect((await ada.request("PUT", `${path}a.ics`, eventText("kept"), tagged)).status).toBe(201);
    expect((await ada.request("DELETE", path)).status).toBe(423);
    server.clock.advance(3_600_000);
    expect((await ada.request("DELETE", path)).status).toBe(204);
  });

  test("several shared locks can be on one resource", async () => {
    const path = await makeCalendar("together");
    const first = await ada.request("LOCK", path, info("shared"));
    const second = await ada.request("LOCK", path, info("shared"));
    expect([first.status, second.status]).toEqual([200, 200]);
    expect((await ada.request("LOCK", path, info("exclusive"))).status).toBe(423);
    expect((await ada.request("PUT", `${path}a.ics`, eventText("t"), ics)).status).toBe(423);
    const token = second.headers["lock-token"]!;
    expect(
      (await ada.request("PUT", `${path}a.ics`, eventText("t"), { ...ics, If: `<${path}> (${token})` }))
        .status,
    ).toBe(201);
  });
});

test("a body is read whatever type its client says", async () => {
  const body = "<propfind xmlns='DAV:'><prop><resourcetype/></prop></propfind>";
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/octet-stream"]) {
    const answer = await ada.request("PROPFIND", home, body, { Depth: "0", "Content-Type": type });
    expect([type, answer.status]).toEqual([type, 207]);
  }
});

describe("refusals", () => {
  test.each<[string, string, string | Buffer | undefined, Record<string, string>, number]>([
    ["a method that nobody knows", "LINK", undefined, {}, 501],
    ["a depth that is none", "PROPFIND", undefined, { Depth: "2" }, 400],
    ["XML that is none", "PROPFIND", "<a>", { Depth: "0" }, 400],
    ["a body that is not XML", "PROPFIND", "hello", { Depth: "0", "Content-Type": "text/plain" }, 400],
    ["2 MiB of XML", "PROPFIND", `<a>${" ".repeat(2 * 1024 * 1024)}</a>`, { Depth: "0" }, 413],
    ["an encoded body", "PROPFIND", "<a/>", { Depth: "0", "Content-Encoding": "gzip" }, 415],
    ["a report that nobody knows", "REPORT", "<a/>", {}, 403],
    ["a report without a body", "REPORT", undefined, {}, 400],
    [
      "501 properties",
      "PROPFIND",
      `<propfind xmlns='DAV:'><prop>${"<a/>".repeat(501)}</prop></propfind>`,
      { Depth: "0" },
      400,
    ],
    ["an access rule", "ACL", "<acl xmlns='DAV:'/>", {}, 403],
    ["an access rule that is no XML", "ACL", "<acl", {}, 400],
    [
      "a search of principals below it",
      "REPORT",
      "<principal-property-search xmlns='DAV:'><property-search><prop><displayname/></prop><match>b</match></property-search></principal-property-search>",
      { Depth: "1" },
      400,
    ],
  ])("%s", async (_, method, body, fields, status) => {
    expect((await ada.request(method, calendar, body, fields)).status).toBe(status);
  });
});

describe("principals", () => {
  const search = (inner: string, attributes = "") =>
    ada.request(
      "REPORT",
      "/dav/principals/",
      `<D:principal-property-search xmlns:D="DAV:" xmlns:CS="http://calendarserver.org/ns/" ${attributes}>${inner}<D:prop><D:displayname/><CS:email-address-set/></D:prop></D:principal-property-search>`,
      { Depth: "0" },
    );
  const condition = (property: string, match: string) =>
    `<D:property-search><D:prop><${property}/></D:prop><D:match>${match}</D:match></D:property-search>`;

  test("are found by name or address within the account", async () => {
    const found = readResponses(await search(condition("CS:email-address-set", "BOB@")));
    expect(found.map(({ href }) => href)).toEqual([`/dav/principals/${server.bob.id}/`]);
    expect(readResponses(await search(condition("CS:email-address-set", "eve")))).toEqual([]);
    const both = condition("CS:email-address-set", "bob") + condition("CS:email-address-set", "ada");
    expect(readResponses(await search(both))).toEqual([]);
    expect(readResponses(await search(both, 'test="anyof"'))).toHaveLength(2);
    expect(readResponses(await search(condition("D:getetag", "x")))).toEqual([]);
  });

  test("are found with the properties that stand beside an empty DAV:prop, as python-caldav writes them", async () => {
    const answer = await ada.request(
      "REPORT",
      "/dav/principals/",
      '<principal-property-search xmlns="DAV:"><property-search><prop><displayname/></prop><match>bob</match></property-search><prop/><displayname/><C:calendar-home-set xmlns:C="urn:ietf:params:xml:ns:caldav"/></principal-property-search>',
    );
    const [found, ...others] = readResponses(answer);
    expect(others).toEqual([]);
    expect([...found!.found.keys()].sort()).toEqual([
      "DAV: displayname",
      "urn:ietf:params:xml:ns:caldav calendar-home-set",
    ]);
  });

  test("are all found by a search without a condition, as python-caldav sends it", async () => {
    const answer = await ada.request(
      "REPORT",
      "/dav/principals/",
      '<principal-property-search xmlns="DAV:"><prop><displayname/></prop></principal-property-search>',
    );
    expect(readResponses(answer).map(({ href }) => href)).toEqual(
      expect.arrayContaining([server.ada, server.bob].map(({ id }) => `/dav/principals/${id}/`)),
    );
  });

  test("are found by the beginning of a word", async () => {
    const body = `<CS:calendarserver-principal-search xmlns:CS="http://calendarserver.org/ns/" xmlns:D="DAV:" context="attendee"><CS:search-token>bo</CS:search-token><D:prop><D:displayname/></D:prop></CS:calendarserver-principal-search>`;
    const answer = await ada.request("REPORT", "/dav/principals/", body);
    expect(readResponses(answer).map(({ href }) => href)).toEqual([`/dav/principals/${server.bob.id}/`]);
  });

  test("list the properties that can be searched", async () => {
    const answer = await ada.request(
      "REPORT",
      "/dav/principals/",
      '<principal-search-property-set xmlns="DAV:"/>',
    );
    expect([answer.status, answer.xml.children.length]).toEqual([200, 3]);
  });

  test("are found by principal-match for the login", async () => {
    const self = await ada.request(
      "REPORT",
      "/dav/principals/",
      '<principal-match xmlns="DAV:"><self/></principal-match>',
    );
    expect(readResponses(self).map(({ href }) => href)).toEqual([`/dav/principals/${server.ada.id}/`]);
    const owned = await ada.request(
      "REPORT",
      home,
      '<principal-match xmlns="DAV:"><principal-property><owner/></principal-property></principal-match>',
    );
    expect(readResponses(owned).map(({ href }) => href)).toContain(calendar);
  });

  test("are found by principal-match with a property that a client has set", async () => {
    const path = await makeCalendar("named");
    const set = (at: string, id: string) =>
      ada.request(
        "PROPPATCH",
        at,
        `<propertyupdate xmlns="DAV:"><set><prop><for xmlns="urn:x"><href xmlns="DAV:">/dav/principals/${id}/</href></for></prop></set></propertyupdate>`,
      );
    expect((await set(path, server.ada.id)).status).toBe(207);
    expect((await set(calendar, server.bob.id)).status).toBe(207);
    const named = await ada.request(
      "REPORT",
      home,
      '<principal-match xmlns="DAV:"><principal-property><for xmlns="urn:x"/></principal-property></principal-match>',
    );
    expect(readResponses(named).map(({ href }) => href)).toEqual([path]);
  });
});
