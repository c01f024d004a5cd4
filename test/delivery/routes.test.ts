/** The route of mail: MX, implicit and null MX, addresses, and destinations that are not allowed. */
import { describe, expect, test } from "vitest";
import { loadSettings } from "#/config/load.ts";
import { findRoute } from "#/protocols/delivery/routes.ts";
import { type Zone, zoneResolve } from "../support/servers/dns-zone.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { openDeliveryHouse } from "./delivery-house.ts";

const zone: Zone = {
  "several.net": [
    ["MX", [20, "b.several.net"]],
    ["MX", [10, "a.several.net"]],
    ["MX", [30, "c.several.net"]],
  ],
  "a.several.net": [
    ["A", "8.8.1.1"],
    ["AAAA", "2606:4700::1"],
  ],
  "b.several.net": [["A", "8.8.1.2"]],
  "c.several.net": [["AAAA", "2606:4700::3"]],
  "implicit.net": [["A", "8.8.2.1"]],
  "null.net": [
    ["MX", [0, "."]],
    ["A", "8.8.3.1"],
  ],
  "empty.net": [["TXT", "x"]],
  "dangling.net": [["MX", [10, "gone.dangling.net"]]],
  "silent.net": ["TIMEOUT"],
  "half.net": [
    ["MX", [10, "slow.half.net"]],
    ["MX", [20, "b.several.net"]],
  ],
  "slow.half.net": ["TIMEOUT"],
  "backup.net": [
    ["MX", [10, "b.several.net"]],
    ["MX", [20, "mx.ours.org"]],
    ["MX", [30, "a.several.net"]],
  ],
  "loop.net": [
    ["MX", [10, "MX.ours.org."]],
    ["MX", [20, "a.several.net"]],
  ],
  "mx.ours.org": [["A", "8.8.9.9"]],
  "private.net": [["A", "10.0.0.1"]],
  "mixed.net": [
    ["A", "127.0.0.1"],
    ["A", "8.8.5.5"],
  ],
  "many.net": Array.from({ length: 50 }, (_, n) => ["MX", [n, `m${n}.many.net`]] as const),
  ...Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`m${n}.many.net`, [["A", `8.9.0.${n}`]]] as const),
  ),
};

function route(domain: string, set: readonly string[] = []) {
  const settings = loadSettings({ set: ["server.hostname=mx.ours.org", ...set] });
  return findRoute({ settings, resolve: zoneResolve(zone) }, domain);
}

async function hosts(domain: string, set?: readonly string[]) {
  const found = await route(domain, set);
  if (found.kind !== "hosts") throw new Error(found.reason);
  return found.hosts.map(({ name, addresses }) => `${name} ${addresses.join(" ")}`);
}

describe("mail of a domain goes", () => {
  test.each([
    [
      "several.net",
      ["a.several.net 2606:4700::1 8.8.1.1", "b.several.net 8.8.1.2", "c.several.net 2606:4700::3"],
    ],
    ["implicit.net", ["implicit.net 8.8.2.1"]],
    ["half.net", ["b.several.net 8.8.1.2"]],
    ["mixed.net", ["mixed.net 8.8.5.5"]],
    ["[8.8.4.4]", ["8.8.4.4 8.8.4.4"]],
    ["[IPv6:2606:4700::4]", ["2606:4700::4 2606:4700::4"]],
    // Less wanted than this server itself: it would send the mail back here.
    ["backup.net", ["b.several.net 8.8.1.2"]],
  ])("of %s to its servers in order", async (domain, expected) => {
    expect(await hosts(domain)).toEqual(expected);
  });

  test("to one family of addresses where the operator says so", async () => {
    expect(await hosts("several.net", ["outbound.ip_family=ipv4"])).toEqual([
      "a.several.net 8.8.1.1",
      "b.several.net 8.8.1.2",
    ]);
  });

  test("to a private address only where that is allowed", async () => {
    expect(await hosts("private.net", ["outbound.allow_private_addresses=true"])).toEqual([
      "private.net 10.0.0.1",
    ]);
  });

  test("to at most ten servers", async () => {
    expect(await hosts("many.net")).toHaveLength(10);
  });

  test("to servers of one preference in any order", async () => {
    const same: Zone = {
      "same.net": [
        ["MX", [5, "a.several.net"]],
        ["MX", [5, "b.several.net"]],
      ],
      ...zone,
    };
    const seen = new Set<string>();
    for (let n = 0; n < 200 && seen.size < 2; n++) {
      const settings = loadSettings();
      const found = await findRoute({ settings, resolve: zoneResolve(same) }, "same.net");
      if (found.kind === "hosts") seen.add(found.hosts[0]!.name);
    }
    expect(seen.size).toBe(2);
  });
});

test("a server that has an IPv6 address gets mail over it", async ({ skip }) => {
  const sink = await startSink({ host: "::1" }).catch(() => undefined);
  if (sink === undefined) return skip("this host has no ::1");
  await using _ = sink;
  await using house = await openDeliveryHouse({
    zone: { "six.net": [["AAAA", "::1"]] },
    set: [`outbound.mx_port=${sink.port}`],
  });
  await house.send({ to: ["bob@six.net"] });
  expect(sink.mails).toHaveLength(1);
});

describe("mail goes nowhere", () => {
  test.each([
    ["unknown.net", "failed", "5.1.2"],
    ["null.net", "failed", "5.1.10"],
    ["empty.net", "failed", "5.4.4"],
    ["dangling.net", "failed", "5.4.4"],
    ["private.net", "failed", "5.4.4"],
    ["loop.net", "failed", "5.4.6"],
    ["[127.0.0.1]", "failed", "5.4.4"],
    ["[::1]", "failed", "5.1.2"],
    ["silent.net", "deferred", "4.4.3"],
  ])("of %s: %s %s", async (domain, kind, status) => {
    expect(await route(domain)).toMatchObject({ kind, status });
  });

  test("to this server's own port under another name", async () => {
    const settings = loadSettings({
      set: ["outbound.mx_port=2525", "smtp.port=2525", "outbound.allow_private_addresses=true"],
    });
    const resolve = zoneResolve({ "alias.net": [["A", "127.0.0.1"]] });
    expect(await findRoute({ settings, resolve }, "alias.net")).toMatchObject({
      kind: "failed",
      status: "5.4.6",
    });
  });
});

describe("where no name server is asked", () => {
  const set = ["dns.servers=none"];

  test("mail to other servers is refused at once, and the hint names the setting", async () => {
    await using house = await openDeliveryHouse({ set });
    await expect(house.send({ to: ["pat@ours.org", "lee@theirs.net"] })).rejects.toMatchObject({
      code: "policy_refused",
      details: { reason: "relay_refused", hint: expect.stringMatching(/smarthost_host.*dns\.servers/) },
    });
    await house.send({ to: ["pat@ours.org"] });
    expect(await house.letters()).toHaveLength(1);
  });

  test("mail to others leaves through a smarthost", async () => {
    await using sink = await startSink();
    const smarthost = ["host=127.0.0.1", `port=${sink.port}`, "tls=none"];
    await using house = await openDeliveryHouse({
      set: [...set, ...smarthost.map((setting) => `outbound.smarthost_${setting}`)],
    });
    await house.send({ to: ["lee@theirs.net"] });
    expect(sink.mails).toHaveLength(1);
  });
});
