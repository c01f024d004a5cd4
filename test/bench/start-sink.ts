import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface Sink extends Disposable {
  readonly port: number;
  readonly process: ChildProcess;
}

/** Starts a program of this folder that prints `{"port": …}` when it listens and ends when its standard input closes. */
export async function startSink(program: string): Promise<Sink> {
  const script = new URL(program, import.meta.url).pathname;
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    port: (JSON.parse(line) as { port: number }).port,
    process: child,
    [Symbol.dispose]: () => void child.kill(),
  };
}
