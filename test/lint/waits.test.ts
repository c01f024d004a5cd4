/** No test judges by the clock: a wait ends what hangs, and a busy machine is silent for long. Read in the source of the tests. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const top = path.resolve(import.meta.dirname, "..");
/** What measures, works by the hour, or waits for programs of others. */
const left = /^(?:bench|long|peers|mutate)\//;
const shortestMs = 60_000;

const files = fs
  .readdirSync(top, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !left.test(file) && file !== "lint/waits.test.ts")
  .sort()
  .map((file) => ({ file, source: fs.readFileSync(path.join(top, file), "utf8") }));

/** Tests wait for what they wait for. Each of these would see nothing else than that something does not happen, or has to let time pass. */
const sleeps: Readonly<Record<string, string>> = {
  "daemon/acme-pebble.test.ts": "between two looks",
  "daemon/acme.test.ts": "between two looks",
  "daemon/moving.test.ts": "a kill at another moment each time",
  "daemon/transfers-at-once.test.ts": "an archive goes on while its session stands",
  "daemon/watchdog.test.ts": "a machine that is paused, and a watchdog that does not end what goes on",
  "dav/push.test.ts": "nothing is told",
  "http/answer-deadline.test.ts": "an answer that is longer under way than the time to its start",
  "http/plain-answers.test.ts": "a request that begins within the time of another",
  "outbound/ways-out.test.ts": "nothing leaves",
  "postgres/pooler.test.ts": "between two looks",
  "threads/thread-pool.test.ts": "a main thread that looks late",
};

function lineOf({ file, source }: (typeof files)[number], at: number): string {
  return `${file}:${source.slice(0, at).split("\n").length}`;
}

/** The text of a call from its opening parenthesis on. */
function argumentsAt(source: string, open: number): string {
  let depth = 0;
  for (let at = open; at < source.length; at++) {
    if ("([{".includes(source[at]!)) depth++;
    if (")]}".includes(source[at]!) && --depth === 0) return source.slice(open, at);
  }
  return source.slice(open);
}

/** The times that a wait names, also by a constant of its file. */
function timesOf(source: string, given: string): number[] {
  const constant = /,\s*(\w+),?\s*$/.exec(given)?.[1];
  const declared =
    constant === undefined ? "" : (new RegExp(`const ${constant} = ([^;]*);`).exec(source)?.[1] ?? "");
  const own = [...given.matchAll(/,\s+([\d_]+)(?=,?\s*$)/g)];
  const named = [...declared.matchAll(/(?:timeout: |^)([\d_]+)/g)];
  const inside = [...given.matchAll(/timeout: ([\d_]+)/g)];
  return [...own, ...named, ...inside].map(([, digits]) => Number(digits!.replaceAll("_", "")));
}

test("each vi.waitFor and vi.waitUntil lasts for a minute at least, and not for the second of its default", () => {
  const short = files.flatMap((one) =>
    [...one.source.matchAll(/\bvi\.wait(?:For|Until)\(/g)]
      .filter(({ index, 0: { length } }) => {
        const times = timesOf(one.source, argumentsAt(one.source, index + length - 1));
        return times.length === 0 || times.some((time) => time < shortestMs);
      })
      .map(({ index }) => lineOf(one, index)),
  );
  expect(short).toEqual([]);
});

test("no wait, no hook and no test has a shorter time than that", () => {
  const short = files.flatMap((one) =>
    [...one.source.matchAll(/\btimeout: ([\d_]+)|^\s*\}, ([\d_]{4,})\);$/gm)]
      .filter(([, option, last]) => Number((option ?? last)!.replaceAll("_", "")) < shortestMs)
      .map(({ index }) => lineOf(one, index)),
  );
  expect(short).toEqual([]);
});

test("no test sleeps that is not listed here, with what it sleeps for", () => {
  const sleeping = files
    .filter(({ source }) =>
      /new Promise(?:<\w+>)?\(\(?\w+\)? => (?:void )?setTimeout\(|from "node:timers\/promises"/.test(
        source.replaceAll(/import \{ setImmediate(?: as \w+)? \} from "node:timers\/promises";/g, ""),
      ),
    )
    .map(({ file }) => file);
  expect(sleeping).toEqual(Object.keys(sleeps).sort());
});

test("a server that ends connections is waited for: it tells its processes by a signal", () => {
  const told = files.flatMap((one) =>
    [...one.source.matchAll(/pg_terminate_backend\((?:pid|\$\{pid\})\)/g)].map(({ index }) =>
      lineOf(one, index),
    ),
  );
  expect(told).toEqual([]);
});

test("what is chosen by chance has the seed of the run (`inject`), which is another one in each", () => {
  const own = files.filter(
    ({ file, source }) => file !== "support/seed.ts" && source.includes("process.env.TEST_SEED"),
  );
  // It chooses files before there is a run.
  expect(own.map(({ file }) => file)).toEqual(["postgres/vitest.config.ts"]);
});
