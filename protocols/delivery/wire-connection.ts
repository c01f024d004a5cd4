/** One connection to another server: nodemailer's SMTP client. Its commands MAIL and RCPT are written here, because the package has one
 *  set of DSN parameters for all recipients, encodes an ENVID that is xtext already, and sends SMTPUTF8 only for addresses. This file
 *  uses names that the package does not document, so its version is pinned; another version has to pass the tests over sockets. */

import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { ConnectionOptions, TLSSocket } from "node:tls";
import SMTPConnection, {
  type SMTPConnectionEnvelope,
  type SMTPConnectionOptions,
} from "nodemailer/lib/smtp-connection";
import { after, soon } from "#/src/model/background.ts";
import { readThrown } from "#/src/model/thrown.ts";
import type { TlsSessionResult } from "#/src/model/tls-result.ts";
import { ConnectFailure } from "./connect-failure.ts";
import { type DaneHost, findDaneMismatch } from "./dane-match.ts";
import { type Reply, readReply } from "./reply.ts";
import { shownChain } from "./shown-chain.ts";
import { tlsResultOf } from "./tls-results.ts";

export interface WireOptions {
  /** A connected socket. */
  readonly socket: Socket;
  /** The name for EHLO. */
  readonly clientName: string;
  /** Name of the server, for SNI and its certificate. */
  readonly host: string;
  readonly tls: WireTls;
  /** With `dane`. */
  readonly dane?: DaneHost;
  readonly replyTimeoutMs: number;
  readonly login?: { readonly user: string; readonly password: string };
  /** Aborts the opening of the connection. */
  readonly signal: AbortSignal;
}

export type WireTls =
  /** STARTTLS if it is offered, with any certificate; without TLS if it is refused. */
  | "opportunistic"
  /** STARTTLS, with a certificate for the host. */
  | "verified"
  /** TLS from the first octet, with a certificate for the host. */
  | "implicit"
  /** STARTTLS, with a certificate that the TLSA records of the host name. */
  | "dane"
  | "none";

export interface MailTransaction {
  /** "" for the null reverse path. */
  readonly reversePath: string;
  /** Parameters of MAIL, with the space before them. */
  readonly mailParameters: string;
  readonly forwardPaths: readonly { readonly address: string; readonly parameters: string }[];
  readonly message: Iterable<Buffer>;
}

export interface TransactionResult {
  /** Replies to RCPT other than acceptance, by address. */
  readonly refused: ReadonlyMap<string, Reply>;
  readonly accepted: ReadonlySet<string>;
  /** The reply to MAIL, to DATA or to the message; undefined if no recipient was accepted or the connection ended first. */
  readonly reply: Reply | undefined;
  /** The server may have the message; this is not known. */
  readonly isDataSent: boolean;
  /** Why there is no reply. */
  readonly failure: string | undefined;
}

/** How long a server may take to answer QUIT before the connection is cut. */
const quitMs = 5000;
/** A longer reply is an error. */
const replyBytesMax = 64 * 1024;

interface Internals {
  readonly _supportedExtensions: readonly string[];
  readonly _maxAllowedSize: number;
  readonly _socket: TLSSocket | undefined;
  readonly _responseActions: ((reply: string) => void)[];
  _actionGreeting(text: string): void;
  _sendCommand(text: string, logText?: string): void;
  _upgradeConnection(done: (error: Error | null, isSecured?: boolean) => void): void;
}

interface WireError extends Error {
  readonly code?: string | undefined;
  readonly response?: string | undefined;
}

const Base = SMTPConnection as unknown as new (options: SMTPConnectionOptions) => SMTPConnection & Internals;

class Client extends Base {
  transaction: MailTransaction | undefined;
  dane: DaneHost | undefined;
  hasBegunTls = false;
  /** The reply at the beginning of the connection. */
  greeting = "";
  /** Why the handshake failed. */
  tlsCode: string | undefined;

  override _actionGreeting(text: string): void {
    this.greeting = text;
    super._actionGreeting(text);
  }

  /** Sends one command outside of a message. */
  ask(command: string): Promise<string> {
    return answered<string>(
      this,
      (settle) => {
        this._responseActions.push(settle);
        this._sendCommand(command);
      },
      "",
    );
  }

