/** A port of the loopback interface that no server listens on. It is below the ports that systems give to whoever asks for any
 *  (Linux 32768, others 49152), so that no other test is given it before it is used. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import net from "node:net";

const triesMax = 100;

export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(10_000, 32_000);
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
