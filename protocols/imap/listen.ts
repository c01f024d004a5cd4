import type { Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { Connection, ConnectionClosed } from "#/protocols/connection/connection.ts";
import { createConnectionDoor } from "#/protocols/connection/connection-door.ts";
import { type Listener, listen, openPorts } from "#/protocols/connection/listener.ts";
import { loginTimeoutMs } from "./limits.ts";
import type { ImapRooms } from "./rooms.ts";
import { serveConnection } from "./serve-connection.ts";
import type { OpenSessions } from "./session.ts";

/** The two IMAP ports: `imap` offers STARTTLS, `imaps` speaks TLS from the first byte (RFC 8314). When one cannot be
 *  bound, none stays open. */
export async function listenImap(rooms: ImapRooms): Promise<Listener[]> {
  const { settings } = rooms;
  const secureContext = createSecureContext({ ...rooms.tls, minVersion: "TLSv1.2" });
  const openSessions: OpenSessions = new Map();
  const door = createConnectionDoor({ limit: settings.imap.maxConnections });

  const serve = async (socket: Socket, signal: AbortSignal, isEncrypted: boolean): Promise<void> => {
    const connection = new Connection(socket, { timeoutMs: loginTimeoutMs, signal, secureContext });
    if (isEncrypted) {
      try {
        await connection.startTls();
      } catch (error) {
        // A port scan, or a client that does not trust the certificate.
        if (error instanceof ConnectionClosed) return;
        throw error;
      }
    }
    await serveConnection(connection, rooms, openSessions);
  };

  const names = (["imap", "imaps"] as const).filter((name) => settings[name].enabled);
  return openPorts(
    names.map((name) => () => {
      const { host, port } = settings[name];
      return listen({
        name,
        host,
        port,
        door,
        log: rooms.log,
        serve: (socket, signal) => serve(socket, signal, name === "imaps"),
        ...(name === "imap" ? { refusal: "* BYE [LIMIT] Too many connections\r\n" } : {}),
      });
    }),
  );
}
