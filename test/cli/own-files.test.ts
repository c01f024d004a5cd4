/** The folder of a running program (`src/own-files.mjs`) under starts of other versions, kills and foreign file systems. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const module = new URL("../../src/own-files.mjs", import.meta.url).href;
let top: string;
let home: string;
const running: ChildProcess[] = [];

beforeEach(() => {
  top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-own-files-"));
  home = path.join(top, ".waypost");
  install("1", path.join(top, "node_modules/library"));
});
afterEach(async () => {
  for (const child of running.splice(0)) await end(child);
  fs.rmSync(top, { recursive: true, force: true });
});

function install(version: string, library: string): void {
  fs.mkdirSync(path.join(top, "program"), { recursive: true });
  fs.writeFileSync(path.join(top, "program/main.js"), `version ${version}`.padEnd(100 + Number(version)));
  fs.writeFileSync(path.join(top, "package.json"), JSON.stringify({ dependencies: { library: "1" } }));
  fs.mkdirSync(library, { recursive: true });
  fs.writeFileSync(path.join(library, "package.json"), "{}");
  fs.writeFileSync(path.join(library, "index.js"), "library");
}

/** A process that runs the installed version, until it is ended. */
async function start(): Promise<{ readonly child: ChildProcess; readonly folder: string }> {
  const code = `const { linkTree, ownFolder } = await import(${JSON.stringify(module)});
    const top = ${JSON.stringify(top)};
    console.log(ownFolder(top, ["program", "package.json"], (making) => linkTree(top + "/program", making)));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  const [text] = (await once(child.stdout!, "data")) as [Buffer];
  return { child, folder: String(text).trim() };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

const isWhole = (folder: string): boolean =>
  ["main.js", "package.json", "node_modules/library/index.js"].every((file) =>
    fs.existsSync(path.join(folder, file)),
  );

test("each of many starts at once has its version, whole, also after an upgrade between them", async () => {
  const first = [start(), start(), start()];
  install("2", path.join(top, "node_modules/library"));
  const all = await Promise.all([...first, start(), start(), start()]);
  for (const { folder } of all) expect(isWhole(folder)).toBe(true);
  expect(fs.readdirSync(home).filter((name) => name.endsWith(".making"))).toEqual([]);
});

test("a start deletes the version of a process that was killed, and none that runs", async () => {
  const killed = await start();
  install("2", path.join(top, "node_modules/library"));
  const old = await start();
  install("3", path.join(top, "node_modules/library"));
  await end(killed.child);
  const current = await start();
  expect([killed, old, current].map(({ folder }) => isWhole(folder))).toEqual([false, true, true]);
  expect(fs.readdirSync(home).some((name) => name.endsWith(`.${killed.child.pid}`))).toBe(false);
});

test("a version whose process number another process has got stays until that one ends", async () => {
  const killed = await start();
  await end(killed.child);
  fs.renameSync(`${killed.folder}.${killed.child.pid}`, `${killed.folder}.${process.pid}`);
  install("2", path.join(top, "node_modules/library"));
  await start();
  expect(isWhole(killed.folder)).toBe(true);
  fs.rmSync(`${killed.folder}.${process.pid}`);
  await start();
  expect(isWhole(killed.folder)).toBe(false);
});

test("what a killed start had half made is made anew", async () => {
  const { child, folder } = await start();
  await end(child);
  fs.renameSync(folder, `${folder}.${child.pid}.making`);
  fs.rmSync(path.join(`${folder}.${child.pid}.making`, "main.js"));
  const again = await start();
  expect([again.folder, isWhole(folder)]).toEqual([folder, true]);
  expect(fs.readdirSync(home).filter((name) => name.endsWith(".making"))).toEqual([]);
});

const deviceOf = (folder: string): number | undefined => fs.statSync(folder, { throwIfNoEntry: false })?.dev;
const other = ["/dev/shm", "/var/tmp"].find(
  (folder) => ![undefined, deviceOf(os.tmpdir())].includes(deviceOf(folder)),
);

test.runIf(other !== undefined)("libraries on another file system are copied", async () => {
  const library = fs.mkdtempSync(path.join(other!, "waypost-library-"));
  try {
    fs.rmSync(path.join(top, "node_modules"), { recursive: true });
    fs.mkdirSync(path.join(top, "node_modules"));
    fs.symlinkSync(library, path.join(top, "node_modules/library"));
    install("1", library);
    const { folder } = await start();
    fs.rmSync(library, { recursive: true });
    expect(isWhole(folder)).toBe(true);
  } finally {
    fs.rmSync(library, { recursive: true, force: true });
  }
});
