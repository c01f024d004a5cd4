/** Questions to who sits at the terminal. */
import { createInterface } from "node:readline/promises";
import { WaypostError } from "#/src/model/errors.ts";

/** Throws where nobody is there to answer: `option` is what would have said it. */
export async function ask(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw new WaypostError("invalid", `${option} is missing.`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** False where nobody is there to answer. */
export async function isAgreed(): Promise<boolean> {
  return process.stdin.isTTY === true && /^y(es)?$/i.test(await ask("Do this? (yes/no) ", "--yes"));
}
