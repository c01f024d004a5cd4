import { Command } from "commander";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import type { DaemonStatus } from "#/src/daemon/status.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { type CommonOptions, settingsOf, withCommonOptions } from "./options.ts";
import { printResult } from "./output.ts";
import type { Shell } from "./shell.ts";

/** `waypost status`: the process, its ports, and how often it has refused because of a share since its start (`src/fairness`). */
export function statusCommand(shell: Shell): Command {
  const command = new Command("status").description(
    "Say where the running daemon listens, what is wrong now, and how often it refused what was more than somebody's share.",
  );
  return withCommonOptions(command).action(async (options: CommonOptions) => {
    printResult(shell, await askStatus(settingsOf(shell, options).storage.folder), options.json === true);
  });
}

/** Throws `upstream_unavailable` when no daemon runs. */
export async function askStatus(folder: string): Promise<DaemonStatus> {
  const socket = await connectToDaemon(folder);
  if (socket === undefined)
    throw new WaypostError("upstream_unavailable", `No daemon runs on ${folder}.`, {
      hint: "Start one: waypost start.",
    });
  return (await callDaemon(socket, { operation: "server.status", input: {} })) as DaemonStatus;
}
