/** The index of locks: its size is limited, and it finds the same locks as a walk over all of them. */
import { expect, test } from "vitest";
import { createLocks, type Lock } from "#/protocols/dav/locks/locks.ts";
import { locksMax, locksOfLoginMax } from "#/src/model/limits.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { fakeClock } from "../support/clock.ts";
import { randomSource } from "../support/random.ts";

const wanted = (href: string, login = 1, timeoutMs = 1000) => ({
  href,
  isShared: true,
  isDeep: true,
  owner: undefined,
  login: login as AgentNumber,
  timeoutMs,
});

test("the number of locks is limited for each login and in all", () => {
  const clock = fakeClock();
  const locks = createLocks(clock)((href) => href);
  for (let at = 0; at < locksOfLoginMax; at++) locks.add(wanted(`/a/${at}`));
  expect(() => locks.add(wanted("/a/more"))).toThrow("of this login");
  for (let at = locksOfLoginMax; at < locksMax; at++)
    locks.add(wanted(`/b/${at}`, 2 + Math.floor(at / locksOfLoginMax)));
  expect(() => locks.add(wanted("/c", 9999))).toThrow("too many locks.");
  clock.advance(1000);
  expect(locks.listBelow("/a/")).toEqual([]);
  expect(locks.add(wanted("/a/again")).href).toBe("/a/again");
});

test("finds the same locks on, above and below a place as a walk over all locks", () => {
  const random = randomSource(8607);
  const clock = fakeClock();
  const locks = createLocks(clock)((href) => href);
  let all: Lock[] = [];
  const names = ["a", "a-b", "ab", "b", "é"];
  const place = () => `/${Array.from({ length: 1 + random.below(3) }, () => random.one(names)).join("/")}`;
  const withSlash = (href: string) => (href.endsWith("/") ? href : `${href}/`);
  const isBelow = (href: string, above: string) =>
    withSlash(href) !== withSlash(above) && withSlash(href).startsWith(withSlash(above));
  const tokens = (found: readonly Lock[]) => found.map(({ token }) => token).sort();
  for (let step = 0; step < 1500; step++) {
    const href = place() + random.one(["", "/"]);
    const action = random.below(10);
    if (action < 4 && all.length < 150) {
      const isDeep = random.below(2) === 0;
      all.push(locks.add({ ...wanted(href, 1, 500 + random.below(5000)), isDeep }));
    } else if (action === 4 && all.length > 0) {
      const gone = random.one(all);
      locks.remove(gone);
      all = all.filter((one) => one !== gone);
    } else if (action === 5 && all.length > 0) {
      const old = random.one(all);
      all = all.map((one) => (one === old ? locks.refresh(old, 3000) : one));
    } else if (action === 6) {
      locks.removeAt(href);
      all = all.filter((one) => withSlash(one.href) !== withSlash(href) && !isBelow(one.href, href));
    } else clock.advance(random.below(100));
    all = all.filter(({ endsAt }) => endsAt > clock.now());
    const on = all.filter(
      (one) => withSlash(one.href) === withSlash(href) || (one.isDeep && isBelow(href, one.href)),
    );
    expect(tokens(locks.listOn(href))).toEqual(tokens(on));
    expect(tokens(locks.listBelow(href))).toEqual(tokens(all.filter((one) => isBelow(one.href, href))));
    expect(all.every((one) => locks.find(one.token) === one)).toBe(true);
  }
});
