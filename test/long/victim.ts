/** A process that writes to a store until it is killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";

export interface Victim {
  readonly folder: string;
  readonly journal: string;
  readonly tag: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Kills the process with SIGKILL at a random time, up to 0.8 s after its first acknowledgement. */
export async function runUntilKilled(victim: Victim): Promise<void> {
  const load = new URL("store-load.ts", import.meta.url).pathname;
  const before = fs.statSync(victim.journal).size;
  const child = spawn(process.execPath, [load, victim.folder, victim.journal, victim.tag], {
    env: { ...process.env, ...victim.environment },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = once(child, "exit");
  let killAt = Date.now() + 30_000;
  while (child.exitCode === null && Date.now() < killAt) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const hasBegun = fs.statSync(victim.journal).size > before;
    if (hasBegun && killAt > Date.now() + 1000) killAt = Date.now() + Math.random() * 800;
  }
  child.kill("SIGKILL");
  const [code, signal] = await ended;
  if (signal !== "SIGKILL") throw new Error(`The writing process ended by itself, with ${code ?? signal}`);
}
