/** Reads a settings file. What the grammar refuses is told as the usual mistakes: quotes, true and false, a name twice, the charset. */
import { readFileSync } from "node:fs";
import { parse, TomlError } from "smol-toml";

export interface TomlFile {
  readonly sections: Record<string, unknown>;
  /** The line, counted from 1, on which a key is complete. */
  lineOf(path: readonly string[]): number;
}

/** A file that is no TOML in UTF-8; `line` counts from 1. */
export class WrongToml extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** Throws `WrongToml`, or what reading the file throws. */
export function readToml(file: string): TomlFile {
  const octets = readFileSync(file);
  const text = octets.toString("utf8");
  if (!Buffer.from(text).equals(octets)) {
    const at = text.split("\n").findIndex((line) => line.includes("\ufffd"));
    throw new WrongToml(at + 1, "is not UTF-8: save the file in this encoding.");
  }
  try {
    return { sections: parse(text), lineOf: (path) => lineOf(text, path) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [message] = error.message.split("\n");
    const line = text.split(/\r?\n/)[error.line - 1] ?? "";
    throw new WrongToml(error.line, mistakeIn(line, message!) ?? message!);
  }
}

/** The usual mistakes of one line `key = value`; undefined for others. */
function mistakeIn(line: string, message: string): string | undefined {
  if (/redefine/.test(message)) return "the name stands here a second time.";
  const [, key, text = ""] = /^\s*([\w.-]+)\s*=(.*)$/.exec(line.split("#", 1)[0]!) ?? [];
  if (key === undefined) return undefined;
  const value = text.trim();
  if (/^(?:yes|on|true)$/i.test(value)) return `${key} is true or false: write ${key} = true.`;
  if (/^(?:no|off|false)$/i.test(value)) return `${key} is true or false: write ${key} = false.`;
  if (/^"(?:[^"\\]|\\.)*$/.test(value) || /^'[^']*$/.test(value))
    return `the quote at the end is missing: write ${key} = ${value}${value[0]}.`;
  if (/^[^\s"'[\]{},=]+$/.test(value)) return `text needs quotes: write ${key} = "${value}".`;
  return undefined;
}

/** The last line of the shortest beginning of the file that has the key. */
function lineOf(text: string, path: readonly string[]): number {
  const lines = text.split("\n");
  for (let count = 1; count < lines.length; count++) {
    try {
      let value: unknown = parse(lines.slice(0, count).join("\n"));
      for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
      if (value !== undefined) return count;
    } catch (error) {
      // A beginning that stops inside a value of several lines.
      if (!(error instanceof TomlError)) throw error;
    }
  }
  return lines.length;
}
