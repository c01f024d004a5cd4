/** A suite of others: what it needs, and how it is run against a daemon. */
import { spawnSync } from "node:child_process";
import { type ChildDaemon, type DaemonOptions, startChildDaemon } from "../../support/daemon.ts";

export interface Suite {
  readonly name: string;
  /** A file beside the repository, in `../shared/conformance`, where it needs one. */
  readonly driver?: string;
  /** Why it cannot be run here, where that is so. */
  missing(): string | undefined;
  /** Whether everything passed. `work` is a folder of its own. */
  run(driver: string, work: string): Promise<boolean>;
}

export interface Driven extends Omit<Suite, "run"> {
  readonly daemon?: DaemonOptions;
  /** The program and its arguments; the driver's path stands behind the program. */
  command(daemon: ChildDaemon, work: string): Promise<readonly string[]> | readonly string[];
  env?(daemon: ChildDaemon, work: string): NodeJS.ProcessEnv;
}

/** One run of a driver against one daemon. */
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

/** Settings of every daemon under a suite: one address tries passwords and opens connections for many. */
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
