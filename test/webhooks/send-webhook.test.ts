import { createSocket } from "node:dgram";
import type { LookupAddress } from "node:dns";
import { once } from "node:events";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { dnsAddresses, publicLookup } from "#/protocols/webhooks/public-lookup.ts";
import { createWebhookClient } from "#/protocols/webhooks/send-webhook.ts";
import {
  createSystemAddresses,
  type FindAddresses,
  systemAddresses,
} from "#/protocols/webhooks/system-addresses.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import { openWebhookReceiver, type WebhookReceiver } from "../support/servers/webhook-receiver.ts";

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const never = new AbortController().signal;
const dns = { servers: ["none"], timeoutMs: 1000 };

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await openWebhookReceiver();
});
afterAll(() => receiver[Symbol.asyncDispose]());

async function send(options: { url?: string; allowsPrivate?: boolean; answerMs?: number } = {}) {
  const { url = receiver.url, allowsPrivate = true, ...rest } = options;
  using client = createWebhookClient({ allowsPrivate, dns, ...rest });
  return await client.send({ url, secret, message: "msg_1", body: '{"type":"x"}', at: Date.now() }, never);
}

describe("a request", () => {
  it("is signed as Standard Webhooks verifies it", async () => {
    expect(await send()).toEqual({ status: 204, error: null });
    const { headers, body } = receiver.requests.at(-1)!;
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual({ type: "x" });
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
    expect(headers).toMatchObject({ "webhook-id": "msg_1", "content-type": "application/json" });
  });

  it.each([
    [500, { error: "it answers 500" }],
    [302, { error: "it redirects, which is not followed" }],
    [410, { isGone: true }],
    [429, { retryAfterMs: 7000 }],
  ])("that is answered with %i is not accepted", async (status, expected) => {
    const before = receiver.requests.length;
    receiver.onRequest = (_, response) =>
      void response.writeHead(status, { Location: receiver.url, "Retry-After": "7" }).end("no");
    expect(await send()).toMatchObject({ status, ...expected });
    expect(receiver.requests.length).toBe(before + 1);
    receiver.onRequest = () => {};
  });

  it("reads no more of an answer than it needs", async () => {
    let written = 0;
    const closed = new Promise<void>((resolve) => {
      receiver.onRequest = (_, response) => {
        response.writeHead(200).on("close", resolve);
        const more = (): void => {
          for (let wantsMore = true; wantsMore && !response.destroyed; written += 10_000)
            wantsMore = response.write(Buffer.alloc(10_000));
        };
        response.on("drain", more);
        more();
      };
    });
    using client = createWebhookClient({ allowsPrivate: true, dns });
    const request = { url: receiver.url, secret, message: "msg_1", body: "{}", at: Date.now() };
    expect(await client.send(request, never)).toEqual({ status: 200, error: null });
    await closed;
    expect(written).toBeLessThan(20_000_000);
    receiver.onRequest = () => {};
  });

  it("ends when no answer comes in time, with an error in words of Waypost", async () => {
    const silent = createServer();
    await once(silent.listen(0, "127.0.0.1"), "listening");
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    expect(await send({ url, answerMs: 50 })).toEqual({ status: null, error: "it does not answer in time" });
    silent.close();
    expect(await send({ url: "http://127.0.0.1:1/" })).toEqual({
      status: null,
      error: "the connection failed (ECONNREFUSED)",
    });
  });
});

