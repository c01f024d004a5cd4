/** Files and folders are ordinary resources and collections (RFC 4918). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { dav } from "#/protocols/dav/xml/names.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let home: string;

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  home = `/dav/files/${server.ada.id}/`;
});

afterAll(() => server[Symbol.asyncDispose]());

async function statusOf(method: string, href: string, body?: string, headers?: Record<string, string>) {
  return (await ada.request(method, href, body, headers)).status;
}

test("a file is answered octet for octet, and a browser does not show it as a page", async () => {
  const href = `${home}note.html`;
  const put = await ada.request("PUT", href, "<p>Hello", { "Content-Type": "text/html" });
  expect(put.status).toBe(201);
  const got = await ada.request("GET", href);
  expect(got).toMatchObject({ status: 200, text: "<p>Hello" });
  expect(got.headers).toMatchObject({
    etag: put.headers.etag,
    "content-type": "text/html",
    "content-disposition": "attachment",
    "content-security-policy": "sandbox",
    "x-content-type-options": "nosniff",
  });
  const etag = String(put.headers.etag);
  expect(await statusOf("GET", href, undefined, { "If-None-Match": etag })).toBe(304);
  expect(await statusOf("PUT", href, "again", { "If-None-Match": "*" })).toBe(412);
  expect(await statusOf("PUT", href, "again", { "If-Match": etag })).toBe(204);
  expect(await statusOf("PUT", href, "late", { "If-Match": etag })).toBe(412);
});

test("folders are made in folders, listed, copied, moved and deleted with what is in them", async () => {
  expect(await statusOf("MKCOL", `${home}a/b/`)).toBe(409);
  for (const folder of ["a/", "a/b/"]) expect(await statusOf("MKCOL", home + folder)).toBe(201);
  expect(await statusOf("MKCOL", `${home}a/`)).toBe(405);
  expect(await statusOf("PUT", `${home}a/b/c%20d.txt`, "text")).toBe(201);
  const listed = readResponses(await ada.request("PROPFIND", `${home}a/`, undefined, { Depth: "1" }));
  expect(listed.map(({ href }) => href)).toEqual([`${home}a/`, `${home}a/b/`]);
  const to = { Destination: `${server.url}${home}copy/` };
  expect(await statusOf("COPY", `${home}a/`, undefined, to)).toBe(201);
  expect(await statusOf("COPY", `${home}a/`, undefined, { ...to, Overwrite: "F" })).toBe(412);
  expect(await statusOf("MOVE", `${home}a/`, undefined, to)).toBe(204);
  expect(await statusOf("GET", `${home}a/b/c%20d.txt`)).toBe(404);
  expect((await ada.request("GET", `${home}copy/b/c%20d.txt`)).text).toBe("text");
  expect(await statusOf("DELETE", `${home}copy/`)).toBe(204);
  expect(await statusOf("PROPFIND", `${home}copy/b/`, undefined, { Depth: "0" })).toBe(404);
});

test("a file keeps properties that clients set, also when it is copied or moved", async () => {
  await ada.request("PUT", `${home}coloured`, "text");
  const set = `<D:propertyupdate xmlns:D="DAV:"><D:set><D:prop><c xmlns="urn:x">red</c></D:prop></D:set></D:propertyupdate>`;
  expect(await statusOf("PROPPATCH", `${home}coloured`, set)).toBe(207);
  await ada.request("MOVE", `${home}coloured`, undefined, { Destination: `${home}moved` });
  const colour = { namespace: "urn:x", name: "c" };
  const found = await ada.properties(`${home}moved`, colour, dav("getcontentlength"));
  expect([found.get("urn:x c")?.text, found.get("DAV: getcontentlength")?.text]).toEqual(["red", "4"]);
});

test("a lock of an unused URL creates an empty file that is written only with the lock token", async () => {
  const lock = `<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>`;
  const locked = await ada.request("LOCK", `${home}new`, lock);
  expect(locked.status).toBe(201);
  expect((await ada.request("GET", `${home}new`)).text).toBe("");
  expect(await statusOf("PUT", `${home}new`, "text")).toBe(423);
  const token = String(locked.headers["lock-token"]);
  expect(await statusOf("PUT", `${home}new`, "text", { If: `(${token})` })).toBe(204);
});

test("nobody sees the files of others", async () => {
  await ada.request("PUT", `${home}mine`, "text");
  const other = davClient(server.url, basic(server.bob.address, server.bob.token));
  for (const [method, href] of [
    ["PROPFIND", home],
    ["GET", `${home}mine`],
    ["DELETE", `${home}mine`],
  ] as const)
    expect((await other.request(method, href, undefined, { Depth: "0" })).status).toBe(404);
  expect((await other.request("PUT", `${home}his`, "text")).status).toBe(409);
});

test("calendars are no folders, and folders hold no calendars", async () => {
  const body = `<D:mkcol xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:set><D:prop><D:resourcetype><D:collection/><C:calendar/></D:resourcetype></D:prop></D:set></D:mkcol>`;
  expect(await statusOf("MKCOL", `${home}calendar/`, body)).toBe(403);
  const file = { Destination: `/dav/calendars/${server.ada.id}/x.ics` };
  await ada.request("PUT", `${home}x.ics`, "text");
  expect(await statusOf("COPY", `${home}x.ics`, undefined, file)).toBe(409);
});

test("a token for calendars alone, or contacts alone, reads and writes no files; a token that reads both writes none", async () => {
  await ada.request("PUT", `${home}private`, "text");
  const clientWith = async (...scopes: string[]) =>
    davClient(server.url, `Bearer ${(await server.token(server.ada, scopes)).token}`);
  for (const scope of ["calendar", "contacts", "calendar:read"]) {
    const narrow = await clientWith(scope);
    for (const [method, href] of [
      ["GET", `${home}private`],
      ["PUT", `${home}private`],
      ["PUT", `${home}unheard-of`],
      ["PROPFIND", home],
      ["DELETE", `${home}private`],
    ] as const) {
      const answer = await narrow.request(method, href, undefined, { Depth: "0" });
      expect([answer.status, answer.condition], `${method} ${scope}`).toEqual([403, "DAV: need-privileges"]);
    }
  }
  const reader = await clientWith("calendar:read", "contacts:read");
  expect((await reader.request("GET", `${home}private`)).text).toBe("text");
  expect((await reader.request("PUT", `${home}private`, "new")).condition).toBe("DAV: need-privileges");
  const found = await reader.properties(`${home}private`, dav("current-user-privilege-set"));
  expect(JSON.stringify([...found.values()])).not.toContain("write-content");
  expect((await ada.request("GET", `${home}private`)).text).toBe("text");
});
