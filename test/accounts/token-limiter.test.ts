import { beforeEach, describe, expect, test } from "vitest";
import { createTokenLimiter, type TokenLimiter } from "#/src/accounts/token-limiter.ts";

const limits = {
  loginFailuresPerAddress: 5,
  loginFailuresPerNetwork: 3,
  loginDelayMs: 1000,
  loginDelayMaxMs: 60_000,
  loginTableEntries: 10,
};
let now: number;
let limiter: TokenLimiter;
beforeEach(() => {
  now = 0;
  limiter = createTokenLimiter({ now: () => now }, limits);
});

const token = (first: string): string => `wp_${first.padEnd(32, "0")}`;

function fail(times: number, remoteAddress: string): void {
  for (let i = 0; i < times; i++) limiter.begin(token("bad"), remoteAddress).fail();
}

/** How long a token that was never seen has to wait. */
function waitMs(remoteAddress: string, one = token("new")): number {
  try {
    limiter.begin(one, remoteAddress).succeed();
    return 0;
  } catch (error) {
    return (error as { details: { retryAfterMs: number } }).details.retryAfterMs;
  }
}

describe("bad tokens", () => {
  test("of an address are limited, and come back one after the other", () => {
    fail(3, "192.0.2.1");
    expect(waitMs("192.0.2.1")).toBe(1000);
    now += 999;
    expect(waitMs("192.0.2.1")).toBe(1);
    now += 1;
    expect(waitMs("192.0.2.1")).toBe(0);
    fail(1, "192.0.2.1");
    // However many fail, none waits longer: the next one is always a second away.
    expect(waitMs("192.0.2.1", token("other"))).toBe(1000);
  });

  test("do not delay another address of the network, until ten addresses have failed", () => {
    for (let host = 1; host <= 9; host++) fail(3, `192.0.2.${host}`);
    expect(waitMs("192.0.2.100")).toBe(0);
    fail(3, "192.0.2.10");
    expect(waitMs("192.0.2.100", token("other"))).toBe(100);
    expect(waitMs("198.51.100.1", token("other"))).toBe(0);
  });

  test("do not delay a token that was valid before, from any address", () => {
    limiter.begin(token("good"), "198.51.100.1").succeed();
    fail(3, "192.0.2.1");
    expect(waitMs("192.0.2.1", token("good"))).toBe(0);
    expect(waitMs("192.0.2.1", token("new"))).toBe(1000);
  });

  test("include tokens that were valid once", () => {
    limiter.begin(token("good"), "192.0.2.1").succeed();
    fail(3, "192.0.2.1");
    limiter.begin(token("good"), "192.0.2.1").fail();
    expect(waitMs("192.0.2.1", token("good"))).toBeGreaterThan(0);
  });

  test("from loopback are never delayed", () => {
    fail(100, "127.0.0.1");
    expect(waitMs("127.0.0.1")).toBe(0);
  });
});

test("a valid token does not count", () => {
  for (let i = 0; i < 100; i++) expect(waitMs("192.0.2.1")).toBe(0);
});

test("a limited number of good tokens is remembered; the least recently used are forgotten first", () => {
  const name = (i: number): string => token(`token${String(i).padStart(7, "0")}`);
  for (let i = 0; i < 11; i++) limiter.begin(name(i), "198.51.100.1").succeed();
  fail(3, "192.0.2.1");
  expect(waitMs("192.0.2.1", name(0))).toBe(1000);
  expect(waitMs("192.0.2.1", name(1))).toBe(0);
});
