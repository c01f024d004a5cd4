/** Before all tests: the program is compiled, so that the threads of every test start from it. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where it lies, as a URL; empty where nothing could be compiled. */
    readonly compiledFolder: string;
  }
}

interface Compiled {
  compiledProgram(node: string): string | undefined;
}

export default async function compile({ provide }: TestProject): Promise<void> {
  // Plain JavaScript, without types.
  const url = new URL("../../../config/build/compiled.mjs", import.meta.url);
  const { compiledProgram } = (await import(url.href)) as Compiled;
  const program = compiledProgram(process.execPath);
  provide("compiledFolder", program === undefined ? "" : pathToFileURL(`${path.dirname(program)}/`).href);
}
