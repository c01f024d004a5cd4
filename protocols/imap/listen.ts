import type { Socket } from "node:net";
import { createSecureContext } from "node:tls";
import { Connection, ConnectionClosed } from "#/protocols/connection/connection.ts";
import { type ConnectionSlots, type Listener, listen } from "#/protocols/connection/listener.ts";
import { loginTimeoutMs } from "./limits.ts";
import type { ImapRooms } from "./rooms.ts";
import { serveConnection } from "./serve-connection.ts";
import type { OpenSessions } from "./session.ts";

/** The two IMAP ports: `imap` offers STARTTLS, `imaps` speaks TLS from the first byte (RFC 8314). */
export async function listenImap(rooms: ImapRooms): Promise<Listener[]> {
  const { settings } = rooms;
  const secureContext = createSecureContext({ ...rooms.tls, minVersion: "TLSv1.2" });
  const openSessions: OpenSessions = new Map();
  const slots: ConnectionSlots = { limit: settings.imap.maxConnections, taken: 0 };

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

  const listeners: Listener[] = [];
  for (const name of ["imap", "imaps"] as const) {
    const { isEnabled, host, port } = { ...settings[name], isEnabled: settings[name].enabled };
    if (!isEnabled) continue;
    listeners.push(
      await listen({
        name,
        host,
        port,
        slots,
        log: rooms.log,
        serve: (socket, signal) => serve(socket, signal, name === "imaps"),
        ...(name === "imap" ? { refusal: "* BYE [LIMIT] Too many connections\r\n" } : {}),
      }),
    );
  }
  return listeners;
}