  override _upgradeConnection(done: (error: Error | null, isSecured?: boolean) => void): void {
    super._upgradeConnection((error, isSecured) => {
      const mismatch =
        error === null && this.dane !== undefined
          ? findDaneMismatch(shownChain(this._socket!), this.dane, Date.now())
          : undefined;
      done(mismatch === undefined ? error : new Error(mismatch), isSecured);
    });
    this.hasBegunTls = true;
    this._socket?.prependListener("error", ({ code }: WireError) => {
      this.tlsCode ??= code;
    });
  }

  override _sendCommand(text: string, logText?: string): void {
    super._sendCommand(this.#withParameters(text), logText);
  }

  #withParameters(text: string): string {
    const { transaction } = this;
    if (transaction === undefined) return text;
    if (text.startsWith("MAIL FROM:"))
      return `MAIL FROM:<${transaction.reversePath}>${transaction.mailParameters}`;
    const address = /^RCPT TO:<(.*)>$/.exec(text)?.[1];
    const path = address && transaction.forwardPaths.find((one) => one.address === address);
    return path ? `${text}${path.parameters}` : text;
  }
}

export interface WireConnection {
  readonly isSecure: boolean;
  /** Of TLS: what a verification of the certificate for the host's name by authorities of the world said. */
  readonly tlsResult: TlsSessionResult;
  readonly localAddress: string | undefined;
  /** The first reply of the server. */
  readonly greeting: string;
  /** Of TLS: the certificate of the server, that of its issuer, and so on. */
  certificates(): readonly X509Certificate[];
  /** Sends one command while no message is being sent; "" if the connection ends without a reply. */
  ask(command: string): Promise<string>;
  readonly hasExtension: (
    name: "PIPELINING" | "DSN" | "8BITMIME" | "SMTPUTF8" | "SIZE" | "REQUIRETLS",
  ) => boolean;
  /** The largest message in octets that the server accepts; 0 if it does not say. */
  readonly sizeMax: number;
  readonly isOpen: boolean;
  /** Sends one message; never throws. */
  send(transaction: MailTransaction): Promise<TransactionResult>;
  /** RSET. Whether the server is ready for another message. */
  reset(): Promise<boolean>;
  /** Sends QUIT without waiting for the reply. The server has some seconds to close the connection. */
  quit(): void;
  /** Calls the listener when the connection is closed, at once if it is. */
  onClosed(listener: () => void): void;
  /** Closes at once. */
  close(): void;
}

/** Does greeting, EHLO, TLS and login. Throws `ConnectFailure`. */
export async function openWire(options: WireOptions): Promise<WireConnection> {
  const client = new Client({
    connection: options.socket,
    host: options.host,
    name: options.clientName,
    logger: false,
    maxResponseSize: replyBytesMax,
    connectionTimeout: options.replyTimeoutMs,
    greetingTimeout: options.replyTimeoutMs,
    socketTimeout: options.replyTimeoutMs,
    ...tlsOptions(options.tls, options.dane),
  });
  client.dane = options.dane;
  const giveUp = (): void => client.close();
  options.signal.addEventListener("abort", giveUp, { once: true });
  try {
    await connect(client);
    if (options.login !== undefined) await login(client, options.login);
  } finally {
    options.signal.removeEventListener("abort", giveUp);
  }
  return {
    isSecure: client.secure,
    tlsResult: shownResult(client),
    localAddress: options.socket.localAddress,
    greeting: client.greeting,
    certificates: () => (client.secure ? shownChain(client._socket!) : []),
    ask: (command) => client.ask(command),
    hasExtension: (name) => client._supportedExtensions.includes(name),
    sizeMax: client._maxAllowedSize,
    get isOpen() {
      return !client.destroyed && options.socket.writable;
    },
    send: (transaction) => send(client, transaction),
    reset: () => answered(client, (settle) => client.reset((error) => settle(error === null)), false),
    quit() {
      if (client.destroyed) return;
      client.quit();
      const cut = after(quitMs, () => options.socket.destroy()).unref();
      options.socket.once("close", () => clearTimeout(cut));
    },
    onClosed(listener) {
      if (options.socket.closed) listener();
      else options.socket.once("close", listener);
    },
    close: () => client.close(),
  };
}

function connect(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: WireError): void => {
      const isTls = client.upgrading === true || error.code === "ETLS";
      // Rejects first: closing the connection would cause another error.
      const tlsResult = client.hasBegunTls ? tlsResultOf(client.tlsCode) : "starttls-not-supported";
      const reply = readReply(error.response);
      reject(new ConnectFailure(error.message, { reply, isTls, ...(isTls ? { tlsResult } : {}) }));
      client.close();
    };
    // The listener stays: only the waiting command handles later errors.
    client.on("error", fail);
    client.once("end", () => fail(new Error("The connection ended.")));
    client.connect((error) => (error === undefined ? resolve() : fail(error)));
  });
}

