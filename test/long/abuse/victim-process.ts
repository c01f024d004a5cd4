/** The quiet user in its own process, so that the attackers' load on their process does not make its waits longer. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type Measured, measureVictim, type Quiet } from "./victim.ts";

export interface VictimProcess {
  readonly pid: number;
  measure(forMs: number): Promise<Measured>;
  end(): void;
}

export function startVictim(quiet: Quiet): VictimProcess {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), { stdio: "inherit" });
  child.send(quiet);
  return {
    pid: child.pid!,
    async measure(forMs) {
      child.send({ forMs });
      const [measured] = await Promise.race([
        once(child, "message"),
        once(child, "exit").then(([code]) => {
          throw new Error(`the quiet user ended with ${code}`);
        }),
      ]);
      return measured as Measured;
    },
    end: () => void child.kill(),
  };
}

if (import.meta.main) {
  const [quiet] = (await once(process, "message")) as [Quiet];
  process.on("message", async ({ forMs }: { readonly forMs: number }) => {
    process.send!(await measureVictim(quiet, AbortSignal.timeout(forMs)));
  });
}
