/** What a request relies on holds when it is written, and locks hold whatever a URL looks like. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { basic, type DavClient, davClient } from "../support/dav-client.ts";
import { eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let calendar: string;

const ics = { "Content-Type": "text/calendar" };

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  calendar = `/dav/calendars/${server.ada.id}/conditions/`;
  expect((await ada.request("MKCALENDAR", calendar)).status).toBe(201);
});

afterAll(() => server[Symbol.asyncDispose]());

test("an entity tag in If is asserted by the write, also when somebody is faster", async () => {
  const href = `${calendar}a.ics`;
  const { headers } = await ada.request("PUT", href, eventText("a"), ics);
  const { collections } = server;
  const deleteItem = collections.deleteItem.bind(collections);
  vi.spyOn(collections, "deleteItem").mockImplementationOnce(async (...args) => {
    expect((await ada.request("PUT", href, eventText("a", "SUMMARY:newer"), ics)).status).toBe(204);
    return deleteItem(...args);
  });
  const late = await ada.request("DELETE", href, undefined, { If: `(["none"]) ([${headers.etag}])` });
  expect(late.status).toBe(412);
  expect((await ada.request("GET", href)).text).toContain("SUMMARY:newer");
});

test("a file is copied and moved at the version that the request relies on", async () => {
  const href = `/dav/files/${server.ada.id}/note.txt`;
  const first = await ada.request("PUT", href, "one");
  const second = await ada.request("PUT", href, "two");
  const Destination = `${href}.new`;
  for (const method of ["COPY", "MOVE"]) {
    const fields = { Destination, "If-Match": first.headers.etag! };
    expect((await ada.request(method, href, undefined, fields)).status).toBe(412);
    expect((await ada.request("GET", Destination)).status).toBe(404);
  }
  const fields = { Destination, "If-Match": second.headers.etag! };
  expect((await ada.request("MOVE", href, undefined, fields)).status).toBe(201);
});

const lockInfo = `<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>`;

test.each(["b@c.ics", "b%40c.ics", "%62%40c.ics", "/b@c.ics"])(
  "what is locked is not written at %s without its token",
  async (segment) => {
    const href = `${calendar}b@c.ics`;
    await ada.request("PUT", href, eventText("b"), ics);
    const locked = await ada.request("LOCK", href, lockInfo, { Depth: "0" });
    expect(locked.status).toBe(200);
    const written = await ada.request("PUT", `${calendar}${segment}`, eventText("b"), ics);
    expect(written.status).toBe(423);
    await ada.request("UNLOCK", href, undefined, { "Lock-Token": locked.headers["lock-token"]! });
  },
);
