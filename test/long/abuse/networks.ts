/** Clients of many networks on one machine: the suite starts itself again in a network namespace of its own, where every address of
 *  10.0.0.0/8 is this machine. Loopback is no stranger to a server, so what is to be counted by network comes from there. */
import { AsyncLocalStorage } from "node:async_hooks";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const inside = "ABUSE_NETWORKS";
const setUp = "ip link set lo up && ip route add local 10.0.0.0/8 dev lo";

/** Starts the file again where there are networks, and ends this process with its status. Without namespaces everybody comes from
 *  loopback, and it is said. */
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

/** Whoever works in it counts its networks from there. */
export function inNetworksFrom<T>(network: number, work: () => T): T {
  return first.run(network, work);
}

/** An address of the network with this number (10.x.y.0/24); undefined, for any address, where there are no networks. */
export function addressIn(network: number, host = 1): string | undefined {
  if (process.env[inside] === undefined) return undefined;
  const number = (first.getStore() ?? 0) + network;
  return `10.${number >> 8}.${number & 255}.${host}`;
}
