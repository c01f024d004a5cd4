/** The table of shares: the README shows it, and every row is used. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Amount, type Share, shares } from "#/src/fairness/shares.ts";

const top = new URL("../..", import.meta.url).pathname;
const readme = path.join(top, "src/fairness/README.md");
const sources = ["src", "protocols", "storage"].flatMap((folder) =>
  readdirSync(path.join(top, folder), { recursive: true, encoding: "utf8" })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => name.endsWith(".ts")),
);

function amountText(amount: Amount | undefined): string {
  if (amount === undefined) return "";
  if (typeof amount === "number") return amount.toLocaleString("en");
  return amount.replace(/\w+\.\w+/, "`$&`");
}

function rowText([name, row]: [string, Share]): string {
  const { waiting, idleMs, minimumRate } = row;
  const cells = [
    name,
    row.what,
    row.unit,
    amountText(row.total),
    amountText(row.share),
    amountText(row.mailboxShare),
    amountText(row.accountShare),
    waiting === undefined
      ? ""
      : `${waiting.total}, of an owner ${waiting.share}, for ${waiting.waitMs / 1000} s`,
    idleMs === undefined ? "" : `${idleMs / 1000} s`,
    minimumRate === undefined
      ? ""
      : `${minimumRate.octetsPerSecond} octets a second after ${minimumRate.graceMs / 1000} s`,
  ];
  return `| ${cells.join(" | ")} |`.replace(/\s+/g, " ");
}

test("the README shows every row", () => {
  const shown = readFileSync(readme, "utf8")
    .split("\n")
    .filter((line) => /^\| \w+ \| \w+ .* \|$/.test(line) && !line.startsWith("| share |"))
    .map((line) => line.replace(/\s+/g, " "));
  expect(shown).toEqual(Object.entries(shares).map(rowText));
});

test("every row is used", () => {
  const uses = (name: string): string[] =>
    sources.filter((file) =>
      new RegExp(`(\\.gate|\\.note|shares)(\\(\\s*"${name}"|\\.${name}\\b)`).test(
        readFileSync(path.join(top, file), "utf8"),
      ),
    );
  const unused = Object.keys(shares).filter((name) => uses(name).length === 0);
  expect(unused).toEqual([]);
});
