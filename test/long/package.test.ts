/** The npm package: packed, installed into an empty folder, and started there as `npx waypost` starts it. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { buildPackage } from "#/config/build/build-package.ts";
import { startChildDaemon } from "../support/daemon.ts";

const away = /E(?:NOTFOUND|CONNREFUSED|CONNRESET|TIMEDOUT|AI_AGAIN|NOTCACHED)/;

test("starts with npx from an empty folder, with the tested versions of its libraries", {
  timeout: 300_000,
}, async (context) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-package-"));
  try {
    const file = buildPackage(path.join(folder, "out"));
    const content = execFileSync("tar", ["-tzf", file], { encoding: "utf8" });
    expect(content).toContain("package/program/main.js\n");
    expect(content).not.toMatch(/\.ts\n(?<!\.d\.ts\n)|package\/(?:test|storage)\//);
    const empty = path.join(folder, "empty");
    fs.mkdirSync(empty);
    fs.writeFileSync(path.join(empty, "package.json"), "{}");
    // The environment of this process, because npm may need it to reach the registry.
    const { env } = process;
    const installed = spawnSync("npm", ["install", "--prefer-offline", "--fetch-retries", "0", file], {
      cwd: empty,
      env,
      encoding: "utf8",
    });
    if (away.test(installed.stderr)) context.skip("the registry of npm cannot be reached");
    expect(installed.status, installed.stderr).toBe(0);
    const npx = (...args: string[]) =>
      execFileSync("npx", ["waypost", ...args], { cwd: empty, env, encoding: "utf8" });
    expect(npx("--version")).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(npx("--help")).toContain("Usage: waypost");
    const lock = JSON.parse(fs.readFileSync(new URL("../../package-lock.json", import.meta.url), "utf8"));
    for (const name of ["mailauth", "libmime", "better-sqlite3", "tar"]) {
      const found = [`node_modules/waypost/node_modules/${name}`, `node_modules/${name}`]
        .map((place) => path.join(empty, place, "package.json"))
        .find((one) => fs.existsSync(one));
      expect(JSON.parse(fs.readFileSync(found!, "utf8")).version, name).toBe(
        lock.packages[`node_modules/${name}`].version,
      );
    }
    await using daemon = await startChildDaemon({
      command: [path.join(empty, "node_modules/.bin/waypost")],
      env,
      cwd: empty,
      data: path.join(empty, "data"),
    });
    const call = async (operation: string, input: object) => {
      const answer = await fetch(`${daemon.http.url}/v1/${operation}`, {
        method: "POST",
        headers: { authorization: `Bearer ${daemon.agents[0]!.token}`, "content-type": "application/json" },
        body: JSON.stringify(input),
      });
      expect(answer.status, operation).toBe(200);
      // biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
      return (await answer.json()) as any;
    };
    await call("health", {});
    // Uses the threads of the package: they read the mail, index it and render it.
    npx(
      "deliver",
      "--to",
      daemon.agents[0]!.address,
      "--subject",
      "Packed",
      "--text",
      "Hello",
      "--data",
      path.join(empty, "data"),
    );
    const { content: found } = await call("search", { q: "packed" });
    expect(found.items).toMatchObject([{ subject: "Packed" }]);
    const { text } = await call("part.describe", { id: found.items[0].id });
    expect(text).toContain("Hello");
    const client = `import { createClient } from "waypost/client"; console.log(typeof createClient);`;
    const typed = spawnSync(process.execPath, ["--input-type=module", "-e", client], {
      cwd: empty,
      encoding: "utf8",
    });
    expect(typed).toMatchObject({ stdout: "function\n", stderr: "" });
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
