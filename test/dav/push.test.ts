/** WebDAV-Push: a program follows a calendar, and a push service of the test's own takes and decrypts what is sent, over sockets. */

import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { push } from "#/protocols/dav/xml/names.ts";
import { readXml } from "#/protocols/dav/xml/read-xml.ts";
import { runPushes } from "#/protocols/webhooks/send-pushes.ts";
import { collectionPushMs, collectionPushPauseMs } from "#/src/model/limits.ts";
import { createPushes } from "#/src/sign-in/pushes.ts";
import { basic, type DavAnswer, type DavClient, davClient } from "../support/clients/dav-client.ts";
import { eventText } from "../support/items.ts";
import { makePushKeys, readVapid } from "../support/push-receiver.ts";
import { type JsonServer, openJsonServer } from "../support/servers/json-server.ts";
import { openWebhookReceiver, type WebhookReceiver } from "../support/servers/webhook-receiver.ts";

let server: JsonServer;
let receiver: WebhookReceiver;
let runner: AsyncDisposable;
let mia: Person;
let work: string;

interface Person {
  readonly id: string;
  readonly address: string;
  readonly password: number;
  readonly client: DavClient;
}

const ics = { "Content-Type": "text/calendar" };

async function createPerson(name: string): Promise<Person> {
  const address = `${name}@first.example`;
  const { id } = (await server.administer("person.create", { address })) as { id: string };
  const made = await server.administer("password.create", { owner: address, name: "phone" });
  const client = davClient(server.url, basic(address, made.password as string));
  return { id, address, password: made.number as number, client };
}

async function open(allowPrivateAddresses = true): Promise<void> {
  server = await openJsonServer({ webhooks: { allowPrivateAddresses } });
  const { settings } = server;
  runner = runPushes({ pushes: createPushes(server), settings, log: pino({ level: "silent" }) });
  mia = await createPerson("mia");
  work = `/dav/calendars/${mia.id}/work/`;
  expect((await mia.client.request("MKCALENDAR", work)).status).toBe(201);
}

beforeEach(async () => {
  receiver = await openWebhookReceiver();
  await open();
});
afterEach(close);

