/** Dovecot's imaptest against three daemons on one PostgreSQL. Its clients share one mailbox, and each connection goes to the next
 *  daemon. It tracks what every client was told, and ends with an error when a client was told something wrong.
 *  `node test/long/imaptest-shared.ts [seconds] [clients] [imaptest's own arguments]`; 30 and 30 by default. Skipped unless
 *  IMAPTEST_DIR names a checkout with a built `src/imaptest` and PostgreSQL is installed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import net, { type AddressInfo } from "node:net";
import path from "node:path";
import { manyRequests } from "../support/daemon.ts";
import { didNotRun } from "./did-not-run.ts";
import { startSharedStore } from "./shared-store.ts";

const [seconds = "30", clients = "30", ...more] = process.argv.slice(2);
const folder = process.env.IMAPTEST_DIR;
const program = path.join(folder ?? "", "src/imaptest");
if (folder === undefined || !fs.existsSync(program)) didNotRun("IMAPTEST_DIR names no imaptest");
const shared = await startSharedStore({
  agents: 1,
  set: [...manyRequests, "log.level=error"],
});
if (shared === undefined) didNotRun("there is no PostgreSQL");
const { daemons } = shared;
let taken = 0;
const balancer = net.createServer((client) => {
  const { port } = daemons[taken++ % daemons.length]!.imap;
  const server = net.connect({ host: "127.0.0.1", port });
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    one.on("error", () => other.destroy());
    one.pipe(other);
  }
});
await once(balancer.listen(0, "127.0.0.1"), "listening");
const { port } = balancer.address() as AddressInfo;
const { address, password } = daemons[0]!.agents[0]!;
const startedAt = Date.now();
const child = spawn(
  program,
  [
    ...["host=127.0.0.1", `port=${port}`, `user=${address}`, `pass=${password}`, "users=1-1"],
    ...[`mbox=${folder}/src/tests/default.mbox`, `secs=${seconds}`, `clients=${clients}`, "seed=1", ...more],
  ],
  { stdio: ["ignore", "pipe", "pipe"] },
);
const output: string[] = [];
for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => output.push(String(data)));
const [code] = (await once(child, "close")) as [number | null];
const errors = output
  .join("")
  .split("\n")
  .filter((line) => /error|panic|fatal|BUG|stalled/i.test(line) && !/^\s*[\d%]/.test(line));
console.log(output.join("").split("\n").slice(-12).join("\n"));
balancer.close();
const faults = [...errors, ...(await shared.end())];
for (const fault of faults.slice(0, 30)) console.log(`  ${fault}`);
const isGood = code === 0 && faults.length === 0 && taken > daemons.length;
console.log(
  `${isGood ? "passed" : "failed"}: ${taken} connections, ${faults.length} faults, ${Math.round((Date.now() - startedAt) / 1000)} s`,
);
process.exitCode = isGood ? 0 : 1;
