import { expect, test } from "vitest";
import { createResolve, dnsError, limitQuestions } from "#/src/evidence/dns.ts";
import { zoneResolve } from "../support/servers/dns-zone.ts";

const settings = { servers: [], timeoutMs: 1000 };

test("remembers answers and absences for a while", async () => {
  let now = 0;
  const zone = zoneResolve({ "a.example": [["TXT", "hello"]] });
  const resolve = createResolve(settings, () => now, zone);
  for (const name of ["a.example", "A.example.", "a.EXAMPLE"])
    expect(await resolve(name, "TXT")).toEqual([["hello"]]);
  for (let n = 0; n < 3; n++)
    await expect(resolve("none.example", "TXT")).rejects.toMatchObject({ code: "ENOTFOUND" });
  expect(zone.asked).toEqual(["TXT a.example", "TXT none.example"]);
  now += 10 * 60_000;
  await resolve("a.example", "TXT");
  expect(zone.asked).toHaveLength(3);
});

test("keeps answers and absences no longer than it is told", async () => {
  let now = 0;
  const zone = zoneResolve({ "a.example": [["A", "192.0.2.1"]] });
  const resolve = createResolve({ ...settings, keptMsMax: 30_000 }, () => now, zone);
  const ask = async () => {
    await resolve("a.example", "A");
    await expect(resolve("none.example", "A")).rejects.toMatchObject({ code: "ENOTFOUND" });
    return zone.asked.length;
  };
  expect(await ask()).toBe(2);
  now = 29_999;
  expect(await ask()).toBe(2);
  now = 30_000;
  expect(await ask()).toBe(4);
});

test("forgets all answers when they have 32 Mi characters together", async () => {
  const asked: string[] = [];
  const resolve = createResolve(settings, Date.now, async (name) => {
    asked.push(name);
    return [["x".repeat(1024 * 1024)]];
  });
  const ask = async (...names: string[]): Promise<void> => {
    for (const name of names) await resolve(name, "TXT");
  };
  await ask(...Array.from({ length: 31 }, (_, n) => `n${n}.example`), "n0.example");
  expect(asked).toHaveLength(31);
  await ask("n31.example", "n32.example", "n0.example", "n32.example");
  expect(asked.slice(31)).toEqual(["n31.example", "n32.example", "n0.example"]);
});

test("goes on with each that waits for one query in a turn of its own", async () => {
  const { promise, resolve: answer } = Promise.withResolvers<unknown[]>();
  const resolve = createResolve(settings, Date.now, () => promise);
  const goneOn: number[] = [];
  const all = Promise.all(
    [0, 1, 2, 3].map((waiting) =>
      resolve("a.example", "A")
        .catch(() => {})
        .then(() => goneOn.push(waiting)),
    ),
  );
  answer(["192.0.2.1"]);
  // After the microtasks, and before other turns of the loop.
  await new Promise((resolve) => process.nextTick(() => queueMicrotask(() => resolve(undefined))));
  for (let step = 0; step < 20; step++) await Promise.resolve();
  expect(goneOn).toEqual([0]);
  await all;
  expect(goneOn).toEqual([0, 1, 2, 3]);
  // What is known needs no turn.
  const known = resolve("a.example", "A").then(() => goneOn.push(4));
  for (let step = 0; step < 20; step++) await Promise.resolve();
  expect(goneOn).toHaveLength(5);
  await known;
});

test("makes one query for many equal questions at once, and gives each its own copy", async () => {
  const zone = zoneResolve({ "a.example": [["MX", [10, "mx.example"]]] });
  const resolve = createResolve(settings, Date.now, zone);
  const [first, second] = await Promise.all([resolve("a.example", "MX"), resolve("a.example", "MX")]);
  (first as unknown[]).pop();
  expect(second).toEqual([{ priority: 10, exchange: "mx.example" }]);
  expect(zone.asked).toHaveLength(1);
});

test("copies what is in an answer, too", async () => {
  const certificate = new Uint8Array([1]);
  const kept = { name: "a.example", values: [{ priority: 10, exchange: "mx.example" }, { certificate }] };
  const resolve = createResolve(settings, Date.now, async () => [kept]);
  const [first] = (await resolve("a.example", "MX")) as [typeof kept];
  expect(first).toEqual(kept);
  first.values[0]!.exchange = "else.example";
  first.values.pop();
  expect(await resolve("a.example", "MX")).toEqual([
    { name: "a.example", values: [{ priority: 10, exchange: "mx.example" }, { certificate }] },
  ]);
});

test("gives each question its own error", async () => {
  const resolve = createResolve(settings, Date.now, zoneResolve({}));
  const ask = () => resolve("none.example", "A").then(undefined, (error: Error & { code: string }) => error);
  const first = (await ask()) as Error & { code: string };
  first.code = "ELSE";
  first.message = "else";
  const second = await ask();
  expect(second).toBeInstanceOf(Error);
  expect(second).toMatchObject({ code: "ENOTFOUND", message: expect.stringContaining("none.example") });
});

test("does not wait for unreachable servers, and queries them again later", async () => {
  let now = 0;
  let count = 0;
  const resolve = createResolve(
    settings,
    () => now,
    async (name) => {
      count++;
      throw dnsError("ETIMEOUT", name);
    },
  );
  for (let n = 0; n < 50; n++)
    await expect(resolve(`${n}.example`, "A")).rejects.toMatchObject({ code: "ETIMEOUT" });
  // Five questions, and one to find out whether the servers are there.
  expect(count).toBe(6);
  now += 60_000;
  await expect(resolve("again.example", "A")).rejects.toMatchObject({ code: "ETIMEOUT" });
  await expect(resolve("more.example", "A")).rejects.toMatchObject({ code: "ETIMEOUT" });
  expect(count).toBe(8);
});

test("still queries other domains when the name servers of many domains are silent", async () => {
  const zone = zoneResolve({ "good.example": [["TXT", "hello"]] });
  const resolve = createResolve(settings, Date.now, async (name, type) => {
    if (name.endsWith("silent.example")) throw dnsError("ETIMEOUT", name);
    return zone(name, type);
  });
  for (let n = 0; n < 50; n++)
    await expect(resolve(`${n}.silent.example`, "TXT")).rejects.toMatchObject({ code: "ETIMEOUT" });
  expect(await resolve("good.example", "TXT")).toEqual([["hello"]]);
  // It is found out after every five.
  expect(zone.asked).toEqual([...Array.from({ length: 10 }, () => "NS ."), "TXT good.example"]);
});

test("sends no query when it is configured so", async () => {
  const resolve = createResolve({ servers: ["none"], timeoutMs: 1000 });
  await expect(resolve("a.example", "A")).rejects.toMatchObject({ code: "ETIMEOUT" });
});

test("gives up after a limited number of queries, or of time", async () => {
  const zone = zoneResolve({ "a.example": [["A", "192.0.2.1"]] });
  const resolve = limitQuestions(zone, 2, performance.now() + 60_000);
  await resolve("a.example", "A");
  await resolve("a.example", "A");
  await expect(resolve("a.example", "A")).rejects.toMatchObject({ code: "ETIMEOUT" });
  await expect(limitQuestions(zone, 2, performance.now() - 1)("a.example", "A")).rejects.toMatchObject({
    code: "ETIMEOUT",
  });
});
