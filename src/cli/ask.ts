/** Questions to the person at the terminal. */
import { createInterface } from "node:readline/promises";
import { WaypostError } from "#/src/model/errors.ts";
import type { Shell } from "./shell.ts";

/** Throws when standard input is not a terminal. `option` is the option that gives the same answer. */
export async function ask({ input, errors }: Shell, question: string, option: string): Promise<string> {
  if (!input.isTTY) throw new WaypostError("invalid", `${option} is missing.`);
  const lines = createInterface({ input, output: errors });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** False when standard input is not a terminal. */
export async function isAgreed(shell: Shell): Promise<boolean> {
  return shell.input.isTTY === true && /^y(es)?$/i.test(await ask(shell, "Do this? (yes/no) ", "--yes"));
}
