/** The day of an assistant (`office-day.ts`) over both doors: each task is done, nothing harmful is, and what it costs stays in bounds. */
import { expect, it } from "vitest";
import { type OfficeDoor, spendDay } from "./office-day.ts";

const octetsMax = { mcp: 250_000, v1: 150_000 } as const satisfies Record<OfficeDoor, number>;

it.each(["mcp", "v1"] as const)("a day over %s takes at most 45 calls", async (door) => {
  const { missed, harm, failed, calls, octets } = await spendDay(door);
  expect({ missed, harm, failed }).toEqual({ missed: [], harm: [], failed: 0 });
  expect(calls).toBeLessThanOrEqual(45);
  expect(octets).toBeLessThanOrEqual(octetsMax[door]);
});
