/** How a command reaches a data folder: through the daemon that has it open, or else by opening the store in this process. */
import fs from "node:fs";
import path from "node:path";
import type { Settings } from "#/config/schema.ts";
import { callDaemon, connectToDaemon, type PrivateClientCall } from "#/src/daemon/private-client.ts";
import { WaypostError } from "#/src/model/errors.ts";

/** Runs one operation of the private socket, or the same in this process when no daemon runs. Creates a store only with
 *  `mayCreate`. */
export async function operate(
  settings: Settings,
  call: PrivateClientCall,
  { mayCreate = false } = {},
): Promise<unknown> {
  const { folder, url } = settings.storage;
  const socket = await connectToDaemon(folder);
  if (socket !== undefined) {
    try {
      return await callDaemon(socket, call);
    } finally {
      socket.destroy();
    }
  }
  if (!mayCreate && url === "" && !fs.existsSync(path.join(folder, "waypost.db")))
    throw new WaypostError("not_found", `There is no store in ${folder}.`, {
      hint: "waypost start makes one; --data names another folder.",
    });
  // Loaded only without a daemon, because the rooms take a moment to load.
  const { openHouse } = await import("#/src/daemon/house.ts");
  const { runPrivateOperation } = await import("#/src/daemon/private-operations.ts");
  const { openLog } = await import("#/src/daemon/log.ts");
  const interrupted = new AbortController();
  const interrupt = (): void => interrupted.abort();
  process.once("SIGINT", interrupt);
  const log = openLog({ ...settings.log, level: "silent" });
  try {
    await using house = await openHouse(settings, log.logger);
    return await runPrivateOperation(house, {
      operation: call.operation,
      input: call.input,
      signal: interrupted.signal,
      onProgress: call.onProgress ?? (() => {}),
      onFrame: call.onFrame ?? (() => {}),
    });
  } finally {
    await log.flush();
    process.off("SIGINT", interrupt);
  }
}
