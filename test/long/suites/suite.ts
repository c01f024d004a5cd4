/** A suite of others: what it needs, and how it runs against a daemon. */
import { spawnSync } from "node:child_process";
import { type ChildDaemon, type DaemonOptions, startChildDaemon } from "../../support/daemon.ts";

export interface Suite {
  readonly name: string;
  /** The file of its driver in `../shared/conformance` beside the repository, when it needs one. */
  readonly driver?: string;
  /** The reason why it cannot run here; undefined when it can. */
  missing(): string | undefined;
  /** Runs it. True when everything passed. `work` is a folder for this suite only. */
  run(driver: string, work: string): Promise<boolean>;
}

export interface Driven extends Omit<Suite, "run"> {
  readonly daemon?: DaemonOptions;
  /** The program and its arguments. The path of the driver is inserted after the program. */
  command(daemon: ChildDaemon, work: string): Promise<readonly string[]> | readonly string[];
  env?(daemon: ChildDaemon, work: string): NodeJS.ProcessEnv;
}

/** A suite that is one run of a driver against one daemon. */
export function driven({ daemon: options, command, env, ...suite }: Driven): Suite {
  return {
    ...suite,
    async run(driver, work) {
      await using daemon = await startChildDaemon({ ...options, set: [...patient, ...(options?.set ?? [])] });
      const [program, ...args] = await command(daemon, work);
      const { status } = spawnSync(program!, [driver, ...args], {
        stdio: "inherit",
        env: { ...process.env, ...env?.(daemon, work) },
      });
      return status === 0;
    },
  };
}

/** Settings of every daemon under a suite: the attempts and connections of many users come from one address. */
export const patient: readonly string[] = [
  "imap.max_connections_per_login=1000",
  "limits.login_failures_per_network=1000000",
];

export function missingProgram(...names: readonly string[]): string | undefined {
  const missing = names.find((name) => spawnSync("which", [name]).status !== 0);
  return missing === undefined ? undefined : `${missing} is not installed`;
}

export function missingVariable(...names: readonly string[]): string | undefined {
  const missing = names.find((name) => process.env[name] === undefined);
  return missing === undefined ? undefined : `${missing} is not set`;
}
