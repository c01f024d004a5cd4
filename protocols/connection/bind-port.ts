/** Binds a port. Node's loop accepts one connection of a listening socket in each turn (libuv since 1.45), so whoever opens thousands of
 *  connections at once would keep everybody else's waiting for as many turns. Where the system shares a port among sockets
 *  (SO_REUSEPORT, socket(7)), a port has several of them, and a turn accepts one connection of each. */
import { createServer, type Server, type ServerOpts } from "node:net";

/** Listening sockets of a port. */
export const acceptorsOfPort = process.platform === "linux" ? 16 : 1;
/** Connections that wait for each of them. */
const backlog = 1024;

export interface BoundPort {
  /** If port 0 was requested, the one that the system chose. */
  readonly port: number;
  /** No more connections are accepted. Resolves when those that were are closed. */
  close(): Promise<void>;
}

/** Connections of all sockets are told by `connection` of `server`. `options` are those that `server` was made with. Rejects when the port
 *  is taken, also by another process that would share it. */
export async function bindPort(
  server: Server,
  { host, port, options }: { readonly host: string; readonly port: number; readonly options: ServerOpts },
): Promise<BoundPort> {
  if (acceptorsOfPort > 1 && port !== 0) await assertFree(host, port);
  const reusePort = acceptorsOfPort > 1;
  await bind(server, { host, port, reusePort });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const servers = [server];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((one) => new Promise<void>((resolve) => one.close(() => resolve()))));
  };
  try {
    while (servers.length < acceptorsOfPort) {
      const other = createServer(options, (socket) => void server.emit("connection", socket));
      await bind(other, { host, port: bound, reusePort });
      servers.push(other);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port: bound, close };
}

/** Resolves when the server listens; afterwards no error of it ends the process. */
export function bind(
  server: Server,
  where: { readonly host: string; readonly port: number; readonly reusePort?: boolean },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ ...where, backlog }, () => {
      server.off("error", reject);
      // After binding, an error is one failed accept (too many open files); the port stays open.
      server.on("error", () => {});
      resolve();
    });
  });
}

/** Two daemons of one user would share a port without a word. */
async function assertFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  await bind(probe, { host, port });
  await new Promise<void>((resolve) => probe.close(() => resolve()));
}