describe("over TLS", () => {
  it("is not sent to a receiver with an untrusted certificate", async () => {
    let requests = 0;
    const server = createHttpsServer(testCertificate, (_, response) => {
      requests++;
      response.end();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
    expect((await send({ url })).error).toMatch(/^the connection failed \(.*SELF_SIGNED.*\)$/);
    expect(requests).toBe(0);
    server.close();
  });
});

const lookUp = (find: FindAddresses, hostname: string): Promise<unknown> =>
  new Promise((resolve) => {
    publicLookup(find)(hostname, { all: true }, (error, found) => resolve(error ?? found));
  });

describe("egress", () => {
  it.each([
    ["https://127.0.0.1/", "its address is not of the public internet"],
    ["https://[::1]/", "its address is not of the public internet"],
    ["https://[::ffff:10.0.0.1]/", "its address is not of the public internet"],
    ["https://169.254.169.254/latest", "its address is not of the public internet"],
    ["https://2130706433/", "its address is not of the public internet"],
    ["https://localhost/", "its address is not of the public internet"],
    ["http://192.0.2.1/", "its address is not of the public internet"],
    ["http://1.1.1.1/", "it is not encrypted"],
  ])("does not go to %s", async (url, error) => {
    expect(await send({ url, allowsPrivate: false })).toEqual({ status: null, error });
  });

  it("connects only to the address that was checked", async () => {
    expect(await lookUp(systemAddresses, "localhost")).toMatchObject({
      message: "localhost is no address of the public internet",
    });
  });

  it("asks the name servers, and takes the public ones of their addresses", async () => {
    await using server = await startDnsServer({
      "mixed.example": [
        ["A", "10.0.0.1"],
        ["A", "1.1.1.1"],
        ["AAAA", "2606:4700::1111"],
      ],
      "inside.example": [["A", "192.168.1.1"]],
    });
    const find = dnsAddresses({ servers: [server.address], timeoutMs: 5000 });
    expect(await lookUp(find, "mixed.example")).toEqual([
      { address: "1.1.1.1", family: 4 },
      { address: "2606:4700::1111", family: 6 },
    ]);
    expect(await lookUp(find, "inside.example")).toMatchObject({ name: "PrivateAddress" });
    expect(await lookUp(find, "nobody.example")).toMatchObject({ code: "ENOTFOUND" });
    expect(await lookUp(find, "a.localhost")).toMatchObject({ name: "PrivateAddress" });
    // With `dns.servers = ["none"]` the system is asked.
    expect(dnsAddresses(dns)).toBe(systemAddresses);
  });

  it("asks again after half a minute, also for a name that was not there", async () => {
    let now = performance.now();
    using clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const moved: [string, string][] = [["A", "1.1.1.1"]];
    const made: [string, string][] = [["TXT", "soon"]];
    await using server = await startDnsServer({ "moved.example": moved, "made.example": made });
    const find = dnsAddresses({ servers: [server.address], timeoutMs: 60_000 });
    const look = () => Promise.all([lookUp(find, "moved.example"), lookUp(find, "made.example")]);
    const before = [[{ address: "1.1.1.1", family: 4 }], { code: "ENODATA" }];
    expect(await look()).toMatchObject(before);
    moved[0] = ["A", "1.0.0.1"];
    made.push(["A", "8.8.8.8"]);
    now += 29_999;
    expect(await look()).toMatchObject(before);
    now += 1;
    expect(await look()).toEqual([[{ address: "1.0.0.1", family: 4 }], [{ address: "8.8.8.8", family: 4 }]]);
    expect(clock).toHaveBeenCalled();
  });

  it.each(["A", "AAAA"] as const)(
    "goes on with the addresses of %s when the other question is not answered",
    async (type) => {
      const address = { A: "1.1.1.1", AAAA: "2606:4700::1111" }[type];
      await using server = await startDnsServer({ "half.example": [[type, address], "TIMEOUT"] });
      // Longer than the test.
      const find = dnsAddresses({ servers: [server.address], timeoutMs: 600_000 });
      expect(await lookUp(find, "half.example")).toEqual([{ address, family: type === "A" ? 4 : 6 }]);
    },
  );

  it("is sent to names of the system where private addresses are allowed", async () => {
    const { port } = new URL(receiver.url);
    expect(await send({ url: `http://localhost:${port}/` })).toMatchObject({ status: 204 });
    expect((await send({ url: "http://nobody.invalid/" })).error).toMatch(/^the connection failed/);
  });

  it("asks the system for one name at a time, last for those that were answered late", async () => {
    const asked: string[] = [];
    let answer = (_: readonly LookupAddress[] | Error): void => {};
    const find = createSystemAddresses((name) => {
      asked.push(name);
      const { promise, resolve, reject } = Promise.withResolvers<readonly LookupAddress[]>();
      answer = (one) => (one instanceof Error ? reject(one) : resolve(one));
      return promise;
    });
    let now = performance.now();
    using _clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const [address, other] = ["192.0.2.1", "192.0.2.2"].map((one) => ({ address: one, family: 4 }));
    const silent = new Error("silent");
    const begun = [find("silent.example"), find("good.example"), find("GOOD.example")];
    expect(asked).toEqual(["silent.example"]);
    now += 1001;
    answer(silent);
    await expect(begun[0]).rejects.toBe(silent);
    await expect.poll(() => asked).toHaveLength(2);
    answer([address!]);
    expect(await Promise.all(begun.slice(1))).toEqual([[address], [address]]);
    // Kept for half a minute.
    now += 29_999;
    expect(await find("good.example")).toEqual([address]);
    expect(asked).toHaveLength(2);
    now += 1;
    const fresh = find("fresh.example");
    const again = find("silent.example");
    const later = find("new.example");
    // The one that is being asked is silent, too: the last addresses count, and the name is asked next.
    expect(await find("good.example")).toEqual([address]);
    for (const one of [[other!], [other!], [other!], silent]) {
      const count = asked.length;
      answer(one);
      if (count < 6) await expect.poll(() => asked.length).toBeGreaterThan(count);
    }
    expect(asked.slice(2)).toEqual(["fresh.example", "good.example", "new.example", "silent.example"]);
    await expect(again).rejects.toBe(silent);
    expect(await Promise.all([fresh, later, find("good.example")])).toEqual([[other], [other], [other]]);
  });

  it("asks the system for the youngest of the names that are new, and not for those that were given up", async () => {
    const asked: string[] = [];
    let answer = (): void => {};
    const find = createSystemAddresses((name) => {
      asked.push(name);
      const { promise, resolve } = Promise.withResolvers<readonly LookupAddress[]>();
      answer = () => resolve([]);
      return promise;
    });
    let now = performance.now();
    using _clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    const begun = find("begun.example");
    const left = find("left.example");
    const again = find("again.example");
    now += 5000;
    const [older, younger] = [find("older.example"), find("younger.example"), find("again.example")];
    answer();
    await begun;
    await expect.poll(() => asked).toHaveLength(2);
    now += 10_000;
    answer();
    await expect(left).rejects.toMatchObject({ code: "ETIMEOUT" });
    await expect.poll(() => asked).toHaveLength(3);
    answer();
    await older;
    await expect.poll(() => asked).toHaveLength(4);
    answer();
    await Promise.all([younger, again]);
    expect(asked).toEqual(["begun.example", "younger.example", "older.example", "again.example"]);
  });

  it("knows the last addresses of a name that has been found also while too many names wait", async () => {
    const address = { address: "192.0.2.1", family: 4 };
    const find = createSystemAddresses((name) =>
      name === "good.example" ? Promise.resolve([address]) : new Promise(() => {}),
    );
    let now = performance.now();
    using _clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    expect(await find("good.example")).toEqual([address]);
    now += 30_000;
    for (let count = 0; count < 1000; count++) void find(`${count}.silent.example`);
    await expect(find("new.example")).rejects.toMatchObject({ code: "ETIMEOUT" });
    expect(await find("good.example")).toEqual([address]);
  });

  it("does not keep the threads of the system busy with names whose servers are silent", async () => {
    const silent = createSocket("udp4").bind(0, "127.0.0.1");
    await once(silent, "listening");
    let asked = 0;
    silent.on("message", () => asked++);
    const servers = [`127.0.0.1:${silent.address().port}`];
    using client = createWebhookClient({ allowsPrivate: false, dns: { servers, timeoutMs: 100 } });
    const request = { secret, message: "msg_1", body: "{}", at: Date.now() };
    const outcomes = await Promise.all(
      ["a", "b", "c"].map((name) => client.send({ ...request, url: `https://${name}.example/` }, never)),
    );
    expect(outcomes.map(({ error }) => error)).toEqual(Array(3).fill("the connection failed (ETIMEOUT)"));
    expect(asked).toBeGreaterThan(0);
    silent.close();
  });
});
