/** `npm start` runs JavaScript that was compiled from the current source. */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

const top = path.resolve(import.meta.dirname, "../..");
// On a busy machine the compiler takes many seconds.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let copy: string;

/** A copy of the source, with the libraries that are installed and a cache of its own. */
beforeAll(() => {
  copy = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-compiled-"));
  for (const name of ["config", "protocols", "src", "storage", "package.json"])
    fs.cpSync(path.join(top, name), path.join(copy, name), { recursive: true });
  const libraries = path.join(copy, "node_modules");
  fs.mkdirSync(libraries);
  for (const name of fs.readdirSync(path.join(top, "node_modules")))
    if (name !== ".cache") fs.symlinkSync(path.join(top, "node_modules", name), path.join(libraries, name));
});

afterAll(() => fs.rmSync(copy, { recursive: true, force: true }));

const start = () => path.join(copy, "src/start.mjs");
const cache = () => path.join(copy, "node_modules/.cache/waypost");

function help(): string {
  return execFileSync(process.execPath, [start(), "--help"], { encoding: "utf8" });
}

function rewrite(from: string, to: string): void {
  const file = path.join(copy, "src/cli/program.ts");
  const text = fs.readFileSync(file, "utf8");
  expect(text).toContain(from);
  fs.writeFileSync(file, text.replace(from, to));
}

test("the compiled program is used again, and changed source is compiled again", () => {
  expect(help()).toContain("Usage: waypost");
  expect(help()).toContain("Usage: waypost");
  const [first, ...more] = fs.readdirSync(cache());
  expect(more).toEqual([]);
  const program = path.join(cache(), first!, "main.js");
  fs.writeFileSync(program, `console.log("compiled");`);
  expect(help()).toBe("compiled\n");
  rewrite('"waypost"', '"changed"');
  expect(help()).toContain("Usage: changed");
});

test("compiled code never calls `require` in an ES module", () => {
  const files = fs
    .readdirSync(cache(), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js"));
  expect(files.length).toBeGreaterThan(10);
  const calling = files.filter((file) =>
    /__require\("/.test(fs.readFileSync(path.join(cache(), file), "utf8")),
  );
  expect(calling).toEqual([]);
});

test("the starting process becomes the program, with a small young generation and one thread for garbage collection", () => {
  for (const name of fs.readdirSync(cache()))
    fs.writeFileSync(path.join(cache(), name, "main.js"), "console.log(process.pid, ...process.execArgv);");
  const { pid, stdout } = spawnSync(process.execPath, [start()], { encoding: "utf8" });
  expect(stdout).toBe(
    `${pid} --max-semi-space-size=4 --max-old-space-size=1536 --v8-pool-size=1 --disable-warning=ExperimentalWarning\n`,
  );
});

test("two older compiled versions are kept", () => {
  for (const [age, name] of ["oldest", "older", "old"].entries()) {
    fs.mkdirSync(path.join(cache(), name));
    fs.utimesSync(path.join(cache(), name), age + 1, age + 1);
  }
  rewrite('"changed"', '"third"');
  expect(help()).toContain("Usage: third");
  expect(fs.readdirSync(cache())).toHaveLength(3);
  expect(fs.existsSync(path.join(cache(), "old"))).toBe(false);
});

test("the source runs where the compiled program cannot be written", () => {
  fs.rmSync(path.dirname(cache()), { recursive: true });
  fs.writeFileSync(path.dirname(cache()), "");
  expect(help()).toContain("Usage: third");
});
