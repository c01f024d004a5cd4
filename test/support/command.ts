/** Command lines of `waypost`: in the test's own process, or as a process, as people and scripts start them. */
import { execFile } from "node:child_process";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { runProgram } from "#/src/cli/program.ts";
import { exitCodes } from "#/src/cli/shell.ts";
import { startScript } from "./daemon.ts";

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command in the folder, without the start of a process. Commands of a test run one after the other, as they share the current folder
 *  of the process. */
export async function runCommand(folder: string, args: readonly string[], input = ""): Promise<Outcome> {
  const output = new PassThrough();
  const errors = new PassThrough();
  const said = Promise.all([text(output), text(errors)]);
  const before = process.cwd();
  process.chdir(folder);
  const shell = {
    input: Readable.from([Buffer.from(input)]),
    output,
    errors,
    environment: process.env,
    exitCode: exitCodes.done,
  };
  const code = await runProgram(args, shell).finally(() => process.chdir(before));
  output.end();
  errors.end();
  const [stdout, stderr] = await said;
  return { code, stdout, stderr };
}

/** Runs a command as a process of its own. */
export function runProcess(folder: string, args: readonly string[]): Promise<Outcome> {
  const [program, script] = startScript;
  return new Promise((resolve) => {
    const child = execFile(program!, [script!, ...args], { cwd: folder }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
    child.stdin!.end();
  });
}
