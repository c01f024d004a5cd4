/** Web Push: a browser is told that a mail waits, by a push service that reads nothing of it. The test has an endpoint and keys of its own. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FormlessBrowser, openBrowser } from "../support/clients/browser.ts";
import { makePushKeys, readVapid } from "../support/push-receiver.ts";
import { openWebhookReceiver, type WebhookReceiver } from "../support/servers/webhook-receiver.ts";
import { openPagesHouse, type PagesHouse } from "./pages-house.ts";

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await openWebhookReceiver();
});
afterAll(() => receiver[Symbol.asyncDispose]());

const reachesUs = ["webhooks.allow_private_addresses=true"];

async function signIn(house: PagesHouse, person = house.person): Promise<FormlessBrowser> {
  const browser = openBrowser(house.origin);
  await browser.post("/sign-in", { address: person.address, password: person.password });
  return browser;
}

/** A browser whose notices come to our endpoint at a path of its own. */
async function beTold(browser: FormlessBrowser) {
  const keys = makePushKeys();
  const from = receiver.requests.length;
  const wanted = { endpoint: receiver.url, p256dh: keys.p256dh, auth: keys.auth };
  const page = await browser.post("/mine/notices", wanted);
  return {
    page,
    /** All that came since, for these keys. */
    pushes: () =>
      receiver.requests.slice(from).flatMap((request) => {
        try {
          return [{ ...request, text: keys.open(request.octets) }];
        } catch {
          return [];
        }
      }),
  };
}

describe("a browser that is told", () => {
  test("gets how many mails wait, encrypted for it, from a server that proves who it is, and no text of anybody", async () => {
    await using house = await openPagesHouse(reachesUs);
    const browser = await signIn(house);
    browser.cookies.set("__Host-waypost-language", "de");
    const { page, pushes } = await beTold(browser);
    expect(page.text.includes("Dieses Gerät meldet es")).toBe(true);
    await house.send({ subject: "Secret offer", text: "Ten pieces for Lena." });
    await expect.poll(() => pushes().length).toBe(1);
    const [push] = pushes();
    expect(JSON.parse(push!.text)).toEqual({ waiting: 1, language: "de" });
    for (const text of [push!.text, push!.body, JSON.stringify(push!.headers)])
      for (const word of ["Secret", "Lena", "pieces", house.agent.address, house.person.address])
        expect(text).not.toContain(word);
    const { claims, key } = readVapid(push!.headers.authorization!);
    expect(claims).toMatchObject({
      aud: new URL(receiver.url).origin,
      sub: "mailto:postmaster@waypost.test",
    });
    expect(claims.exp).toBeGreaterThan(Date.now() / 1000);
    expect(claims.exp).toBeLessThanOrEqual(Date.now() / 1000 + 86_400);
    expect(push!.headers).toMatchObject({
      "content-encoding": "aes128gcm",
      ttl: "86400",
      urgency: "high",
      topic: "approvals",
    });
    const other = openBrowser(house.origin);
    await other.post("/sign-in", { ...house.person });
    expect((await other.get("/mine")).text.includes(`data-push="${key}"`)).toBe(true);
    await house.send();
    await expect.poll(() => pushes().map(({ text }) => JSON.parse(text).waiting)).toEqual([1, 2]);
  });

  test("is told of each mail once, also by an approver's grant, and of no decision", async () => {
    await using house = await openPagesHouse(reachesUs);
    const kim = await house.createPerson("kim@waypost.test");
    await house.administer("grant.create", {
      holder: "kim@waypost.test",
      target: house.agent.address,
      scopes: ["approve"],
    });
    const one = await beTold(await signIn(house));
    const two = await beTold(await signIn(house, kim as never));
    const hold = await house.send();
    await expect.poll(() => [one.pushes().length, two.pushes().length]).toEqual([1, 1]);
    await house.administer("hold.decline", { hold });
    await house.send();
    await expect.poll(() => [one.pushes().length, two.pushes().length]).toEqual([2, 2]);
    expect(JSON.parse(one.pushes()[1]!.text).waiting).toBe(1);
  });

  test("is told no more after it signed out, was ended from another browser, or its person is gone", async () => {
    await using house = await openPagesHouse(reachesUs);
    const kim = await house.createPerson("kim@waypost.test");
    await house.administer("grant.create", {
      holder: "kim@waypost.test",
      target: house.agent.address,
      scopes: ["approve"],
    });
    const [out, ended, stays, gone] = [
      await signIn(house),
      await signIn(house),
      await signIn(house),
      await signIn(house, kim as never),
    ];
    const told = await Promise.all([out, ended, gone].map((browser) => beTold(browser)));
    const control = await beTold(stays);
    await out.post("/sign-out", {});
    const rows = (await stays.get("/mine")).text;
    const other = [...rows.matchAll(/action="(\/mine\/sessions\/\d+\/end)"/g)].map(([, path]) => path!);
    for (const path of other) await stays.post(path, {});
    await house.administer("person.delete", { owner: "kim@waypost.test" });
    await house.send();
    await expect.poll(() => control.pushes().length).toBe(1);
    expect(told.map(({ pushes }) => pushes().length)).toEqual([0, 0, 0]);
    await stays.post("/mine/notices/end", {});
    await house.send();
    expect((await stays.get("/mine")).text.includes("Tell this device")).toBe(true);
  });

  test("is forgotten when its push service no longer knows it, and tried again when it fails", async () => {
    await using house = await openPagesHouse(reachesUs);
    const browser = await signIn(house);
    const { pushes } = await beTold(browser);
    receiver.onRequest = (_, response) => void response.writeHead(503, { "Retry-After": "0" }).end();
    await house.send();
    await expect.poll(() => pushes().length).toBe(1);
    receiver.onRequest = (_, response) => void response.writeHead(404).end();
    // After the first wait of webhooks.
    await expect.poll(() => pushes().length, { timeout: 60_000 }).toBe(2);
    receiver.onRequest = () => {};
    await expect.poll(async () => (await browser.get("/mine")).text.includes("data-push")).toBe(true);
  });
});

