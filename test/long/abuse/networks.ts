/** Clients of many networks on one machine. The suite restarts itself in a network namespace where every address of 10.0.0.0/8 is this
 *  machine. Loopback is not enough, because the server does not count its clients by network. */
import { AsyncLocalStorage } from "node:async_hooks";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const inside = "ABUSE_NETWORKS";
const setUp = "ip link set lo up && ip route add local 10.0.0.0/8 dev lo";

/** Restarts the file in a network namespace and ends this process with its status. Without namespaces it prints a note, and all
 *  clients come from loopback. */
export function enterNetworks(file: string): void {
  if (process.env[inside] !== undefined) return;
  const isolate = ["unshare", "--user", "--net", "--map-root-user", "sh", "-c"];
  const trial = spawnSync(isolate[0]!, [...isolate.slice(1), setUp], { stdio: "ignore" });
  if (trial.status !== 0) {
    console.log("There are no network namespaces here: all clients come from loopback.");
    return;
  }
  const command = [process.execPath, fileURLToPath(file), ...process.argv.slice(2)];
  const { status } = spawnSync(
    isolate[0]!,
    [...isolate.slice(1), `${setUp} && exec "$@"`, "sh", ...command],
    {
      stdio: "inherit",
      env: { ...process.env, [inside]: "1" },
    },
  );
  process.exit(status ?? 1);
}

const first = new AsyncLocalStorage<number>();

/** Runs work whose network numbers begin at this number. */
export function inNetworksFrom<T>(network: number, work: () => T): T {
  return first.run(network, work);
}

/** An address of the network with this number (10.x.y.0/24). Without namespaces undefined, which means any address. */
export function addressIn(network: number, host = 1): string | undefined {
  if (process.env[inside] === undefined) return undefined;
  const number = (first.getStore() ?? 0) + network;
  return `10.${number >> 8}.${number & 255}.${host}`;
}
