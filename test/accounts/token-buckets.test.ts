import { expect, test } from "vitest";
import { createTokenBuckets } from "#/src/accounts/token-buckets.ts";

test("a bucket that is not full is kept while full ones are deleted", () => {
  const buckets = createTokenBuckets({ now: () => 0 }, { perSecond: 1, burst: 1 });
  buckets.take("slow");
  // As many as are needed until full buckets are looked for.
  for (let other = 0; other < 1000; other++) buckets.take(`other ${other}`);
  expect(buckets.waitMs("slow")).toBe(1000);
});
