import { afterAll, beforeAll, expect, test } from "vitest";
import { calendarserver, dav } from "#/protocols/dav/xml/names.ts";
import { basic, type DavClient, davClient, readResponses } from "../support/clients/dav-client.ts";
import { eventText } from "../support/items.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";

let server: JsonServer;
let ada: DavClient;
let bob: DavClient;
/** Ada's, as she names them. */
let home: string;
let bobHome: string;

const ics = { "Content-Type": "text/calendar" };

beforeAll(async () => {
  server = await openJsonServer();
  ada = davClient(server.url, basic(server.ada.address, server.ada.token));
  bob = davClient(server.url, basic(server.bob.address, server.bob.token));
  home = `/dav/calendars/${server.ada.id}/`;
  bobHome = `/dav/calendars/${server.bob.id}/`;
  for (const name of ["busy", "read", "write"]) {
    await ada.request("MKCALENDAR", `${home}${name}/`);
    await ada.request("PUT", `${home}${name}/one.ics`, eventText(`one ${name}`, "SUMMARY:Secret"), ics);
  }
  await ada.request("MKCALENDAR", `${home}private/`);
  const grant = { holder: server.bob.address, target: server.ada.address };
  await server.administer("grant.create", { ...grant, scopes: ["calendar:freebusy"], calendars: ["busy"] });
  await server.administer("grant.create", { ...grant, scopes: ["calendar:read"], calendars: ["read"] });
  await server.administer("grant.create", { ...grant, scopes: ["calendar"], calendars: ["write"] });
});

afterAll(() => server[Symbol.asyncDispose]());

/** Hrefs of what is in a home, by display name. */
async function listHome(client: DavClient, path: string): Promise<ReadonlyMap<string, string>> {
  const responses = readResponses(await client.request("PROPFIND", path, undefined, { Depth: "1" }));
  return new Map(responses.map(({ found, href }) => [found.get("DAV: displayname")?.text ?? href, href]));
}

async function privilegesOf(client: DavClient, path: string): Promise<readonly string[]> {
  const found = await client.properties(path, dav("current-user-privilege-set"));
  return found.get("DAV: current-user-privilege-set")!.children.map((one) => one.children[0]!.name);
}

test("shared calendars are in the reader's home by their ids, and in the owner's", async () => {
  const own = await listHome(bob, bobHome);
  const shared = [...own].filter(([, href]) => /\/calendar_[0-9a-z]+\/$/.test(href)).map(([name]) => name);
  expect(shared).toEqual(expect.arrayContaining(["read (ada)", "write (ada)"]));
  const theirs = await listHome(bob, home);
  expect([...theirs.values()]).toEqual(expect.arrayContaining([`${home}read/`, `${home}write/`]));
  expect([...own.keys(), ...theirs.keys()].join()).not.toContain("private");
  expect([...theirs.values()].some((href) => href.includes("inbox"))).toBe(false);
  expect((await bob.request("PROPFIND", `${home}private/`, undefined, { Depth: "0" })).status).toBe(404);
});

test("a user with free-busy alone does not see the names that the owner gave to calendars", async () => {
  const hrefs = [...(await listHome(bob, home)).values(), ...(await listHome(bob, bobHome)).values()];
  expect(hrefs.join()).not.toContain("/busy/");
  for (const guess of ["busy", "buzy"])
    expect((await bob.request("PROPFIND", `${home}${guess}/`, undefined, { Depth: "0" })).status).toBe(404);
  const found = await server.collections.findCollectionBySegment(server.ada.agent, "calendar", "busy");
  const id = server.store.ids.encode("calendar", server.ada.agent, found!.number);
  for (const path of [`${home}${id}/`, `${bobHome}${id}/`])
    expect((await bob.request("PROPFIND", path, undefined, { Depth: "0" })).status).toBe(207);
});

test("a reader reads and does not write", async () => {
  const shared = (await listHome(bob, bobHome)).get("read (ada)")!;
  for (const path of [shared, `${home}read/`]) {
    expect((await bob.request("GET", `${path}one.ics`)).text).toContain("SUMMARY:Secret");
    const put = await bob.request("PUT", `${path}two.ics`, eventText("two"), ics);
    expect([put.status, put.condition]).toEqual([403, "DAV: need-privileges"]);
    expect((await bob.request("DELETE", `${path}one.ics`)).status).toBe(403);
    expect((await bob.request("DELETE", path)).status).toBe(403);
    const found = await bob.properties(path, dav("owner"), dav("resourcetype"), calendarserver("invite"));
    expect(found.get("DAV: owner")!.children[0]!.text).toBe(`/dav/principals/${server.ada.id}/`);
    expect(found.get("DAV: resourcetype")!.children.map(({ name }) => name)).toContain("shared");
    expect(await privilegesOf(bob, path)).toEqual([
      "read",
      "read-current-user-privilege-set",
      "read-acl",
      "read-free-busy",
    ]);
  }
});