async function close(): Promise<void> {
  await runner[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
}

const both = `<trigger><content-update><D:depth>infinity</D:depth></content-update>
  <property-update><D:depth>0</D:depth><D:prop><D:displayname/></D:prop></property-update></trigger>`;

interface Registration {
  readonly keys?: { readonly p256dh: string; readonly auth: string };
  readonly endpoint?: string;
  readonly trigger?: string;
  readonly expires?: string;
  readonly content?: string;
}

function registration({ keys = makePushKeys(), endpoint = receiver.url, ...more }: Registration): string {
  const { trigger = both, expires, content = "<content-encoding>aes128gcm</content-encoding>" } = more;
  return `<?xml version="1.0"?><push-register xmlns="https://bitfire.at/webdav-push" xmlns:D="DAV:"><subscription>
    <web-push-subscription><push-resource>${endpoint}</push-resource>${content}
    <subscription-public-key type="p256dh">${keys.p256dh}</subscription-public-key>
    <auth-secret>${keys.auth}</auth-secret></web-push-subscription></subscription>${trigger}
    ${expires === undefined ? "" : `<expires>${expires}</expires>`}</push-register>`;
}

/** Follows a collection at a push resource of its own. */
async function follow(path: string, client = mia.client, more: Registration = {}) {
  const keys = makePushKeys();
  const answer = await client.request("POST", path, registration({ keys, ...more }));
  expect(answer.status, answer.text).toBe(204);
  const requests = () =>
    receiver.requests.flatMap((request) => {
      try {
        return [{ headers: request.headers, text: keys.open(request.octets) }];
      } catch {
        return [];
      }
    });
  return {
    location: answer.headers.location!,
    expires: Date.parse(answer.headers.expires!),
    requests,
    /** What each push said: its updates with their sync-tokens. */
    said: () =>
      requests().map(({ text }) =>
        readXml(Buffer.from(text))
          .children.filter(({ name }) => name !== "topic")
          .map(({ name, children }) => [name, ...children.map((one) => one.text)].join(" ")),
      ),
  };
}

const put = (name: string, fields: Readonly<Record<string, string>> = {}, client = mia.client, at = work) =>
  client.request("PUT", `${at}${name}.ics`, eventText(name), { ...ics, ...fields });

async function tokenOf(path = work): Promise<string> {
  const found = await mia.client.properties(path, { namespace: "DAV:", name: "sync-token" });
  return found.get("DAV: sync-token")!.text;
}

/** What became of a push is stored, a moment after it was taken. */
const reported = () =>
  expect
    .poll(async () => {
      const query = "select push_subscription_id from push_subscription where next_attempt_at > ?";
      return (await server.store.all(query, server.clock.now())).length;
    })
    .toBeGreaterThan(0);

/** The pause after a push is over. */
const pass = (ms = collectionPushPauseMs) => server.clock.advance(ms);

const renamed = (name: string) =>
  `<propertyupdate xmlns="DAV:"><set><prop><displayname>${name}</displayname></prop></set></propertyupdate>`;

function refusal({ status, condition }: DavAnswer): string {
  return `${status} ${condition?.split(" ").at(-1)}`;
}

describe("a program that follows a calendar", () => {
  test("finds out that it can, and gets what changed, encrypted for it and with its new sync-token", async () => {
    const options = await mia.client.request("OPTIONS", work);
    expect(options.headers.dav).toMatch(/, webdav-push$/);
    const found = await mia.client.properties(
      work,
      push("transports"),
      push("topic"),
      push("supported-triggers"),
    );
    const [transports, topic, triggers] = [...found.values()];
    const [transport] = transports!.children;
    expect(transport).toMatchObject({ name: "web-push", children: [{ name: "vapid-public-key" }] });
    expect(transport!.children[0]!.attributes).toMatchObject([{ name: "type", value: "p256ecdsa" }]);
    expect(
      triggers!.children.map(({ name, children }) => `${name} ${children[0]!.name} ${children[0]!.text}`),
    ).toEqual(["content-update depth 1", "property-update depth 0"]);

    const { requests, said } = await follow(work);
    expect((await put("a")).status).toBe(201);
    await expect.poll(() => requests().length).toBe(1);
    const [{ headers, text }] = requests() as [{ headers: Record<string, string>; text: string }];
    expect(text).toBe(`<?xml version="1.0" encoding="utf-8"?>
<push-message xmlns="https://bitfire.at/webdav-push" xmlns:D="DAV:"><topic>${topic!.text}</topic><content-update><D:sync-token>${await tokenOf()}</D:sync-token></content-update></push-message>`);
    expect(headers).toMatchObject({
      "content-encoding": "aes128gcm",
      "content-type": 'application/xml; charset="utf-8"',
      ttl: "86400",
    });
    expect(headers.topic).toMatch(/^[\w-]{32}$/);
    expect(readVapid(headers.authorization!).key).toBe(transport!.children[0]!.text);

    await reported();
    pass();
    expect((await mia.client.request("PROPPATCH", work, renamed("Office"))).status).toBe(207);
    await expect.poll(() => said().length).toBe(2);
    expect(said()[1]).toEqual([`content-update ${await tokenOf()}`, "property-update"]);
  });

  test("gets nothing but the trigger that it asked for, and without one what changed in it, as DAVx5 asks", async () => {
    const properties = "<trigger><property-update><D:depth>1</D:depth></property-update></trigger>";
    const ofName = await follow(work, mia.client, { trigger: properties });
    const asDavx5 = await follow(work, mia.client, {
      endpoint: `${receiver.url}/2`,
      trigger: "",
      content: "",
    });
    await put("a");
    await expect.poll(() => asDavx5.said()).toEqual([[`content-update ${await tokenOf()}`]]);
    await reported();
    pass();
    await mia.client.request("PROPPATCH", work, renamed("Office"));
    await expect.poll(() => [ofName.said(), asDavx5.said().length]).toEqual([[["property-update"]], 2]);
  });

  test("changes that follow each other are told once, at the end of the pause", async () => {
    const { said } = await follow(work);
    await put("a");
    await expect.poll(() => said().length).toBe(1);
    for (const name of ["b", "c", "d"]) await put(name);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(said()).toHaveLength(1);
    await reported();
    pass();
    await put("e");
    await expect.poll(() => said().length).toBe(2);
    expect(said()[1]).toEqual([`content-update ${await tokenOf()}`]);
  });

  test("is not told of its own change, which others are told of, nor of any with *", async () => {
    const phone = await follow(work);
    const laptop = await follow(work, mia.client, { endpoint: `${receiver.url}/2` });
    await put("a", { "Push-Dont-Notify": `"https://elsewhere.example/x", "${phone.location}"` });
    await expect.poll(() => laptop.said().length).toBe(1);
    await reported();
    pass();
    const quiet = { "Push-Dont-Notify": "*" };
    await put("b", quiet);
    await mia.client.request("PROPPATCH", work, renamed("Office"), quiet);
    await mia.client.request("DELETE", `${work}b.ics`, undefined, quiet);
    // Its subscription is there: the next change is told.
    await put("c");
    await expect
      .poll(() => [phone.said(), laptop.said().length])
      .toEqual([[[`content-update ${await tokenOf()}`]], 2]);
  });

  test("of a change of its own it is told if it missed another one before", async () => {
    const { location, said } = await follow(work);
    receiver.onRequest = (_, response) => void response.writeHead(503).end();
    await put("a");
    await expect.poll(() => said().length).toBe(1);
    receiver.onRequest = () => {};
    await put("b", { "Push-Dont-Notify": `"${location}"` });
    await reported();
    pass();
    await put("c", { "Push-Dont-Notify": `"${location}"` });
    await expect.poll(() => said().length).toBe(2);
    expect(said()[1]).toEqual([`content-update ${await tokenOf()}`]);
  });

  test("renews at the same URL, and a program is told no longer than it asked for, and than 14 days", async () => {
    const now = server.clock.now();
    const first = await follow(work, mia.client, { expires: "Mon, 01 Jan 2035 00:00:00 GMT" });
    expect(first.expires).toBe(now + collectionPushMs);
    const day = new Date(now + 86_400_000).toUTCString();
    const again = await follow(work, mia.client, { expires: day });
    expect([again.location, again.expires]).toEqual([first.location, now + 86_400_000]);
    server.clock.advance(86_400_001);
    expect((await mia.client.request("DELETE", new URL(first.location).pathname)).status).toBe(404);
    const other = await follow(work, mia.client, { endpoint: `${receiver.url}/2` });
    await put("a");
    await expect.poll(() => other.said().length).toBe(1);
    expect([first.said(), again.said()]).toEqual([[], []]);
  });

  test("is told that its calendar is deleted, and then no more", async () => {
    const { said, location } = await follow(work);
    expect((await mia.client.request("DELETE", work)).status).toBe(204);
    await expect.poll(() => said()).toEqual([["content-update"]]);
    await expect
      .poll(async () => (await mia.client.request("DELETE", new URL(location).pathname)).status)
      .toBe(404);
  });
});

describe("a subscription ends", () => {
  /** A second program, which shows that all has been sent. */
  async function settled(path = work, client = mia.client) {
    const control = await follow(path, client, { endpoint: `${receiver.url}/control` });
    await put("a");
    await expect.poll(() => control.said().length).toBe(1);
  }

  test("by DELETE of its URL, which nobody else can", async () => {
    const { location, said } = await follow(work);
    const path = new URL(location).pathname;
    const kim = await createPerson("kim");
    const statusOf = async (client: DavClient) => (await client.request("DELETE", path)).status;
    expect((await kim.client.request("OPTIONS", path)).headers.allow).not.toContain("DELETE");
    expect([await statusOf(kim.client), await statusOf(mia.client), await statusOf(mia.client)]).toEqual([
      404, 204, 404,
    ]);
    await settled();
    expect(said()).toEqual([]);
  });

  test("with its app password", async () => {
    const other = await server.administer("password.create", { owner: mia.address, name: "tablet" });
    const tablet = davClient(server.url, basic(mia.address, other.password as string));
    const { said } = await follow(work, tablet);
    await server.administer("password.revoke", { number: other.number });
    await settled();
    expect(said()).toEqual([]);
  });

  test("when its push service does not know it any more", async () => {
    const { location, said } = await follow(work);
    receiver.onRequest = (_, response) => void response.writeHead(410).end();
    await put("a");
    await expect.poll(() => said().length).toBe(1);
    await expect
      .poll(async () => (await mia.client.request("DELETE", new URL(location).pathname)).status)
      .toBe(404);
  });

  test("with the grant: who may not read the calendar any more is told nothing", async () => {
    const kim = await createPerson("kim");
    const pair = { holder: kim.address, target: mia.address, calendars: ["work"] };
    const { number } = await server.administer("grant.create", { ...pair, scopes: ["calendar:read"] });
    const { said } = await follow(work, kim.client);
    await put("before");
    await expect.poll(() => said().length).toBe(1);
    await reported();
    await server.administer("grant.revoke", { number });
    pass();
    await settled();
    await server.administer("grant.create", { ...pair, scopes: ["calendar:freebusy"] });
    pass();
    await put("after");
    await mia.client.request("DELETE", work);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(said()).toHaveLength(1);
  });
});

describe("there is no push", () => {
  test("for an agent, for a token, for busy time alone, and for what is no collection of items", async () => {
    const kim = await createPerson("kim");
    const pair = { holder: kim.address, target: mia.address, calendars: ["work"] };
    const shared = `/dav/calendars/${kim.id}/`;
    const before = await listHrefs(kim.client, shared);
    await server.administer("grant.create", { ...pair, scopes: ["calendar:freebusy"] });
    const made = await server.administer("password.create", { owner: server.ada.address, name: "agent" });
    const home = `/dav/calendars/${server.ada.id}/`;
    const [busy] = (await listHrefs(kim.client, shared)).filter((href) => !before.includes(href));
    const [own] = await listHrefs(davClient(server.url, `Bearer ${server.ada.token}`), home);
    const cases: [DavClient, string][] = [
      [davClient(server.url, `Bearer ${server.ada.token}`), own!],
      [davClient(server.url, basic(server.ada.address, made.password as string)), own!],
      [kim.client, busy!],
    ];
    for (const [client, path] of cases) {
      expect((await client.request("OPTIONS", path)).headers.dav).not.toContain("webdav-push");
      const found = await client.properties(
        path,
        push("transports"),
        push("topic"),
        push("supported-triggers"),
      );
      expect([...found.keys()]).toEqual([]);
      expect(refusal(await client.request("POST", path, registration({})))).toBe("403 push-not-available");
    }
    expect((await mia.client.request("POST", `/dav/calendars/${mia.id}/`, registration({}))).status).toBe(
      405,
    );
  });

  test("at an address that webhooks do not go to, and with keys that are none", async () => {
    await close();
    receiver = await openWebhookReceiver();
    await open(false);
    const right = { endpoint: "https://push.example/1", keys: makePushKeys() };
    const wrong: Registration[] = [
      { endpoint: "https://10.0.0.1/push" },
      { endpoint: "https://169.254.169.254/latest" },
      { endpoint: "http://push.example/1" },
      { endpoint: "" },
      { endpoint: `https://push.example/${"a".repeat(2000)}` },
      { keys: { ...right.keys, p256dh: Buffer.alloc(65, 4).toString("base64url") } },
      { keys: { ...right.keys, auth: "AAAA" } },
      { content: "<content-encoding>aesgcm</content-encoding>" },
    ];
    for (const one of wrong) {
      const refused = await mia.client.request("POST", work, registration({ ...right, ...one }));
      expect([one, refusal(refused)]).toEqual([one, "403 invalid-subscription"]);
    }
    await follow(work, mia.client, { endpoint: right.endpoint });
  });

  test("for a trigger that there is not, for other XML, and for more than the bounds", async () => {
    const none = "<trigger><something xmlns='urn:x'/></trigger>";
    expect(refusal(await mia.client.request("POST", work, registration({ trigger: none })))).toBe(
      "403 no-supported-trigger",
    );
    const other = `<share xmlns="http://calendarserver.org/ns/"/>`;
    expect(refusal(await mia.client.request("POST", work, other))).toBe("403 supported-calendar-data");
    for (let index = 0; index < 100; index++)
      await follow(work, mia.client, { endpoint: `${receiver.url}/${index}` });
    expect(
      refusal(await mia.client.request("POST", work, registration({ endpoint: `${receiver.url}/more` }))),
    ).toBe("403 push-not-available");
  });
});

async function listHrefs(client: DavClient, home: string): Promise<string[]> {
  const { xml } = await client.request("PROPFIND", home, undefined, { Depth: "1" });
  const hrefs = xml.children.map(({ children }) => children.find(({ name }) => name === "href")!.text);
  return hrefs.filter((href) => href !== home && !/(?:inbox|outbox)\/$/.test(href));
}
