/** Runs once before all tests: compiles the program, so that threads of the tests start from compiled code. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the compiled folder. Empty when the program could not be compiled. */
    readonly compiledFolder: string;
  }
}

interface Compiled {
  compiledProgram(node: string): string | undefined;
}

export default async function compile({ provide }: TestProject): Promise<void> {
  // This module is plain JavaScript and has no types.
  const url = new URL("../../../config/build/compiled.mjs", import.meta.url);
  const { compiledProgram } = (await import(url.href)) as Compiled;
  const program = compiledProgram(process.execPath);
  const isCompiled = program?.endsWith(".js") === true;
  provide("compiledFolder", isCompiled ? pathToFileURL(`${path.dirname(program)}/`).href : "");
}
