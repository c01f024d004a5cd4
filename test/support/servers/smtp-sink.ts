/** A mail server of another operator. A test sets its replies, and it keeps the mail that it accepts. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { testCertificate } from "../certificates/certificate.ts";

export interface SinkMail {
  readonly from: string;
  /** The parameters of MAIL, in upper case. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly to: readonly string[];
  readonly text: string;
  readonly isSecure: boolean;
  /** The number of the connection that brought the mail, from 1. */
  readonly connection: number;
}

export interface SinkReply {
  readonly code: number;
  readonly text: string;
}

export interface SinkOptions {
  readonly host?: string;
  /** The port; a free one by default. */
  readonly port?: number;
  /** The reply to RCPT; undefined means 250. */
  readonly onRecipient?: (address: string) => SinkReply | undefined;
  readonly onSender?: (address: string) => SinkReply | undefined;
  /** The reply to the message; undefined means 250, and only then `mails` has it. "die" ends all connections without a reply. */
  readonly onMessage?: (mail: SinkMail) => SinkReply | "die" | undefined;
  /** Called with a function. The sink replies to the message when that function is called. */
  readonly onSlowMessage?: (answer: () => void) => void;
  readonly onConnect?: (count: number) => SinkReply | undefined;
  readonly server?: SMTPServerOptions;
}

export interface SmtpSink extends AsyncDisposable {
  readonly port: number;
  readonly mails: readonly SinkMail[];
  readonly connectionCount: number;
  /** The parameters of RCPT, by address. */
  readonly recipientParameters: ReadonlyMap<string, unknown>;
}

/** Settings of a daemon that gives all its mail to the sink on this port, at once. */
export function settingsOfSink(port: number): readonly string[] {
  return [
    "dns.servers=none",
    "outbound.smarthost_host=127.0.0.1",
    `outbound.smarthost_port=${port}`,
    "outbound.smarthost_tls=none",
    "outbound.allow_private_addresses=true",
    "holds.grace_s=0",
  ];
}

export async function startSink(options: SinkOptions = {}): Promise<SmtpSink> {
  const mails: SinkMail[] = [];
  const numbers = new Map<string, number>();
  const recipientParameters = new Map<string, unknown>();
  let connectionCount = 0;
  const server = new SMTPServer({
    ...testCertificate,
    authOptional: true,
    disabledCommands: ["AUTH"],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    ...options.server,
    onConnect(session, done) {
      numbers.set(session.id, ++connectionCount);
      done(errorOf(options.onConnect?.(connectionCount)));
    },
    onMailFrom: (address, _session, done) => done(errorOf(options.onSender?.(address.address))),
    onRcptTo(address, _session, done) {
      recipientParameters.set(address.address, address.args);
      done(errorOf(options.onRecipient?.(address.address)));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.once("end", () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail: SinkMail = {
          from: mailFrom === false ? "" : mailFrom.address,
          parameters: mailFrom === false || mailFrom.args === false ? {} : { ...mailFrom.args },
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString("latin1"),
          isSecure: session.secure,
          connection: numbers.get(session.id) ?? 0,
        };
        const reply = options.onMessage?.(mail);
        if (reply === "die") {
          for (const connection of server.connections as Set<{ _socket: { destroy(): void } }>)
            connection._socket.destroy();
          return;
        }
        if (reply === undefined) mails.push(mail);
        const answer = (): void => done(errorOf(reply));
        if (options.onSlowMessage === undefined) answer();
        else options.onSlowMessage(answer);
      });
    },
  });
  server.on("error", () => {});
  server.listen(options.port ?? 0, options.host ?? "127.0.0.1");
  await once(server.server, "listening");
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    recipientParameters,
    get connectionCount() {
      return connectionCount;
    },
    async [Symbol.asyncDispose]() {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function errorOf(reply: SinkReply | undefined): Error | null {
  return reply === undefined ? null : Object.assign(new Error(reply.text), { responseCode: reply.code });
}