test("a user with free-busy alone sees nothing else", async () => {
  const found = [...(await listHome(bob, home)).values()];
  const path = (
    await Promise.all(found.map(async (href) => [href, await privilegesOf(bob, href)] as const))
  ).find(([href, names]) => href !== home && !names.includes("read"))![0];
  expect(await privilegesOf(bob, path)).toEqual(["read-current-user-privilege-set", "read-free-busy"]);
  expect((await bob.request("GET", `${path}one.ics`)).status).toBe(404);
  expect((await bob.request("GET", path)).status).toBe(403);
  const listed = await bob.request("PROPFIND", path, undefined, { Depth: "1" });
  expect(readResponses(listed)).toHaveLength(1);
  expect(listed.text).not.toContain("busy/");
});

test("a user with write access changes items, and not the calendar", async () => {
  const path = (await listHome(bob, bobHome)).get("write (ada)")!;
  const put = await bob.request("PUT", `${path}new.ics`, eventText("by bob"), ics);
  expect(put.status, put.text).toBe(201);
  expect((await ada.request("GET", `${home}write/new.ics`)).headers.etag).toBe(put.headers.etag);
  const patch = `<propertyupdate xmlns="DAV:"><set><prop><displayname>Mine</displayname></prop></set></propertyupdate>`;
  const refused = await bob.request("PROPPATCH", path, patch);
  expect([refused.status, refused.condition]).toEqual([403, "DAV: need-privileges"]);
});

test("an item moves from one owner to another, in one step", async () => {
  const path = (await listHome(bob, bobHome)).get("write (ada)")!;
  const own = (await listHome(bob, bobHome)).get("Calendar")!;
  await bob.request("PUT", `${own}moves.ics`, eventText("moves"), ics);
  const patch = `<propertyupdate xmlns="DAV:"><set><prop><mark xmlns="urn:x">1</mark></prop></set></propertyupdate>`;
  expect((await bob.request("PROPPATCH", `${own}moves.ics`, patch)).status).toBe(207);
  const moved = await bob.request("MOVE", `${own}moves.ics`, undefined, { Destination: `${path}moves.ics` });
  expect(moved.status, moved.text).toBe(201);
  expect((await bob.request("GET", `${own}moves.ics`)).status).toBe(404);
  expect((await ada.request("GET", `${home}write/moves.ics`)).status).toBe(200);
  const marked = await ada.properties(`${home}write/moves.ics`, { namespace: "urn:x", name: "mark" });
  expect(marked.get("urn:x mark")?.text).toBe("1");
  // Like the properties of the calendar, those of its items are its owner's.
  expect((await bob.request("PROPPATCH", `${path}moves.ics`, patch)).status).toBe(403);
  const reader = (await listHome(bob, bobHome)).get("read (ada)")!;
  expect(
    (await bob.request("MOVE", `${reader}one.ics`, undefined, { Destination: `${own}x.ics` })).status,
  ).toBe(403);
  expect(
    (await bob.request("COPY", `${reader}one.ics`, undefined, { Destination: `${own}x.ics` })).status,
  ).toBe(201);
});

test("a lock holds at every URL of a calendar", async () => {
  const path = (await listHome(bob, bobHome)).get("write (ada)")!;
  const info = `<lockinfo xmlns="DAV:"><lockscope><exclusive/></lockscope><locktype><write/></locktype></lockinfo>`;
  const locked = await bob.request("LOCK", path, info);
  expect(locked.status, locked.text).toBe(200);
  expect((await ada.request("PUT", `${home}write/a.ics`, eventText("a"), ics)).status).toBe(423);
  // The owner ends locks of others.
  const token = locked.headers["lock-token"]!;
  expect((await ada.request("UNLOCK", `${home}write/`, undefined, { "Lock-Token": token })).status).toBe(204);
  expect((await ada.request("PUT", `${home}write/a.ics`, eventText("a"), ics)).status).toBe(201);
});

test("an owner who shares appears in the proxy groups that Apple's clients ask for", async () => {
  const found = await bob.properties(`/dav/principals/${server.bob.id}/`, dav("group-membership"));
  expect(found.get("DAV: group-membership")!.children.map(({ text }) => text)).toEqual([
    `/dav/principals/${server.ada.id}/calendar-proxy-write/`,
  ]);
});

test("who may rename a shared calendar reads its name with its owner's, and sets it with or without that", async () => {
  await server.administer("grant.create", {
    holder: server.bob.address,
    target: server.ada.address,
    scopes: ["calendar"],
  });
  const href = (await listHome(bob, bobHome)).get("write (ada)")!;
  expect(await privilegesOf(bob, href)).toContain("write-properties");
  const nameFor = async (client: DavClient, path: string) =>
    (await client.properties(path, dav("displayname"))).get("DAV: displayname")!.text;
  for (const given of ["Press (ada)", "Press"]) {
    const set = `<propertyupdate xmlns="DAV:"><set><prop><displayname>${given}</displayname></prop></set></propertyupdate>`;
    expect((await bob.request("PROPPATCH", href, set)).status).toBe(207);
    expect([await nameFor(bob, href), await nameFor(ada, `${home}write/`)]).toEqual(["Press (ada)", "Press"]);
  }
});
