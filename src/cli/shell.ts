/** What a command line is run in: the streams, variables and exit code of the process, or those that a test hands in. */
import type { Readable, Writable } from "node:stream";

/** Exit codes of a command: 0 done, 1 refused, 2 wrong usage. */
export const exitCodes = { done: 0, refused: 1, usage: 2 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export interface Shell {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
  readonly errors: Writable & { readonly isTTY?: boolean };
  readonly environment: Readonly<Record<string, string | undefined>>;
  exitCode: ExitCode;
}

/** The streams are opened when a command uses them. */
export const processShell: Shell = {
  get input() {
    return process.stdin;
  },
  get output() {
    return process.stdout;
  },
  get errors() {
    return process.stderr;
  },
  environment: process.env,
  exitCode: exitCodes.done,
};
