/** `npm run bench:start [-- --program dist/waypost]`: how long a daemon on an existing store takes from the start of its process until
 *  all its ports are open, and how much processor time that takes. Measures the start from source, and that of the named program.
 *  Prints one table in Markdown. Option: `--rounds 15`. */
import os from "node:os";
import { parseArgs } from "node:util";
import { startChildDaemon, startScript } from "../support/daemon.ts";
import { costOf } from "./process-cost.ts";
import { median } from "./spans.ts";

const { values } = parseArgs({
  options: { program: { type: "string" }, rounds: { type: "string", default: "15" } },
});
const rounds = Number(values.rounds);

console.log(
  `${os.cpus().length} × ${os.cpus()[0]?.model.trim()}, Node ${process.version}, load ${os.loadavg()[0]!.toFixed(1)} before, ${rounds} starts\n`,
);
console.log("| | ready, median ms | the fastest | CPU ms, median | the least |");
console.log("|---|--:|--:|--:|--:|");
await row("from source", startScript);
if (values.program !== undefined) await row("one program", [values.program]);

async function row(name: string, command: readonly string[]): Promise<void> {
  // The first start makes the store, a certificate, the accounts and the compiled code. It is not counted.
  await using daemon = await startChildDaemon({ command });
  const times: number[] = [];
  const processorTimes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await daemon.restart();
    times.push(daemon.startMs);
    processorTimes.push(costOf(daemon.process.pid!).cpuMs);
  }
  const cells = [median(times), Math.min(...times), median(processorTimes), Math.min(...processorTimes)];
  console.log(`| ${name} | ${cells.map((milliseconds) => milliseconds.toFixed(0)).join(" | ")} |`);
}
