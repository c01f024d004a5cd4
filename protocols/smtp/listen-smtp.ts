import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { SMTPServer, type SMTPServerAuthentication, type SMTPServerSession } from "smtp-server";
import type { SMTPConnectionOptions } from "smtp-server/lib/smtp-connection.js";
import type { Listener } from "#/protocols/connection/listener.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import { rememberRecipients } from "#/src/arrival/recent-recipients.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { createConnectionDoor } from "./connection-door.ts";
import { replyToError } from "./errors.ts";
import { commandLineBytesMax, failedLoginsMax } from "./limits.ts";
import { MailConnection } from "./mail-connection.ts";
import type { MailPort, PortRooms, PortSettings, SmtpRooms } from "./mail-port.ts";
import { createReceivingRoom } from "./receiving-room.ts";
import { formatReply } from "./reply.ts";

export type { SmtpRooms } from "./mail-port.ts";

/** Opens the SMTP ports that the settings enable. When one cannot be bound, none stays open. */
export async function listenSmtp(house: SmtpRooms): Promise<Listener[]> {
  const { smtp, submission, submissions } = house.settings;
  const rooms: PortRooms = { ...house, recipients: rememberRecipients(house.accounts) };
  const door = createConnectionDoor(smtp.maxConnections);
  const receiving = createReceivingRoom(smtp.maxMessageBytes);
  const ports: readonly (readonly [MailPort, PortSettings])[] = [
    [{ name: "smtp", isSubmission: false, rooms, door, receiving }, smtp],
    [{ name: "submission", isSubmission: true, rooms, door, receiving }, submission],
    [{ name: "submissions", isSubmission: true, rooms, door, receiving }, submissions],
  ];
  const listeners: Listener[] = [];
  try {
    for (const [port, settings] of ports)
      if (settings.enabled) listeners.push(await listenOn(port, settings));
  } catch (error) {
    await Promise.all(listeners.map((listener) => listener.close()));
    throw error;
  }
  return listeners;
}

class MailServer extends SMTPServer {
  readonly #port: MailPort;
  readonly #failedLogins = new WeakMap<object, number>();

  constructor(port: MailPort) {
    const { settings, tls } = port.rooms;
    super({
      name: settings.server.hostname,
      banner: "Waypost",
      secure: port.name === "submissions",
      key: tls.key,
      cert: tls.cert,
      minVersion: "TLSv1.2",
      size: settings.smtp.maxMessageBytes,
      maxClients: settings.smtp.maxConnections,
      maxCommandLength: commandLineBytesMax,
      socketTimeout: settings.smtp.idleTimeoutMs,
      authMethods: ["PLAIN", "LOGIN"],
      // Who may log in where, and who must, is asked by the connection.
      authOptional: true,
      allowInsecureAuth: true,
      hideENHANCEDSTATUSCODES: false,
      hideDSN: false,
      disableReverseLookup: true,
      disabledCommands: ["WIZ", "SHELL", "KILL", "XCLIENT", "XFORWARD", "LHLO"],
      logger: false,
    });
    this.#port = port;
  }

  override connect(socket: Socket | TLSSocket, options?: SMTPConnectionOptions | null): void {
    const connection = new MailConnection(this.#port, this, socket, options);
    this.connections.add(connection);
    connection.on("error", (error: Error) => this.emit("error", error));
    connection.init();
  }

  override onConnect(session: SMTPServerSession, callback: (error?: Error | null) => void): void {
    if (this.#port.door.enter(session, session.remoteAddress)) callback();
    else callback(errorReply(421, "4.7.0 Too many connections, try again later"));
  }

  override onClose(session: SMTPServerSession): void {
    this.#port.door.leave(session);
  }

  override onAuth(
    auth: SMTPServerAuthentication,
    session: SMTPServerSession,
    callback: (error: Error | null, response?: { user: Principal }) => void,
  ): void {
    authenticate(this.#port, auth, session)
      .then((principal) => callback(null, { user: principal }))
      .catch((error: unknown) => {
        const failures = (this.#failedLogins.get(session) ?? 0) + 1;
        this.#failedLogins.set(session, failures);
        const { code, text } = replyToError(error);
        // RFC 4954 section 6: whatever else fails is a temporary authentication failure.
        if (failures >= failedLoginsMax) callback(errorReply(421, "Too many failed logins"));
        else callback(errorReply(code === 535 ? 535 : 454, text));
      });
  }
}

async function authenticate(
  { rooms }: MailPort,
  { username, password, authzid, authcid }: SMTPServerAuthentication,
  { remoteAddress }: SMTPServerSession,
): Promise<Principal> {
  // RFC 4616 section 2: acting for somebody else is not offered.
  if (authzid && authcid && authzid !== authcid)
    throw new WaypostError("unauthorized", "A login acts for itself only.");
  return rooms.accounts.authenticatePassword(username ?? "", password ?? "", remoteAddress);
}

/** An error as `smtp-server` takes it. */
function errorReply(code: number, text: string): Error {
  const line = formatReply({ code, status: undefined, text }).slice(4);
  return Object.assign(new Error(line), { responseCode: code });
}

async function listenOn(port: MailPort, settings: PortSettings): Promise<Listener> {
  const server = new MailServer(port);
  const { log } = port.rooms;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: settings.host, port: settings.port, backlog: 1024 }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // Peers that break off and handshakes that fail; nothing that the daemon could do anything about.
  server.on("error", (error) => log.debug({ err: error, listener: port.name }, "connection broke"));
  return {
    name: port.name,
    host: settings.host,
    port: (server.server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        for (const connection of server.connections) (connection as MailConnection).end();
      }),
  };
}