function shownResult(client: Client): TlsSessionResult {
  if (!client.secure) return "starttls-not-supported";
  // Declared as an Error, and a code in truth.
  const error: unknown = client._socket?.authorizationError;
  if (error === undefined || error === null) return "success";
  return tlsResultOf(typeof error === "string" ? error : readThrown(error).code);
}

function tlsOptions(tls: WireTls, dane?: DaneHost): SMTPConnectionOptions {
  const unverified: ConnectionOptions = { rejectUnauthorized: false };
  switch (tls) {
    case "opportunistic":
      // An attacker who could show a certificate of their own could as well take STARTTLS out (RFC 7435).
      return { secure: false, opportunisticTLS: true, tls: unverified };
    case "verified":
      return { secure: false, requireTLS: true, tls: { minVersion: "TLSv1.2" } };
    case "dane":
      // The certificate is looked at in `_upgradeConnection`: authorities of the world say nothing here.
      return {
        secure: false,
        requireTLS: true,
        tls: { ...unverified, minVersion: "TLSv1.2", ...(dane && { servername: dane.base }) },
      };
    case "implicit":
      return { secure: true, tls: { minVersion: "TLSv1.2" } };
    case "none":
      return { secure: false, ignoreTLS: true };
  }
}

/** The answer to a command; `closed` if the connection ends without one, which the package does not report to every caller. */
function answered<T>(client: Client, ask: (settle: (answer: T) => void) => void, closed: T): Promise<T> {
  return new Promise((resolve) => {
    // In the next turn, so that an answer that came together with the end is handled first.
    const onEnd = (): void => soon(() => resolve(closed));
    client.once("end", onEnd);
    ask((answer) => {
      client.off("end", onEnd);
      resolve(answer);
    });
  });
}

async function login(client: Client, { user, password }: { user: string; password: string }): Promise<void> {
  const error = await answered<WireError | null>(
    client,
    (settle) => client.login({ user, pass: password }, settle),
    new Error("The connection ended at the login."),
  );
  if (error === null) return;
  client.close();
  throw new ConnectFailure("The login was refused.", { reply: readReply(error.response), isLogin: true });
}

interface SentEnvelope extends SMTPConnectionEnvelope {
  /** The refusal of MAIL. The replies to RCPT mean nothing then. */
  readonly mailError?: WireError;
}

async function send(client: Client, transaction: MailTransaction): Promise<TransactionResult> {
  const envelope = {
    from: transaction.reversePath,
    to: transaction.forwardPaths.map(({ address }) => address),
  } as unknown as SentEnvelope;
  let isDataSent = false;
  function* chunks(): Iterable<Buffer> {
    isDataSent = true;
    yield* transaction.message;
  }
  client.transaction = transaction;
  const answer = await answered<{
    readonly error?: WireError | null;
    readonly response?: string | undefined;
  }>(
    client,
    (settle) => {
      const message = Readable.from(chunks(), { objectMode: false });
      client.send(envelope, message, (error, info) => settle({ error, response: info?.response }));
    },
    { error: new Error("The connection was closed.") },
  );
  client.transaction = undefined;
  const reply = readReply(answer.error == null ? answer.response : answer.error.response);
  const failure = reply === undefined ? (answer.error?.message ?? "There was no reply.") : undefined;
  if (envelope.mailError !== undefined)
    return { refused: new Map(), accepted: new Set(), reply, isDataSent: false, failure };
  const refused = readRefusals(envelope);
  const accepted = new Set(envelope.accepted ?? []);
  const isRefusedByAll = accepted.size === 0 && refused.size === envelope.to!.length;
  return {
    refused,
    accepted,
    reply: isRefusedByAll ? undefined : reply,
    isDataSent: isDataSent && accepted.size > 0,
    failure,
  };
}

function readRefusals(envelope: SentEnvelope): Map<string, Reply> {
  const refused = new Map<string, Reply>();
  for (const { recipient, response } of (envelope.rejectedErrors ?? []) as readonly Refusal[]) {
    const reply = readReply(response);
    if (recipient !== undefined && reply !== undefined) refused.set(recipient, reply);
  }
  return refused;
}

interface Refusal {
  readonly recipient?: string;
  readonly response?: string;
}
