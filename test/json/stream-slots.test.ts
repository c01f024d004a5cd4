import { expect, it } from "vitest";
import { createStreamSlots } from "#/protocols/json/carriage/stream-slots.ts";
import { createFairness } from "#/src/fairness/fairness.ts";

it("refuses a token that has its streams, and everybody when all are open", () => {
  const fairness = createFairness();
  const slots = createStreamSlots(fairness, 2, 3);
  const first = slots.hold("token:1");
  slots.hold("token:1");
  expect(() => slots.hold("token:1")).toThrow(expect.objectContaining({ code: "rate_limited" }));
  slots.hold("token:2");
  expect(() => slots.hold("token:3")).toThrow(
    expect.objectContaining({
      code: "upstream_unavailable",
      details: { reason: "busy", retryAfterMs: 1000 },
    }),
  );
  first[Symbol.dispose]();
  slots.hold("token:3")[Symbol.dispose]();
  expect(fairness.refused()).toEqual([
    { share: "streams", reason: "share", count: 1 },
    { share: "streams", reason: "total", count: 1 },
  ]);
});
