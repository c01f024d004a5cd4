/** The bare package of the SMTP ports: it counts messages and stores nothing. The rates of the daemon are compared with it. */
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";

const server = new SMTPServer({
  disabledCommands: ["STARTTLS", "AUTH"],
  authOptional: true,
  disableReverseLookup: true,
  logger: false,
  maxClients: 5000,
  onData(stream, _session, callback) {
    let bytes = 0;
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    stream.on("end", () => callback(null, `OK ${bytes}`));
  },
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
// Ends when its standard input closes, so it ends with the benchmark.
process.stdin.on("end", () => process.exit(0)).resume();
