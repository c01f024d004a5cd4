import { expect, it } from "vitest";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createRefusals } from "#/src/fairness/refusals.ts";

const [one, other] = [{ key: "network 192.0.2.0/24" }, { key: "network 198.51.100.0/24" }];

it("logs a refusal once a minute for each network, and counts each one", () => {
  const lines: unknown[] = [];
  let now = 0;
  const refusals = createRefusals(
    ({ owner, reason }) => lines.push([owner, reason]),
    () => now,
  );
  for (let count = 0; count < 100; count++) refusals.note("imap", "connections", one, "share");
  refusals.note("imap", "connections", other, "share");
  now = 59_999;
  refusals.note("imap", "connections", one, "total");
  now = 60_000;
  refusals.note("imap", "connections", one, "total");
  expect(lines).toEqual([
    [one.key, "share"],
    [other.key, "share"],
    [one.key, "total"],
  ]);
  expect(refusals.counts()).toEqual([
    { share: "imap", reason: "share", count: 101 },
    { share: "imap", reason: "total", count: 2 },
  ]);
});

it("limits its log lines and memory for many networks", () => {
  let lines = 0;
  const refusals = createRefusals(
    () => lines++,
    () => 0,
  );
  for (let network = 0; network < 5000; network++)
    refusals.note("imap", "connections", { key: `network ${network}` }, "share");
  expect(lines).toBe(1000);
});

it("has one gate for each share, which reports its refusals", () => {
  const lines: unknown[] = [];
  const fairness = createFairness((line) => lines.push(line));
  const gate = fairness.gate("smtp", { total: 1, share: 1 });
  expect(fairness.gate("smtp")).toBe(gate);
  gate.tryEnter(one);
  gate.tryEnter(one);
  expect(lines).toEqual([
    { share: "smtp", what: "connections of other servers", owner: one.key, reason: "share" },
  ]);
  expect(fairness.refused()).toEqual([{ share: "smtp", reason: "share", count: 1 }]);
});

it("refuses to open a gate without its numbers", () => {
  expect(() => createFairness().gate("smtp")).toThrow("total");
});
