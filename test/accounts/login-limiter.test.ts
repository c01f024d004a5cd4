import { beforeEach, describe, expect, test } from "vitest";
import { createLoginLimiter, type LoginLimiter } from "#/src/accounts/login-limiter.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { networkOf } from "#/src/model/network.ts";

const limits = {
  loginFailuresPerAddress: 3,
  loginFailuresPerNetwork: 6,
  loginDelayMs: 1000,
  loginDelayMaxMs: 60_000,
  loginTableEntries: 100,
};
const home = "192.0.2.7";
const elsewhere = "198.51.100.7";
const owner = "anna@example.org";

let now = 0;
let limiter: LoginLimiter;
/** Networks from which the owner has logged in before. */
let familiar: Set<string | undefined>;

beforeEach(() => {
  now = 1_000_000;
  familiar = new Set();
  limiter = createLoginLimiter({ now: () => now }, limits);
});

function fail(times: number, from = home, address: string | undefined = owner): void {
  for (let i = 0; i < times; i++) limiter.countFailure(from, address);
}

/** How long a login has to wait; 0 when it may be tried. */
async function waitMs(from = home, address: string | undefined = owner): Promise<number> {
  try {
    await limiter.assertAllowed(
      from,
      address,
      async () => address === owner && familiar.has(networkOf(from)),
    );
    return 0;
  } catch (error) {
    if (!(error instanceof WaypostError) || error.code !== "rate_limited") throw error;
    return error.details.retryAfterMs!;
  }
}

describe("an address, from one network,", () => {
  test("may fail a few times without a wait", async () => {
    fail(2);
    expect(await waitMs()).toBe(0);
  });

  test("waits no longer than its delay when the clock is put back", async () => {
    fail(3);
    now -= 86_400_000;
    expect(await waitMs()).toBe(1000);
    now += 1000;
    expect(await waitMs()).toBe(0);
  });

  test("has to wait twice as long with each further failure", async () => {
    const waits: number[] = [];
    for (const count of [3, 4, 5]) {
      limiter = createLoginLimiter({ now: () => now }, limits);
      fail(count);
      waits.push(await waitMs());
    }
    expect(waits).toEqual([1000, 2000, 4000]);
  });

  test("may be tried again when the wait is over", async () => {
    fail(3);
    now += 999;
    expect(await waitMs()).toBe(1);
    now += 1;
    expect(await waitMs()).toBe(0);
  });

  test("never waits longer than the longest wait", async () => {
    fail(100, elsewhere);
    expect(await waitMs(elsewhere)).toBe(60_000);
  });

  test("starts from zero after a login", async () => {
    fail(3);
    now += 1000;
    limiter.countSuccess(home, owner);
    fail(2);
    expect(await waitMs()).toBe(0);
  });

  test("is forgotten after the longest wait without a failure", async () => {
    fail(3);
    now += 60_000;
    fail(1);
    expect(await waitMs()).toBe(0);
  });
});

describe("when strangers fail with somebody's address, its owner", () => {
  beforeEach(() => {
    for (let network = 0; network < 20; network++) fail(4, `198.51.${network}.7`);
  });

  test("may try from any other network at once", async () => {
    expect(await waitMs("198.51.3.9")).toBeGreaterThan(0);
    expect(await waitMs("203.0.113.1")).toBe(0);
  });

  test("waits a second after the first failure on a new network, and twice as long after each further one", async () => {
    const waits: number[] = [];
    for (let mistakes = 0; mistakes < 4; mistakes++) {
      fail(1, home);
      waits.push(await waitMs(home));
    }
    expect(waits).toEqual([1000, 2000, 4000, 8000]);
  });

  test("has the usual number of free failures on a familiar network", async () => {
    familiar.add(networkOf(home));
    fail(2, home);
    expect(await waitMs(home)).toBe(0);
  });
});

describe("on a network that is familiar, an address", () => {
  beforeEach(() => void familiar.add(networkOf(home)));

  test("does not wait for failures of other hosts with other addresses", async () => {
    for (let i = 0; i < 50; i++) fail(1, "192.0.2.200", `a${i}@example.org`);
    expect(await waitMs("192.0.2.200", "other@example.org")).toBeGreaterThan(0);
    expect(await waitMs(home)).toBe(0);
  });

  test("waits ten seconds at most", async () => {
    fail(100, home);
    expect(await waitMs(home)).toBe(10_000);
  });
});

describe("a network", () => {
  test("waits after failures with many addresses", async () => {
    for (let i = 0; i < 6; i++) fail(1, `192.0.2.${i}`, `a${i}@example.org`);
    expect(await waitMs("192.0.2.200", "other@example.org")).toBe(1000);
    expect(await waitMs(elsewhere, "other@example.org")).toBe(0);
  });

  test("keeps its failures with other addresses after a login with one's own", async () => {
    fail(6, home, "victim@example.org");
    limiter.countSuccess(home, owner);
    expect(await waitMs(home, "other@example.org")).toBe(1000);
  });

  test("forgets its failures with an address that has logged in", async () => {
    fail(2);
    limiter.countSuccess(home, owner);
    fail(5, home, "other@example.org");
    expect(await waitMs(home, "third@example.org")).toBe(0);
  });
});

test("failures from loopback count for each address alone, not for a network", async () => {
  for (let i = 0; i < 50; i++) fail(1, "127.0.0.1", `a${i}@example.org`);
  expect(await waitMs("127.0.0.1", "other@example.org")).toBe(0);
});

test("memory is bounded", () => {
  for (let i = 0; i < 1000; i++) fail(1, `10.0.${i & 255}.1`, `a${i}@example.org`);
  expect(limiter.size).toBeLessThanOrEqual(100);
});

test.each([
  ["192.0.2.7", "192.0.2.0/24"],
  ["::ffff:192.0.2.7", "192.0.2.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::1", "2001:db8:0:0::/64"],
  ["2001:DB8:0:0:1::", "2001:db8:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["127.0.0.1", undefined],
  ["::1", undefined],
  ["::ffff:127.0.0.1", undefined],
  ["", "unknown"],
  ["nonsense", "unknown"],
])("the network of %j is %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});
