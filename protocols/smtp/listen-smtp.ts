import { SMTPServer, type SMTPServerAuthentication, type SMTPServerSession } from "smtp-server";
import {
  type ConnectionPlace,
  connectionAmounts,
  createConnectionDoor,
} from "#/protocols/connection/connection-door.ts";
import { type Listener, listen, openPorts } from "#/protocols/connection/listener.ts";
import { loggedLogins } from "#/protocols/connection/logged-logins.ts";
import { takeHandshake } from "#/protocols/connection/secure-socket.ts";
import { contextOf } from "#/protocols/connection/server-keys.ts";
import { handshakeLog } from "#/protocols/connection/stranger-lines.ts";
import { trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import { rememberRecipients } from "#/src/arrival/recent-recipients.ts";
import { createReceiving } from "#/src/fairness/receiving.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { replyToError } from "./errors.ts";
import { commandLineBytesMax, failedLoginsMax, handshakeTimeoutMs } from "./limits.ts";
import { MailConnection } from "./mail-connection.ts";
import type { MailPort, PortRooms, PortSettings, SmtpRooms } from "./mail-port.ts";
import { formatReply, reply } from "./reply.ts";

export type { SmtpRooms } from "./mail-port.ts";

/** Opens the SMTP ports that the settings enable. If one of them cannot be bound, the others are closed. */
export async function listenSmtp(house: SmtpRooms): Promise<Listener[]> {
  const { smtp, submission, submissions, limits } = house.settings;
  const rooms: PortRooms = { ...house, recipients: rememberRecipients(house.accounts, house.store) };
  const { fairness, nameNetwork } = house;
  const relayDoor = createConnectionDoor(
    fairness.gate("smtp", { total: smtp.maxConnections, share: smtp.maxConnectionsPerNetwork }),
    nameNetwork,
  );
  const submissionDoor = createConnectionDoor(
    fairness.gate("submission", connectionAmounts(submission, limits)),
    nameNetwork,
  );
  const shared = {
    rooms,
    receiving: createReceiving(fairness, smtp.maxMessageBytes),
    places: new WeakMap<object, ConnectionPlace>(),
    proxies: trustProxies(house.settings.server.trustedProxies),
  };
  const relay = { ...shared, isSubmission: false, door: relayDoor };
  const ofClients = {
    ...shared,
    isSubmission: true,
    door: submissionDoor,
    secureContext: contextOf(house.tls),
  };
  const ports: readonly (readonly [MailPort, PortSettings])[] = [
    [{ ...relay, name: "smtp", secureContext: contextOf(house.tls, { isForServers: true }) }, smtp],
    [{ ...ofClients, name: "submission" }, submission],
    [{ ...ofClients, name: "submissions" }, submissions],
  ];
  const enabled = ports.filter(([, settings]) => settings.enabled);
  return openPorts(
    enabled.map(
      ([port, settings]) =>
        () =>
          listenOn(port, settings),
    ),
  );
}

/** What the connections of a port share. The package's own listening socket is not used: `listen` accepts, counts and ends
 *  connections, so that it knows each of them, also before and during a TLS handshake. */
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
      maxCommandLength: commandLineBytesMax,
      socketTimeout: settings.smtp.idleTimeoutMs,
      authMethods: ["PLAIN", "LOGIN"],
      // The connection decides where a login is allowed and where it is required.
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

  override onAuth(
    auth: SMTPServerAuthentication,
    session: SMTPServerSession,
    callback: (error: Error | null, response?: { user: Principal }) => void,
  ): void {
    authenticate(this.#port, auth, session)
      .then((principal) => {
        if (this.#port.places.get(session)?.claim(principal) ?? true) callback(null, { user: principal });
        else callback(errorReply(454, "Too many open connections of this mailbox"));
      })
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
  { rooms, name }: MailPort,
  { username, password, authzid, authcid }: SMTPServerAuthentication,
  { id, remoteAddress }: SMTPServerSession,
): Promise<Principal> {
  // RFC 4616 section 2: a login for another authorization identity is not offered.
  if (authzid && authcid && authzid !== authcid)
    throw new WaypostError("unauthorized", "A login cannot act for another identity.");
  const logins = loggedLogins(rooms.accounts, rooms.log, { door: "submission", protocol: name, session: id });
  return logins.authenticatePassword(username ?? "", password ?? "", remoteAddress);
}

/** An error in the form that `smtp-server` expects. */
function errorReply(code: number, text: string): Error {
  const line = formatReply({ code, status: undefined, text }).slice(4);
  return Object.assign(new Error(line), { responseCode: code });
}

function listenOn(port: MailPort, { host, port: number }: PortSettings): Promise<Listener> {
  const server = new MailServer(port);
  const { rooms, door, name, secureContext } = port;
  const isSecure = name === "submissions";
  const busy = reply(421, "4.7.0", "Too many connections, try again later");
  return listen({
    name,
    host,
    port: number,
    door,
    log: rooms.log,
    proxies: port.proxies,
    isTls: isSecure,
    allowHalfOpen: true,
    ...(isSecure ? {} : { refusal: `${formatReply(busy)}\r\n` }),
    async serve(socket, place, signal) {
      const handshake = {
        secureContext: secureContext(),
        timeoutMs: handshakeTimeoutMs,
        signal,
        onFailure: handshakeLog(rooms.log, name, socket.remoteAddress),
      };
      const carrier = isSecure ? await takeHandshake(socket, handshake) : socket;
      if (carrier !== undefined)
        await new MailConnection(port, server, { socket, carrier, place }).serve(signal);
    },
  });
}
