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

beforeEach(() => {
  now = 1_000_000;
  limiter = createLoginLimiter({ now: () => now }, limits);
});

function fail(times: number, from = home, address: string | undefined = owner): void {
  for (let i = 0; i < times; i++) limiter.countFailure(from, address);
}

/** How long a login has to wait; 0 when it may be tried. */
function waitMs(from = home, address: string | undefined = owner): number {
  try {
    limiter.assertAllowed(from, address);
    return 0;
  } catch (error) {
    if (!(error instanceof WaypostError) || error.code !== "rate_limited") throw error;
    return error.details.retryAfterMs!;
  }
}

describe("an address", () => {
  test("may be mistaken a few times", () => {
    fail(2);
    expect(waitMs()).toBe(0);
  });

  test("waits no longer than its delay when the clock is put back", () => {
    fail(3);
    now -= 86_400_000;
    expect(waitMs()).toBe(1000);
    now += 1000;
    expect(waitMs()).toBe(0);
  });

  test("has to wait twice as long with each further failure", () => {
    const waits = [3, 4, 5].map((count) => {
      limiter = createLoginLimiter({ now: () => now }, limits);
      fail(count);
      return waitMs();
    });
    expect(waits).toEqual([1000, 2000, 4000]);
  });

  test("may be tried again when the wait is over", () => {
    fail(3);
    now += 999;
    expect(waitMs()).toBe(1);
    now += 1;
    expect(waitMs()).toBe(0);
  });

  test("never waits longer than the longest wait", () => {
    fail(100, elsewhere);
    expect(waitMs("203.0.113.1")).toBe(60_000);
  });

  test("waits wherever the login comes from", () => {
    fail(3, elsewhere);
    expect(waitMs(home)).toBe(1000);
  });

  test("starts anew after a login", () => {
    fail(3);
    now += 1000;
    limiter.countSuccess(home, owner);
    fail(2);
    expect(waitMs()).toBe(0);
  });

  test("is forgotten after the longest wait without a failure", () => {
    fail(3);
    now += 60_000;
    fail(1);
    expect(waitMs()).toBe(0);
  });

  test("is not locked out at home by strangers", () => {
    limiter.countSuccess(home, owner);
    fail(50, elsewhere);
    expect(waitMs(home)).toBe(0);
    expect(waitMs("203.0.113.1")).toBeGreaterThan(0);
  });

  test("is limited at home too", () => {
    limiter.countSuccess(home, owner);
    fail(3, home);
    expect(waitMs(home)).toBe(1000);
  });
});

describe("a network", () => {
  test("waits after failures with many addresses", () => {
    for (let i = 0; i < 6; i++) fail(1, `192.0.2.${i}`, `a${i}@example.org`);
    expect(waitMs("192.0.2.200", "other@example.org")).toBe(1000);
    expect(waitMs(elsewhere, "other@example.org")).toBe(0);
  });

  test("is not washed clean by the login of one's own", () => {
    fail(6, home, "victim@example.org");
    limiter.countSuccess(home, owner);
    expect(waitMs(home, "other@example.org")).toBe(1000);
  });

  test("is owed nothing more for an address that has logged in", () => {
    fail(2);
    limiter.countSuccess(home, owner);
    fail(5, home, "other@example.org");
    expect(waitMs(home, "third@example.org")).toBe(0);
  });
});

test("loopback is no network: the tools of this host fail each for their own address", () => {
  for (let i = 0; i < 50; i++) fail(1, "127.0.0.1", `a${i}@example.org`);
  expect(waitMs("127.0.0.1", "other@example.org")).toBe(0);
});

test("memory is bounded", () => {
  for (let i = 0; i < 1000; i++) {
    fail(1, `10.0.${i & 255}.1`, `a${i}@example.org`);
    limiter.countSuccess(`10.1.${i & 255}.1`, `b${i}@example.org`);
  }
  expect(limiter.size).toBeLessThanOrEqual(200);
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
