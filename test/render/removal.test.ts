import { expect, test } from "vitest";
import { createRemovalTally } from "#/src/render/removal.ts";

test("counts doubtful text by its cause, and all removals by their place", () => {
  const inner = createRemovalTally();
  inner.add("doubtful", "1.2", 2, "may-be-covered");
  inner.add("doubtful", "1.2", 1, "colours-may-match");
  const tally = createRemovalTally();
  tally.add("doubtful", "1.2", 1, "may-be-covered");
  tally.addAll(inner.list());
  tally.add("hidden-by-style", "1.2");
  tally.add("hidden-by-style", "2");
  expect(tally.list()).toEqual([
    { what: "doubtful", count: 3, where: "1.2", why: "may-be-covered" },
    { what: "doubtful", count: 1, where: "1.2", why: "colours-may-match" },
    { what: "hidden-by-style", count: 1, where: "1.2" },
    { what: "hidden-by-style", count: 1, where: "2" },
  ]);
});
