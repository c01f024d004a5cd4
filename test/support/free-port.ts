/** A port of the loopback interface that no server listens on. It is below the ports that systems give to whoever asks for any
 *  (Linux 32768, others 49152), so that no other test is given it before it is used. Tests that run beside each other have ports of their
 *  own, and none is given twice. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import net from "node:net";

const triesMax = 100;
const [first, last] = [10_000, 32_000];
/** More than run beside each other. */
const runners = 8;
const runner = Number(process.env.VITEST_POOL_ID ?? 0) % runners;
const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(first / runners, last / runners) * runners + runner;
    if (given.has(port)) continue;
    given.add(port);
    const server = net.createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE" || tries === triesMax) throw error;
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}
