/** Questions to the person at the terminal. */
import { createInterface } from "node:readline/promises";
import { WaypostError } from "#/src/model/errors.ts";

/** Throws when standard input is not a terminal. `option` is the option that gives the same answer. */
export async function ask(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw new WaypostError("invalid", `${option} is missing.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** False when standard input is not a terminal. */
export async function isAgreed(): Promise<boolean> {
  return process.stdin.isTTY === true && /^y(es)?$/i.test(await ask("Do this? (yes/no) ", "--yes"));
}
