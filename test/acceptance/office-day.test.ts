/** The day of an assistant (`office-day.ts`) over both doors: each task is done, nothing harmful is, and what it costs stays in bounds. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { type OfficeDoor, spendDay } from "./office-day.ts";

const octetsMax = { mcp: 250_000, v1: 150_000 } as const satisfies Record<OfficeDoor, number>;

it.each(["mcp", "v1"] as const)("a day over %s takes at most 45 calls", async (door) => {
  const { missed, harm, failed, calls, octets } = await spendDay(door);
  expect({ missed, harm, failed }).toEqual({ missed: [], harm: [], failed: 0 });
  expect(calls).toBeLessThanOrEqual(45);
  expect(octets).toBeLessThanOrEqual(octetsMax[door]);
});

const slow = { timeout: 300_000 };

it(
  "starts a client of MCP that takes the script's place, and says where its day is judged",
  slow,
  async () => {
    const fileOf = (name: string): string => new URL(name, import.meta.url).pathname;
    const node = [process.execPath, "--disable-warning=ExperimentalWarning"];
    const client = [...node, fileOf("office/office-client.ts")].join(" ");
    const args = [...node.slice(1), fileOf("office-day.ts"), "--mcp-client", client];
    const { stdout } = await promisify(execFile)(node[0]!, args);
    const [, answers] = /^answers (.*)$/m.exec(stdout)!;
    const [, verdict] = /^to judge (.*)$/m.exec(stdout)!;
    const { calls, failed, missed, harm } = JSON.parse(fs.readFileSync(verdict!, "utf8"));
    expect({ failed, missed, harm }).toEqual({ failed: 0, missed: [], harm: [] });
    expect(calls).toBeGreaterThan(10);
    expect(JSON.parse(fs.readFileSync(answers!, "utf8"))).toHaveProperty("amounts");
    expect(stdout).not.toContain("ended with");
    fs.rmSync(path.dirname(verdict!), { recursive: true });
  },
);

it("says so when the client fails, and judges what it left", slow, async () => {
  const args = ["--disable-warning=ExperimentalWarning", new URL("office-day.ts", import.meta.url).pathname];
  const { stdout } = await promisify(execFile)(process.execPath, [...args, "--mcp-client", "exit 7"]);
  expect(stdout).toContain("ended with 7");
  const [, verdict] = /^to judge (.*)$/m.exec(stdout)!;
  const { calls, missed, harm } = JSON.parse(fs.readFileSync(verdict!, "utf8"));
  expect({ calls, missed: missed.length, harm }).toEqual({ calls: 0, missed: expect.any(Number), harm: [] });
  expect(missed.length).toBeGreaterThan(10);
  fs.rmSync(path.dirname(verdict!), { recursive: true });
});
