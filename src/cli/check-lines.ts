/** What `domain check` found, for people: a line for each right thing, then what is worth knowing, the wrong ones last with the line to
 *  copy, and a summary. */
import type { DomainCheck } from "#/src/domain-check/check-domain.ts";
import type { Finding } from "#/src/domain-check/finding.ts";
import { printable } from "./output.ts";

/** In the order in which they are printed. */
const words = {
  ok: "right",
  optional: "optional",
  unknown: "not known",
  remark: "remark",
  missing: "missing",
  wrong: "wrong",
} as const satisfies Record<Finding["status"], string>;

const widthOfWord = Math.max(...Object.values(words).map(({ length }) => length)) + 2;
const indent = " ".repeat(widthOfWord);

export function formatCheck({ findings, nameServers, ok }: DomainCheck): string {
  const order = Object.keys(words);
  const sorted = findings.toSorted((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  const counts = Object.entries(words).flatMap(([status, word]) => {
    const count = findings.filter((one) => one.status === status).length;
    return count === 0 ? [] : [`${count} ${word}`];
  });
  const asked =
    nameServers.length === 0 ? "the usual resolver was asked" : `asked: ${nameServers.join(", ")}`;
  const verdict = ok ? "Nothing is wrong" : "Something is wrong";
  return [...sorted.flatMap(linesOf), "", `${verdict}: ${counts.join(", ")} (${asked}).`]
    .map(printable)
    .join("\n");
}

function linesOf({ status, what, found, expected, why, copy }: Finding): string[] {
  const head = `${words[status].padEnd(widthOfWord)}${what}`;
  const seen = found === undefined ? head : `${head}  ${found}`;
  if (status === "ok") return [seen];
  return [
    seen,
    ...(why === undefined ? [] : [`${indent}${why}`]),
    ...(copy === undefined
      ? expected !== undefined && status === "wrong"
        ? [`${indent}needed: ${expected}`]
        : []
      : [`${indent}copy: ${copy}`]),
  ];
}
