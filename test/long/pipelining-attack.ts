/** Fifty connections without a credential send requests as fast as the server reads them. An agent's operations must be answered in
 *  time meanwhile: `node test/long/pipelining-attack.ts [seconds]`. Prints the times, and fails when the 99th percentile is too high. A wait is
 *  judged by the processor time of the daemon meanwhile, so that other work on the machine does not count. */
import net from "node:net";
import os from "node:os";
import { type ChildDaemon, startChildDaemon } from "../support/daemon.ts";
import { familyProcessorMs } from "../support/threads/process-family.ts";

const connections = 50;
const roundMs = Number(process.argv[2] ?? 8) * 1000;
/** Half a second of the whole machine. */
const p99MaxMs = 500 * os.availableParallelism();
const requests = Buffer.from("GET /health HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2000));
const operations = ["health", "search", "catalog.describe"];

await using daemon = await startChildDaemon({
  set: ["limits.requests_per_second=100000", "limits.requests_burst=100000"].flatMap((setting) => [
    setting,
    `limits.agent_${setting.slice("limits.".length)}`,
  ]),
});

let isSlow = false;
await measure("nobody", []);
await measure(`${connections} that read nothing`, flood(daemon, false));
await measure(`${connections} that read their answers`, flood(daemon, true));
process.exitCode = isSlow ? 1 : 0;

/** Connections that write whenever the server reads. */
function flood({ http }: ChildDaemon, isReading: boolean): net.Socket[] {
  return Array.from({ length: connections }, () => {
    const socket = net.connect(Number(new URL(http.url).port), "127.0.0.1");
    const write = (): void => {
      while (!socket.destroyed && socket.write(requests));
    };
    socket
      .on("error", () => {})
      .on("drain", write)
      .once("connect", write);
    return isReading ? socket.resume() : socket.pause();
  });
}

async function measure(attackers: string, sockets: readonly net.Socket[]): Promise<void> {
  const times: number[] = [];
  const until = performance.now() + roundMs;
  while (performance.now() < until) {
    const asked = familyProcessorMs(daemon.process.pid!);
    const status = await ask(operations[times.length % operations.length]!);
    if (status !== 200) throw new Error(`an operation answers ${status}`);
    times.push(familyProcessorMs(daemon.process.pid!) - asked);
  }
  for (const socket of sockets) socket.destroy();
  times.sort((one, other) => one - other);
  const p99 = times[Math.floor(times.length * 0.99)]!;
  const [median, longest] = [times[times.length >> 1]!, times.at(-1)!];
  const tell = (ms: number): string => `${ms.toFixed(1)} ms`;
  console.log(
    `${attackers}: ${times.length} operations, processor time of each: p50 ${tell(median)}, p99 ${tell(p99)}, longest ${tell(longest)}`,
  );
  if (p99 > p99MaxMs) isSlow = true;
}

async function ask(operation: string): Promise<number> {
  const response = await fetch(`${daemon.http.url}/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${daemon.agents[0]!.token}`, "content-type": "application/json" },
    body: "{}",
  });
  await response.text();
  return response.status;
}
