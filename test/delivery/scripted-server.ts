/** A server that says what a script says, and what is usual to everything else. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";

export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  readonly commands: readonly string[];
  /** What came in one piece. */
  readonly chunks: readonly string[];
}

/** Replies by verb: without a line end; "" is silence, "DIE" the end of the connection. GREETING is the first one, MESSAGE the
 *  one after the last dot. */
export async function startScriptedServer(
  replies: Readonly<Record<string, string>> = {},
): Promise<ScriptedServer> {
  const commands: string[] = [];
  const chunks: string[] = [];
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    let isData = false;
    const say = (verb: string, usual: string): void => {
      const reply = replies[verb] ?? usual;
      if (reply === "DIE") socket.destroy();
      else if (reply !== "") socket.write(`${reply}\r\n`);
    };
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    say("GREETING", "220 mx.theirs.net");
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk.toString());
      for (const line of chunk.toString().split("\r\n").slice(0, -1)) {
        if (isData && line !== ".") continue;
        if (isData) {
          isData = false;
          say("MESSAGE", "250 ok");
          continue;
        }
        commands.push(line);
        const verb = line.split(/[ :]/)[0]!.toUpperCase();
        if (verb === "EHLO") say(verb, "250-mx.theirs.net\r\n250-STARTTLS\r\n250 SIZE 1000000");
        else if (verb === "DATA") {
          say(verb, "354 go");
          isData = (replies[verb] ?? "354").startsWith("354");
        } else if (verb === "QUIT") socket.end("221 bye\r\n");
        else say(verb, "250 ok");
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    commands,
    chunks,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
