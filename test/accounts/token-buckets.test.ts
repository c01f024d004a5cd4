import { expect, test } from "vitest";
import { createTokenBuckets } from "#/src/accounts/token-buckets.ts";

test("a bucket that is not full is kept while full ones are deleted", () => {
  const buckets = createTokenBuckets({ now: () => 0 }, { perSecond: 1, burst: 1 });
  buckets.take("slow");
  // As many as are needed until full buckets are looked for.
  for (let other = 0; other < 1000; other++) buckets.take(`other ${other}`);
  expect(buckets.waitMs("slow")).toBe(1000);
});

test("a bucket is empty when the clock is set back, and fills from then on", () => {
  const hourMs = 3_600_000;
  let now = 2 * hourMs;
  const buckets = createTokenBuckets({ now: () => now }, { perSecond: 1, burst: 3 });
  buckets.take("one");
  now -= hourMs;
  expect(buckets.waitMs("one")).toBe(1000);
  now += 999;
  expect(buckets.waitMs("one")).toBe(1);
  now += 1;
  expect(buckets.waitMs("one")).toBe(0);
});
