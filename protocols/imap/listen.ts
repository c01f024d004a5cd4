import type { Socket } from "node:net";
import { Connection, ConnectionClosed } from "#/protocols/connection/connection.ts";
import {
  type ConnectionPlace,
  connectionAmounts,
  createConnectionDoor,
} from "#/protocols/connection/connection-door.ts";
import { type Listener, listen, openPorts } from "#/protocols/connection/listener.ts";
import { contextOf } from "#/protocols/connection/server-keys.ts";
import { handshakeLog } from "#/protocols/connection/stranger-lines.ts";
import { trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import { createReceiving } from "#/src/fairness/receiving.ts";
import { loginTimeoutMs } from "./limits.ts";
import type { ImapRooms } from "./rooms.ts";
import { serveConnection } from "./serve-connection.ts";

/** Listens on the two IMAP ports: `imap` offers STARTTLS, `imaps` uses TLS from the first byte (RFC 8314). If one of them cannot
 *  be bound, the other is closed. */
export async function listenImap(rooms: ImapRooms): Promise<Listener[]> {
  const { settings } = rooms;
  const secureContext = contextOf(rooms.tls);
  const door = createConnectionDoor(
    rooms.fairness.gate("imap", connectionAmounts(settings.imap, settings.limits)),
    rooms.nameNetwork,
  );

  const proxies = trustProxies(settings.server.trustedProxies);
  const receiving = createReceiving(rooms.fairness, settings.imap.maxAppendBytes);
  const served = { ...rooms, receiving };
  const serve = async (
    socket: Socket,
    place: ConnectionPlace,
    signal: AbortSignal,
    isEncrypted: boolean,
  ): Promise<void> => {
    const connection = new Connection(socket, {
      timeoutMs: loginTimeoutMs,
      signal,
      secureContext,
      onHandshakeFailure: handshakeLog(rooms.log, isEncrypted ? "imaps" : "imap", socket.remoteAddress),
    });
    if (isEncrypted) {
      try {
        await connection.startTls();
      } catch (error) {
        // A port scan, or a client that does not trust the certificate.
        if (error instanceof ConnectionClosed) return;
        throw error;
      }
    }
    await serveConnection(connection, served, place);
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
        proxies,
        isTls: name === "imaps",
        serve: (socket, place, signal) => serve(socket, place, signal, name === "imaps"),
        ...(name === "imap" ? { refusal: "* BYE [LIMIT] Too many connections\r\n" } : {}),
      });
    }),
  );
}