describe("a browser is not told at", () => {
  const keys = makePushKeys();
  const right = { endpoint: "https://push.example/1", p256dh: keys.p256dh, auth: keys.auth };
  let house: PagesHouse;
  beforeAll(async () => {
    house = await openPagesHouse();
  });
  afterAll(() => house[Symbol.asyncDispose]());

  test.each([
    ["a private address", { endpoint: "https://10.0.0.1/push" }],
    ["loopback", { endpoint: "https://127.0.0.1:8080/push" }],
    ["the metadata of a cloud", { endpoint: "https://169.254.169.254/latest" }],
    ["an address without TLS", { endpoint: "http://push.example/1" }],
    ["no address", { endpoint: "javascript:alert(1)" }],
    ["a key that is no point of the curve", { p256dh: Buffer.alloc(65, 4).toString("base64url") }],
    ["a short secret", { auth: "AAAA" }],
    ["nothing", { endpoint: "", p256dh: "", auth: "" }],
  ])("%s", async (_, wrong) => {
    const browser = await signIn(house);
    const refused = await browser.post("/mine/notices", { ...right, ...wrong });
    expect([refused.status, refused.text.includes("can’t send to the push service")]).toEqual([409, true]);
    expect((await browser.get("/mine")).text.includes("data-push")).toBe(true);
    expect((await browser.post("/mine/notices", right)).text.includes("This device is told")).toBe(true);
  });
});

test("the home screen has a manifest, icons and a worker that anybody may read, and that say nothing of anybody", async () => {
  await using house = await openPagesHouse();
  const browser = openBrowser(house.origin);
  const manifest = await browser.get("/manifest.webmanifest");
  expect(manifest.headers.get("content-type")).toContain("application/manifest+json");
  expect(JSON.parse(manifest.text)).toMatchObject({ display: "standalone", start_url: "/approvals" });
  for (const { src, sizes } of JSON.parse(manifest.text).icons as { src: string; sizes: string }[]) {
    const icon = Buffer.from(await (await fetch(`${house.origin}${src}`)).arrayBuffer());
    expect([icon.subarray(1, 4).toString(), `${icon.readUInt32BE(16)}x${icon.readUInt32BE(20)}`]).toEqual([
      "PNG",
      sizes,
    ]);
  }
  const worker = await browser.get("/service-worker.js");
  expect(worker.headers.get("content-type")).toContain("text/javascript");
  expect(worker.text).toContain("A mail waits for your approval");
  expect((await browser.get("/sign-in")).text.includes('rel="manifest"')).toBe(true);
});
