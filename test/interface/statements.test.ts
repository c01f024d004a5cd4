/** The number of store reads of a DAV or JSON request. On PostgreSQL each read is a round trip, so no request may read once for every
 *  item. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { basic, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer, plainMessage } from "../support/servers/json-server.ts";
import { type WatchedStore, watchStore } from "../support/watched-store.ts";

let server: JsonServer;
let watched: WatchedStore;
let dav: DavClient;
let message: string;
let home: string;
let calendar: string;

const itemCount = 60;

beforeAll(async () => {
  server = await openJsonServer({}, (store) => {
    watched = watchStore(store);
    return watched.store;
  });
  home = `/dav/calendars/${server.ada.id}/`;
  calendar = `${home}c/`;
  dav = davClient(server.url, basic(server.ada.address, server.ada.token));
  expect((await dav.request("MKCALENDAR", calendar)).status).toBe(201);
  for (let number = 0; number < itemCount; number++) {
    const headers = { "Content-Type": "text/calendar" };
    const put = await dav.request("PUT", `${calendar}${number}.ics`, eventText(`u${number}`), headers);
    expect(put.status).toBe(201);
  }
  message = await server.deliver(server.ada, plainMessage());
});
afterAll(() => server[Symbol.asyncDispose]());

function ask(method: string, path: string, depth: string, name: string, inner: string): Promise<unknown> {
  const namespaces = 'xmlns="urn:ietf:params:xml:ns:caldav" xmlns:D="DAV:"';
  const prefix = /^(propfind|sync-collection)$/.test(name) ? "D:" : "";
  const body = `<${prefix}${name} ${namespaces}>${inner}</${prefix}${name}>`;
  return dav.request(method, path, body, { Depth: depth }).then(({ status }) => expect(status).toBe(207));
}

const events = (inner: string) =>
  `<D:prop><D:getetag/><calendar-data/></D:prop><filter><comp-filter name="VCALENDAR"><comp-filter name="VEVENT">${inner}</comp-filter></comp-filter></filter>`;
const hrefs = () =>
  Array.from({ length: itemCount }, (_, n) => `<D:href>${calendar}${n}.ics</D:href>`).join("");

const requests: readonly (readonly [what: string, readsMax: number, request: () => Promise<unknown>])[] = [
  [
    "PROPFIND of a calendar and what is in it",
    8,
    () => ask("PROPFIND", calendar, "1", "propfind", "<D:prop><D:getetag/><D:getcontenttype/></D:prop>"),
  ],
  [
    "PROPFIND of a home and its collections",
    7,
    () =>
      ask(
        "PROPFIND",
        home,
        "1",
        "propfind",
        "<D:prop><D:displayname/><D:resourcetype/><D:sync-token/><D:current-user-privilege-set/></D:prop>",
      ),
  ],
  [
    "calendar-multiget",
    9,
    () => ask("REPORT", calendar, "1", "calendar-multiget", `<D:prop><calendar-data/></D:prop>${hrefs()}`),
  ],
  ["calendar-query", 8, () => ask("REPORT", calendar, "1", "calendar-query", events(""))],
  [
    "calendar-query of a time",
    17,
    () =>
      ask(
        "REPORT",
        calendar,
        "1",
        "calendar-query",
        events('<time-range start="20000101T000000Z" end="20400101T000000Z"/>'),
      ),
  ],
  [
    "sync-collection",
    7,
    () =>
      ask(
        "REPORT",
        calendar,
        "0",
        "sync-collection",
        "<D:sync-token/><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop>",
      ),
  ],
  ["GET of an event", 9, () => dav.request("GET", `${calendar}1.ics`)],
  ["part.describe of a message", 9, () => server.ada.client.ok("part.describe", { id: message })],
];

it.each(requests)("%s takes at most %i reads", async (_what, readsMax, request) => {
  // What is asked for once and then kept is not counted.
  await request();
  const before = watched.reads;
  await request();
  expect(watched.reads - before).toBeLessThanOrEqual(readsMax);
});
