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
const home = () => path.join(copy, ".waypost");
/** Folders of programs. */
const versions = () => fs.readdirSync(home()).filter((name) => !name.includes("."));

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
  const [first, ...more] = versions();
  expect(more).toEqual([]);
  const program = path.join(home(), first!, "main.js");
  fs.writeFileSync(program, `console.log("compiled");`);
  expect(help()).toBe("compiled\n");
  rewrite('"waypost"', '"changed"');
  expect(help()).toContain("Usage: changed");
});

/** `keepNames` of esbuild gives each function its name when it is made, which takes longer than most small functions run. */
test("compiled code makes functions without giving them names", () => {
  const files = fs
    .readdirSync(home(), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.c?js$/.test(file) && !file.includes("node_modules"));
  const naming = files.filter((file) => fs.readFileSync(path.join(home(), file), "utf8").includes("__name("));
  expect(naming).toEqual([]);
});

test("compiled code never calls `require` in an ES module", () => {
  const files = fs
    .readdirSync(home(), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".js") && !file.includes("node_modules"));
  expect(files.length).toBeGreaterThan(10);
  const calling = files.filter((file) =>
    /__require\("/.test(fs.readFileSync(path.join(home(), file), "utf8")),
  );
  expect(calling).toEqual([]);
});

test("compiling into a folder deletes nothing that was in it or beside it, and leaves the program alone there", () => {
  const around = path.join(copy, "around");
  const kept = ["notes.txt", "a".repeat(32), "out/parts", "out/parts/layers", "out/notes.txt"];
  for (const name of kept) fs.mkdirSync(path.join(around, name), { recursive: true });
  execFileSync(process.execPath, [
    "--disable-warning=ExperimentalWarning",
    path.join(copy, "config/build/compile.ts"),
    path.join(around, "out"),
  ]);
  const there = fs.readdirSync(around, { recursive: true, encoding: "utf8" });
  expect(there.filter((name) => !/^out\/[^/]*\.c?js$/.test(name)).sort()).toEqual([...kept, "out"].sort());
  expect(there).toContain("out/main.js");
});

test("a start loads few modules, and each that is loaded later finds what it imports", () => {
  const [version] = versions();
  const folder = path.join(home(), version!);
  const modules = fs.readdirSync(folder).filter((file) => file.endsWith(".js") && file !== "main.js");
  // Importing one runs the program, which then only says its version.
  const script = `process.argv[2] = "--version";
    const exit = process.exit;
    process.exit = () => {};
    for (const file of ${JSON.stringify(modules.filter((file) => !file.startsWith("process-host")))})
      await import(${JSON.stringify(`${folder}/`)} + file);
    exit(0);`;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  expect({ status, stderr: stderr.replaceAll(/^.*ExperimentalWarning.*\n|^\(Use .*\n/gm, "") }).toEqual({
    status: 0,
    stderr: "",
  });
  // What a daemon loads is in these, and in what they share.
  const imported = (file: string): string[] =>
    [...fs.readFileSync(path.join(folder, file), "utf8").matchAll(/^\} from "\.\/([^"]+)";$/gm)].map(
      ([, name]) => name!,
    );
  const loaded = new Set(["layer-1.js"]);
  for (const file of loaded) for (const name of imported(file)) loaded.add(name);
  expect(loaded.size).toBeLessThan(5);
});

test("the starting process becomes the program, with a small young generation and one thread for garbage collection", () => {
  for (const name of versions())
    fs.writeFileSync(path.join(home(), name, "main.js"), "console.log(process.pid, ...process.execArgv);");
  const { pid, stdout } = spawnSync(process.execPath, [start()], { encoding: "utf8" });
  expect(stdout).toBe(
    `${pid} --max-semi-space-size=4 --max-old-space-size=1536 --v8-pool-size=1 --no-turboshaft-loop-unrolling --disable-warning=ExperimentalWarning\n`,
  );
});

test("a start deletes versions that no process runs, and nothing else", () => {
  const [used, unused, dead] = ["a", "b", "c"].map((letter) => letter.repeat(32));
  const others = ["notes.txt", "old", "0123"];
  for (const name of [used!, unused!, ...others]) fs.mkdirSync(path.join(home(), name));
  // No process has so high a number (proc(5), pid_max).
  for (const name of [`${used}.${process.pid}`, `${unused}.99999999`])
    fs.writeFileSync(path.join(home(), name), "");
  fs.mkdirSync(path.join(home(), `${dead}.99999999.making`));
  rewrite('"changed"', '"third"');
  expect(help()).toContain("Usage: third");
  const [current, ...more] = versions().filter((name) => name !== used && !others.includes(name));
  expect(more).toEqual([]);
  const rest = fs.readdirSync(home()).filter((name) => !name.startsWith(current!));
  expect(rest.sort()).toEqual([used, `${used}.${process.pid}`, ...others].sort());
});

test("the source runs without a compiler, with links of its own", () => {
  fs.rmSync(path.join(copy, "node_modules/esbuild"));
  rewrite('"third"', '"fourth"');
  expect(help()).toContain("Usage: fourth");
  expect(versions().filter((name) => fs.existsSync(path.join(home(), name, "src/main.ts")))).toHaveLength(1);
});

test("the source runs where nothing can be written", () => {
  fs.rmSync(home(), { recursive: true });
  fs.writeFileSync(home(), "");
  expect(help()).toContain("Usage: fourth");
});
