/** The rules for files and folders: imports go only downwards, every file is in a room, and no room is for unrelated things. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { houseThreads, type ThreadKind } from "#/src/threads/house-threads.ts";
import { type Room, roomOf, rooms } from "./support/rooms.ts";

/** What is not imported, though it is below: protocols do not speak with the store. */
const hidden: readonly (readonly [from: string, to: string])[] = [
  ["protocols/", "storage"],
  ["storage", "src/formats"],
  ["storage", "config"],
  ["src/formats", "config"],
];
const drawers = /(^|[/-])(utils?|helpers?|common|misc|manager|service)([./-]|$)/i;
const lineMax = 400;

const top = new URL("..", import.meta.url).pathname;
const files = ["src", "protocols", "storage", "config"].flatMap((folder) =>
  readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => /\.(ts|mjs)$/.test(name)),
);

function floorOf(room: Room): number {
  return rooms.findIndex((floor) => (floor as readonly Room[]).includes(room));
}

function importsOf(file: string): string[] {
  const text = readFileSync(path.join(top, file), "utf8");
  const specifiers = [
    ...text.matchAll(/(?:^|\n|;)\s*(?:import|export)\b[^"'`;]*?["']([#.][^"']+)["']/g),
    ...text.matchAll(/\bimport\(\s*["']([#.][^"']+)["']/g),
  ].map((match) => match[1]!);
  return specifiers.map((specifier) =>
    specifier.startsWith("#/") ? specifier.slice(2) : path.posix.join(path.posix.dirname(file), specifier),
  );
}

/** Files that import each other in a circle, types too. */
function findCircles(): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  // Tarjan's strongly connected components.
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.get(file)!);
    open.push(file);
    for (const imported of importsOf(file)) {
      if (!files.includes(imported)) continue;
      if (!order.has(imported)) visit(imported);
      else if (!open.includes(imported)) continue;
      lowest.set(file, Math.min(lowest.get(file)!, lowest.get(imported)!));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = open.splice(open.indexOf(file));
    if (circle.length > 1 || importsOf(file).includes(file)) circles.push(circle.sort());
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return circles;
}

test("no files import each other in a circle", () => {
  expect(findCircles()).toEqual([]);
});

test("every file is in a room", () => {
  expect(files.filter((file) => roomOf(file) === undefined)).toEqual([]);
});

test("imports go down only", () => {
  const wrong: string[] = [];
  for (const file of files) {
    const room = roomOf(file)!;
    for (const target of importsOf(file)) {
      const other = roomOf(target);
      if (other === undefined || other === room) continue;
      const isUp = floorOf(other) >= floorOf(room);
      const isHidden = hidden.some(([from, to]) => room.startsWith(from) && other === to);
      if (isUp || isHidden) wrong.push(`${file} imports ${target}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("no file is a drawer for odds and ends", () => {
  expect(files.filter((file) => drawers.test(file))).toEqual([]);
});

test("a file over 400 lines says in its header why it is long", () => {
  const long = files.filter((file) => {
    const text = readFileSync(path.join(top, file), "utf8");
    return text.split("\n").length > lineMax && !/^\/\*\*[\s\S]*?Long because/.test(text);
  });
  expect(long).toEqual([]);
});

test("SQL is written in storage alone", () => {
  const statement = /["'`]\s*(select [^"'`]+ from |insert into |update \w+ set |delete from |pragma )/i;
  const wrong = files.filter(
    (file) => roomOf(file) !== "storage" && statement.test(readFileSync(path.join(top, file), "utf8")),
  );
  expect(wrong).toEqual([]);
});

test("threads start in one place", () => {
  const starts = files.filter((file) => /\bnew Worker\(/.test(readFileSync(path.join(top, file), "utf8")));
  expect(starts).toEqual(["src/threads/start-thread.ts"]);
});

test("what a thread runs is in the list of threads, with a bound on its memory", () => {
  const runs = files.filter((file) =>
    /\bparentPort!|^serveJobs\b/m.test(readFileSync(path.join(top, file), "utf8")),
  );
  const serving = ["src/threads/serve-jobs.ts"];
  const listed: readonly ThreadKind[] = Object.values(houseThreads);
  expect([...new Set(listed.map(({ source }) => source)), ...serving].sort()).toEqual(runs.sort());
  expect(listed.filter(({ heapMb }) => !(heapMb > 0 && heapMb <= 1024))).toEqual([]);
});

test("a README or a page of docs names only files that there are", () => {
  const tops = ["src", "protocols", "storage", "config", "docs", "test"];
  const there = tops.flatMap((folder) =>
    readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
      .map((name) => path.posix.join(folder, name))
      .filter((name) => !name.includes("node_modules")),
  );
  const all = new Set([...tops, ...there]);
  const names = new Set(there.map((name) => path.posix.basename(name)));
  const named = /`((?:src|protocols|storage|config|docs|test)\/[\w./-]+|[\w./-]+\.(?:ts|mjs|md))`/g;
  const missing: string[] = [];
  for (const page of ["README.md", ...there.filter((name) => name.endsWith(".md"))])
    for (const [, name = ""] of readFileSync(path.join(top, page), "utf8").matchAll(named)) {
      const beside = path.posix.join(path.posix.dirname(page), name);
      const found = [name, beside, `${name}.ts`].some((one) => all.has(one.replace(/\/$/, "")));
      // A file in a folder below is often named alone.
      if (!found && (name.includes("/") || !names.has(name))) missing.push(`${page}: ${name}`);
    }
  expect(missing).toEqual([]);
});
