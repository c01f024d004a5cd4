/** The metrics keep to the rules that Prometheus has for names and help (`promtool check metrics`). promtool itself judges where it is installed
 *  (or PROMTOOL names it); the rules of its linter are applied here in any case. */
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { startInProcessDaemon } from "../support/daemon.ts";

interface Metric {
  help?: string;
  type?: string;
  readonly samples: string[];
}

async function exposition(): Promise<string> {
  await using server = await startInProcessDaemon({
    set: ["metrics.enabled=true", "dns.servers=none", "log.level=silent"],
  });
  return (await fetch(`${server.metrics.url}/metrics`)).text();
}

const parts = { histogram: ["_bucket", "_sum", "_count"], summary: ["_sum", "_count"] } as Record<
  string,
  string[]
>;

function readMetrics(text: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>();
  const of = (name: string): Metric => {
    const known = metrics.get(name) ?? { samples: [] };
    metrics.set(name, known);
    return known;
  };
  for (const line of text.split("\n")) {
    const [, about, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (about === "HELP") of(name!).help = rest!;
    else if (about === "TYPE") of(name!).type = rest!;
    else if (line !== "" && !line.startsWith("#")) {
      const sample = /^[A-Za-z_:][A-Za-z0-9_:]*/.exec(line)![0];
      const family = [...metrics].find(
        ([one, { type = "" }]) => sample === one || (parts[type] ?? []).some((part) => sample === one + part),
      );
      (family?.[1] ?? of(sample)).samples.push(sample);
    }
  }
  return metrics;
}

const units = ["milliseconds", "ms", "minutes", "hours", "days", "kilobytes", "kb", "mb", "bits", "percent"];
const typeWords = ["counter", "gauge", "histogram", "summary"];

function problemsOf(name: string, { help, type }: Metric): string[] {
  const words = name.split("_");
  return [
    ...(help === undefined || help.trim() === "" ? ["no help text"] : []),
    ...(type === undefined ? ["no type"] : []),
    ...(type === "counter" && !name.endsWith("_total") ? ["counter metrics should have _total suffix"] : []),
    ...(type !== "counter" && name.endsWith("_total")
      ? ["non-counter metrics should not have _total suffix"]
      : []),
    ...(type !== "histogram" && name.endsWith("_bucket")
      ? ["non-histogram metrics should not have _bucket suffix"]
      : []),
    ...(!["histogram", "summary"].includes(type ?? "") && /_(?:count|sum)$/.test(name)
      ? ["non-histogram and non-summary metrics should not have _count or _sum suffix"]
      : []),
    ...words.filter((word) => units.includes(word)).map((unit) => `use base units and not ${unit}`),
    ...words
      .filter((word) => typeWords.includes(word))
      .map((word) => `the name should not include the type ${word}`),
    ...(/[a-z][A-Z]/.test(name) ? ["names should be in snake_case"] : []),
    ...(name.includes(":") ? ["names should not contain ':'"] : []),
  ];
}

it("has help, type, base units and the right suffix for each metric, and no other sample", async () => {
  const text = await exposition();
  const metrics = readMetrics(text);
  expect(metrics.size).toBeGreaterThan(40);
  expect(
    [...metrics].flatMap(([name, metric]) =>
      problemsOf(name, metric).map((problem) => `${name}: ${problem}`),
    ),
  ).toEqual([]);
});

// The package starts a server, so promtool may also lie unpacked in `node_modules/.cache/prometheus` (`.ci/run`).
const unpacked = new URL("../../node_modules/.cache/prometheus/usr/bin/promtool", import.meta.url).pathname;
const promtool = [process.env.PROMTOOL, "promtool", unpacked].find(
  (one) => one !== undefined && spawnSync(one, ["--version"]).status === 0,
);

it.runIf(promtool !== undefined)("is clean for promtool", async () => {
  const { status, stdout, stderr } = spawnSync(promtool!, ["check", "metrics"], {
    input: await exposition(),
  });
  expect([status, String(stdout), String(stderr)]).toEqual([0, "", ""]);
});
