import { formatProblem, WrongSettings } from "#/config/wrong-settings.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { readThrown } from "#/src/model/thrown.ts";
import type { Shell } from "./shell.ts";

export function printLine({ output }: Shell, text: string): void {
  output.write(`${text}\n`);
}

/** A result for programs (one line of JSON) or for people. */
export function printResult(shell: Shell, result: unknown, isJson: boolean): void {
  if (isJson) printLine(shell, JSON.stringify(result));
  else printLine(shell, formatResult(result));
}

/** An error goes to standard error, as words or as the error object of the interface. */
export function printError({ errors }: Shell, error: unknown, isJson: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  if (isJson) {
    const { code, details } = isWaypostError(error) ? error : { code: "internal", details: {} };
    const { field, hint, retryAfterMs } = details;
    const object = { code, message, hint, field, retry_after_ms: retryAfterMs };
    errors.write(`${JSON.stringify({ error: object })}\n`);
    return;
  }
  if (error instanceof WrongSettings && error.problems.length > 1) {
    errors.write(`waypost: ${error.problems.length} settings are wrong.\n`);
    for (const problem of error.problems) {
      const hint = problem.hint === undefined ? "" : ` (${problem.hint})`;
      errors.write(`  ${printable(formatProblem(problem) + hint)}\n`);
    }
    return;
  }
  errors.write(`waypost: ${printable(message)}\n`);
  const hint = isWaypostError(error) ? error.details.hint : loadHint(error);
  if (hint !== undefined) errors.write(`${printable(hint)}\n`);
}

/** SQLite's addon is a shared library. The system refuses to load it from some folders, and with an older glibc. */
function loadHint(error: unknown): string | undefined {
  if (readThrown(error).code !== "ERR_DLOPEN_FAILED") return undefined;
  return "The data folder must not be mounted noexec, and glibc must be 2.34 or newer (Debian 12, Ubuntu 22.04).";
}

/** A list of objects becomes a table. One object becomes its fields, followed by the tables of its lists. */
function formatResult(result: unknown): string {
  if (typeof result !== "object" || result === null) return printable(String(result));
  const entries = Object.entries(result);
  if (entries.length === 1 && Array.isArray(entries[0]![1]))
    return formatTable(entries[0]![0], entries[0]![1]);
  if (entries.length === 1 && isLines(entries[0]![1])) return printableLines(entries[0]![1]);
  const tables = entries.filter(([, value]) => isTable(value));
  const fields = entries.filter(([, value]) => !isTable(value));
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return [
    fields.map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`).join("\n"),
    ...tables.map(([name, rows]) => formatTable(name, rows as readonly unknown[])),
  ].join("\n\n");
}

function isTable(value: unknown): boolean {
  return Array.isArray(value) && typeof value[0] === "object";
}

/** A wider table is printed as a block of lines for each row, because terminals would break its lines. */
const tableColumnsMax = 240;

function formatBlocks(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const width = Math.max(...columns.map((column) => column.length));
  return rows
    .map((row) =>
      columns
        .map((column, at) => `${column.padEnd(width)}  ${row[at]}`)
        .filter((_, at) => row[at] !== "-")
        .join("\n"),
    )
    .join("\n\n");
}

/** Text of several lines is printed unchanged, for files and other programs. */
function isLines(value: unknown): value is string {
  return typeof value === "string" && value.endsWith("\n");
}

function printableLines(text: string): string {
  return text.trimEnd().split("\n").map(printable).join("\n");
}

function formatTable(name: string, rows: readonly unknown[]): string {
  if (rows.length === 0) return `No ${name}.`;
  if (typeof rows[0] !== "object") return rows.map(formatValue).join("\n");
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row as object)))];
  const cells = rows.map((row) =>
    columns.map((column) => formatValue((row as Record<string, unknown>)[column])),
  );
  const lines = [columns, ...cells];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  if (widths.reduce((sum, width) => sum + width + 2, 0) > tableColumnsMax)
    return formatBlocks(columns, cells);
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(formatValue).join(", ");
  if (typeof value === "object")
    return Object.entries(value)
      .map(([name, inner]) => `${printable(name)} ${formatValue(inner)}`)
      .join(", ");
  return printable(String(value));
}

/** Replaces control characters: names come from outside and must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (character) => (character === "\n" ? " " : "\ufffd"));
}
