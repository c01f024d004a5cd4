/** One SMTP connection: the order of commands, and which of them are offered (RFC 5321, RFC 6409, RFC 4954, RFC 3207).
 *
 *  The package `smtp-server` does greeting, early talkers, TLS, SASL exchanges, timeouts, HELO, RSET, NOOP, QUIT and VRFY. MAIL,
 *  RCPT, DATA, EHLO and the conditions of AUTH are here, because the package accepts what the standard forbids (unknown parameters,
 *  UTF-8 without SMTPUTF8, bare line ends in DATA) and refuses what it allows (quoted local parts). The names with an underscore are
 *  private names of its version 3.21.6, which is pinned for this reason.
 *  Long because the package takes one class for a connection, and each command reads or ends what the others began: the transaction, the
 *  message that comes, its timers and its counts. */

import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { SMTPServer } from "smtp-server";
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import { isLoopbackAddress } from "#/protocols/connection/connection.ts";
import type { ConnectionPlace } from "#/protocols/connection/connection-door.ts";
import { noteSecured } from "#/protocols/connection/secure-socket.ts";
import { contextsOfNames } from "#/protocols/connection/server-keys.ts";
import { handshakeLog } from "#/protocols/connection/stranger-lines.ts";
import type { Principal } from "#/src/accounts/principal.ts";
import type { Transport } from "#/src/arrival/transport.ts";
import { LoopTurns, nextTurn } from "#/src/fairness/loop-turns.ts";
import { newRequestDigits } from "#/src/model/author.ts";
import { after, every, inBackground, soon } from "#/src/model/background.ts";
import { forCaller } from "#/src/model/caller.ts";
import { type BdatCommand, BdatReader, parseBdat } from "./bdat-reader.ts";
import { DataReader } from "./data-reader.ts";
import { isRefusal, replyToError } from "./errors.ts";
import { heloName } from "./helo-name.ts";
import {
  commandsMax,
  dataBufferStartBytes,
  dataTimeoutMs,
  drainBytesMax,
  lingerMs,
  loginTimeoutMs,
  refusedRecipientsMax,
  uncountedChunkBytes,
} from "./limits.ts";
import { parseMail, parseRcpt } from "./mail-commands.ts";
import { logMessage, logRefusal } from "./mail-log.ts";
import type { MailPort } from "./mail-port.ts";
import { MailStream } from "./mail-stream.ts";
import {
  addRecipient,
  beginMailTransaction,
  errorOfProblem,
  type MailTransaction,
  type Taken,
  takeMessage,
} from "./mail-transaction.ts";
import { MessageMemory } from "./message-memory.ts";
import type { MessageOctets, MessageOptions } from "./message-octets.ts";
import { formatReply, Refusal, type Reply, reply } from "./reply.ts";

type Callback = () => void;

export interface AcceptedConnection {
  readonly socket: Socket;
  /** The accepted socket, or the encryption around it. */
  readonly carrier: Socket | TLSSocket;
  readonly place: ConnectionPlace;
}

const turns = new LoopTurns();
const nobodyGoes = new AbortController().signal;

export class MailConnection extends SMTPConnection {
  readonly #port: MailPort;
  readonly #accepted: Socket;
  readonly #place: ConnectionPlace;
  #onGone: () => void = () => {};
  #transaction: MailTransaction | undefined;
  /** The message that comes; between the chunks of BDAT, too. */
  #reader: MessageOctets | undefined;
  readonly #memory: MessageMemory;
  #dataTimer: NodeJS.Timeout | undefined;
  #commandTimer: NodeJS.Timeout | undefined;
  #loginTimer: NodeJS.Timeout | undefined;
  #transactionCount = 0;
  #commandCount = 0;
  #refusedRecipientCount = 0;
  /** Octets of chunks that belonged to no message, since the last message. */
  #skippedBytes = 0;
  #isEnding = false;
  readonly #watched = new WeakSet<Socket>();

  constructor(port: MailPort, server: SMTPServer, { socket, carrier, place }: AcceptedConnection) {
    super(server, carrier, { id: newRequestDigits() });
    this.#port = port;
    this.#accepted = socket;
    this.#place = place;
    port.places.set(this.session, place);
    this.#memory = new MessageMemory(
      port.receiving,
      () => place.owner,
      (outcome) => {
        this.#reader?.giveUp();
        this.#send(outcome);
      },
    );
    // Peers that disconnect and handshakes that fail: the daemon can only log them.
    const onFailure = handshakeLog(port.rooms.log, port.name, this.remoteAddress);
    this.on("error", (error: NodeJS.ErrnoException) => {
      const { log } = port.rooms;
      if (this._upgrading) onFailure(error.code ?? error.message);
      else log.debug({ err: error, listener: port.name }, "connection broke");
    });
  }

  /** Serves the peer until one side closes. When `signal` aborts, the connection is ended: at once, or, while a command runs or a
   *  message is being stored, after its reply. */
  async serve(signal: AbortSignal): Promise<void> {
    const end = (): void => {
      this.#isEnding = true;
      if (!this._handlerPending) this.#sayGoodbye();
    };
    signal.addEventListener("abort", end, { once: true });
    this.#yieldPlace();
    // The package times silence. This timer is for peers that send an octet now and then.
    this.#commandTimer = every(this.#port.rooms.settings.smtp.idleTimeoutMs, () => {
      const isReading = this._parser !== false && (this._parser as MailStream).isReadingMessage;
      if (!this._handlerPending && !(isReading && this.#reader !== undefined))
        this.#send(reply(421, "4.4.2", "The command took too long to arrive"));
    });
    if (this.#port.isSubmission)
      this.#loginTimer = after(Math.min(loginTimeoutMs, this.#port.rooms.settings.smtp.idleTimeoutMs), () => {
        if (!this.#place.isClaimed) this.#send(reply(421, "4.4.2", "The login took too long"));
      });
    await new Promise<void>((resolve) => {
      this.#onGone = resolve;
      this.init();
      if (this._socket.closed) resolve();
    });
    clearInterval(this.#commandTimer);
    clearTimeout(this.#loginTimer);
    signal.removeEventListener("abort", end);
  }

  /** Lets this connection be ended when a new one finds no place: only before a login and not while its message is being stored.
   *  Connections that have been silent longest are ended first. */
  #yieldPlace(): void {
    this.#place.giveWay(() => this.#send(reply(421, "4.7.0", "Too many connections, try again later")));
  }

  override _createParser(): MailStream {
    const parser = new MailStream({ maxCommandLength: this._server.options.maxCommandLength });
    parser.oncommand = (command, callback) => this.#inTurn(() => this._onCommand(command, callback));
    parser.on("error", () => this.#send(reply(421, "5.5.6", "The command line is too long")));
    // The peer sends no more (RFC 9293 section 3.6), and what it has sent is answered. It may still read.
    parser.on("finish", () => {
      if (this._parser === parser) this.close();
    });
    return parser;
  }

  /** The package calls this with the socket, and with its encrypted side when a handshake begins. */
  override _armTimeout(socket: Socket = this._socket): void {
    super._armTimeout(socket);
    if (this.#watched.has(socket)) return;
    this.#watched.add(socket);
    // The package writes to a socket that is "open"; that of a peer that has ended its side is "writeOnly".
    Object.defineProperty(socket, "readyState", { get: () => (socket.writable ? "open" : "closed") });
    // A peer that ends its side during a handshake does not finish it.
    if (socket !== this._socket) socket.once("end", () => this._upgrading && socket.destroy());
  }

  /** A command, STARTTLS with its handshake among them, waits for its turn: many that arrive at once run over several turns of the loop. */
  #inTurn(run: () => void): void {
    if (!turns.isDue) run();
    else
      inBackground(async () => {
        await this.#forOwner(nextTurn);
        if (!this._socket.destroyed) run();
      });
  }

  override _onCommand(command: Buffer, callback?: Callback): void {
    this.#commandTimer?.refresh();
    this.#yieldPlace();
    if (++this.#commandCount > commandsMax + this.#port.rooms.settings.smtp.maxRecipients)
      this.#send(reply(421, "4.7.0", "Too many commands without a message"));
    else
      super._onCommand(command, () => {
        if (this.#isEnding) this.#sayGoodbye();
        callback?.();
      });
  }

  override _resetSession(): void {
    super._resetSession();
    this.#stopReceiving();
    this.#transaction = undefined;
  }

  override _onClose(): void {
    this.#stopReceiving();
    super._onClose();
    this.#onGone();
  }

  override upgrade(callback: Callback, secureCallback?: Callback): void {
    const context = this.#port.secureContext();
    this._server.secureContext.set("*", context);
    for (const [name, further] of contextsOfNames(context)) this._server.secureContext.set(name, further);
    super.upgrade(callback, () => {
      noteSecured(this.#accepted, this._socket as TLSSocket);
      secureCallback?.();
    });
  }

  /** Replies of one turn of the event loop are sent in one packet (RFC 2920 section 3.2), except the last one before a handshake. */
  override send(code: number, data?: string | string[] | null, context?: string | false): void {
    const socket = this._socket;
    if (code === 220) socket.uncork();
    else if (socket.writableCorked === 0) {
      socket.cork();
      soon(() => socket.uncork());
    }
    super.send(code, data, context);
  }

  override handler_EHLO(command: Buffer, callback: Callback): void {
    const name = heloName(command);
    if (name === undefined) this.#send(reply(501, "5.5.4", "The syntax is EHLO name"));
    else {
      this.hostNameAppearsAs = name;
      this._resetSession();
      const lines = [`${this.name} greets you`, ...this.#extensions()];
      this.send(250, lines, false);
    }
    callback();
  }

  #extensions(): string[] {
    const { isSubmission, rooms } = this.#port;
    const extensions = ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "DSN", "CHUNKING"];
    extensions.push(`SIZE ${rooms.settings.smtp.maxMessageBytes}`);
    // RFC 8689 section 2: offered over TLS only.
    extensions.push(this.secure ? "REQUIRETLS" : "STARTTLS");
    if (isSubmission && this.#isPrivate && !this.session.user) extensions.push("AUTH PLAIN LOGIN");
    return extensions;
  }

  /** Whether the connection is encrypted or does not leave this machine. */
  get #isPrivate(): boolean {
    return this.secure || isLoopbackAddress(this.remoteAddress);
  }

  override handler_AUTH(command: Buffer, callback: Callback): void {
    const refusal = this.#refusalOfAuth();
    if (refusal === undefined) super.handler_AUTH(command, callback);
    else {
      this.#send(refusal);
      callback();
    }
  }

  #refusalOfAuth(): Reply | undefined {
    if (!this.#port.isSubmission) return reply(502, "5.5.1", "No login on this port; submission has its own");
    if (this.#transaction !== undefined) return reply(503, "5.5.1", "No login inside a mail transaction");
    if (!this.#isPrivate) return reply(538, "5.7.11", "A login needs encryption: STARTTLS first");
    return undefined;
  }

  handler_EXPN(_command: Buffer, callback: Callback): void {
    this.#send(reply(502, "5.5.1", "Lists are not expanded"));
    callback();
  }

  override handler_MAIL(command: Buffer, callback: Callback): void {
    this.emitConnection();
    this.#answer("MAIL", callback, async () => {
      const { isSubmission, rooms } = this.#port;
      const principal = this.session.user as Principal | false | undefined;
      if (isSubmission && !principal) throw new Refusal(530, "5.7.0", "Authentication required");
      if (this.#transaction !== undefined)
        throw new Refusal(503, "5.5.1", "A mail transaction is open already");
      const mail = parseMail(command, { auth: isSubmission, requireTls: this.secure });
      this.#transaction = await beginMailTransaction(rooms, mail, this.#transport(mail.isUtf8));
      return reply(250, "2.1.0", "Sender accepted");
    });
  }

  override handler_RCPT(command: Buffer, callback: Callback): void {
    this.#answer("RCPT", callback, async () => {
      const transaction = this.#transaction;
      if (transaction === undefined) throw new Refusal(503, "5.5.1", "MAIL comes before RCPT");
      if (this.#reader !== undefined) throw new Refusal(503, "5.5.1", "The message has begun already");
      let to: string | undefined;
      try {
        const rcpt = parseRcpt(command, transaction.mail.isUtf8);
        to = rcpt.forwardPath.address;
        await addRecipient(this.#port.rooms, transaction, rcpt);
      } catch (error) {
        const { mail, transport } = transaction;
        const about = { id: transport.id, from: mail.reversePath.address, to };
        logRefusal(this.#port, this.remoteAddress, "RCPT", replyToError(error), about);
        if (++this.#refusedRecipientCount < refusedRecipientsMax) throw error;
        return reply(421, "4.7.0", "Too many refused recipients");
      }
      return reply(250, "2.1.5", "Recipient accepted");
    });
  }

  override handler_DATA(command: Buffer, callback: Callback): void {
    const transaction = this.#transaction;
    const parser = this._parser as MailStream | false;
    if (!parser) {
      callback();
      return;
    }
    if (command.toString("latin1").trim().length > 4)
      this.#send(reply(501, "5.5.4", "DATA takes no parameters"));
    else if (transaction === undefined || transaction.forwardPaths.size === 0)
      this.#send(reply(503, "5.5.1", "There is no recipient to send to"));
    // RFC 3030 section 2: the two are not mixed.
    else if (this.#reader !== undefined) this.#send(reply(503, "5.5.1", "The message has begun with BDAT"));
    else {
      const reader = new DataReader(this.#memoryOf(transaction));
      this.#receive(reader);
      parser.beginData(
        reader,
        (octets) => this.#watchData(reader, octets),
        (resume) => this.#finishData(reader, transaction, resume),
      );
      this.#send(reply(354, undefined, "End data with <CR><LF>.<CR><LF>"));
    }
    callback();
  }

  /** A chunk of the message (RFC 3030 section 2). Its octets are read whatever becomes of it; 250 to the last one means what 250 to
   *  the end of DATA does. */
  handler_BDAT(command: Buffer, callback: Callback): void {
    const parser = this._parser as MailStream | false;
    const chunk = parseBdat(command);
    const transaction = this.#transaction;
    if (!parser) callback();
    else if (chunk === undefined) {
      this.#send(reply(421, "5.5.4", "The syntax is BDAT octets [LAST]"));
      callback();
    } else if (transaction === undefined || transaction.forwardPaths.size === 0)
      this.#skipChunk(parser, chunk, callback);
    else {
      // Within a transaction only BDAT has begun a message.
      const reader = (this.#reader as BdatReader | undefined) ?? new BdatReader(this.#memoryOf(transaction));
      if (this.#reader === undefined) this.#receive(reader);
      reader.beginChunk(chunk.octets);
      let watchedBytes = 0;
      const watch = (octets: number): void => {
        watchedBytes += octets;
        this.#watchData(reader, octets);
      };
      const end = (resume: Callback): void => {
        watch(chunk.octets - watchedBytes);
        this.#endChunk(reader, transaction, chunk, resume);
      };
      if (chunk.octets === 0) end(callback);
      else {
        parser.beginData(reader, watch, end);
        callback();
      }
    }
  }

  #endChunk(
    reader: BdatReader,
    transaction: MailTransaction,
    { octets, isLast }: BdatCommand,
    resume: Callback,
  ): void {
    this.#commandTimer?.refresh();
    if (isLast) reader.endMessage();
    // A message that was refused has no further chunks: they find no transaction.
    if (isLast || reader.problem !== undefined) {
      this.#finishData(reader, transaction, resume);
      return;
    }
    if (octets >= uncountedChunkBytes) this.#commandCount--;
    this.#send(reply(250, "2.0.0", `${octets} octets received`));
    this._whenWritable(resume);
  }

  /** Reads the octets of a chunk that belongs to no message. */
  #skipChunk(parser: MailStream, { octets }: BdatCommand, callback: Callback): void {
    const answer = (resume: Callback): void => {
      this.#send(reply(503, "5.5.1", "There is no recipient to send to"));
      this._whenWritable(resume);
    };
    if (octets === 0) {
      answer(callback);
      return;
    }
    let left = octets;
    const read = (part: Uint8Array): number => {
      const used = Math.min(left, part.length);
      left -= used;
      this.#skippedBytes += used;
      return left === 0 ? used : -1;
    };
    const { maxMessageBytes } = this.#port.rooms.settings.smtp;
    const watch = (): void => {
      if (this.#skippedBytes > maxMessageBytes + drainBytesMax)
        this.#send(reply(421, "5.5.1", "Too many octets for no message"));
    };
    parser.beginData({ read }, watch, answer);
    callback();
  }

  #memoryOf({ mail }: MailTransaction): MessageOptions {
    return {
      limitBytes: this.#port.rooms.settings.smtp.maxMessageBytes,
      expectedBytes: Math.min(mail.sizeBytes ?? 0, dataBufferStartBytes),
      reserve: (bytes) => this.#memory.reserve(bytes),
      release: () => this.#memory.release(),
    };
  }

  #receive(reader: MessageOctets): void {
    this.#reader = reader;
    this.#dataTimer = after(dataTimeoutMs, () =>
      this.#send(reply(421, "4.4.2", "The message took too long to arrive")),
    ).unref();
  }

  /** A refused message is read to its end, up to `drainBytesMax`. */
  #watchData(reader: MessageOctets, octets: number): void {
    this.#memory.arrived(octets);
    this.#yieldPlace();
    const { maxMessageBytes } = this.#port.rooms.settings.smtp;
    if (reader.receivedBytes > maxMessageBytes + drainBytesMax)
      this.#send(reply(421, "5.3.4", `The message is larger than ${maxMessageBytes} octets`));
  }

  #stopReceiving(): void {
    clearTimeout(this.#dataTimer);
    this.#reader?.release();
    this.#reader = undefined;
  }

  /** The transaction ends with its message, whatever becomes of it (RFC 5321 section 4.1.1.4). */
  #finishData(reader: MessageOctets, transaction: MailTransaction, resume: Callback): void {
    clearTimeout(this.#dataTimer);
    this.#memory.complete();
    this.#place.giveWay(undefined);
    this.#commandTimer?.refresh();
    this.#reader = undefined;
    this._unrecognizedCommands = 0;
    this.#commandCount = 0;
    this.#skippedBytes = 0;
    // The peer now waits for this server, so the idle timeout must not run.
    this._handlerPending = true;
    this.#answer(
      "DATA",
      () => {
        this._handlerPending = false;
        this.#yieldPlace();
        if (this.#isEnding) this.#sayGoodbye();
        resume();
      },
      () => this.#store(reader, transaction),
    );
  }

  async #store(reader: MessageOctets, transaction: MailTransaction): Promise<Reply> {
    const { rooms } = this.#port;
    const { transport } = transaction;
    const size = reader.receivedBytes;
    const start = performance.now();
    let outcome: Reply;
    let cause: unknown;
    let taken: Taken | undefined;
    try {
      if (reader.problem !== undefined) throw errorOfProblem(rooms, reader.problem);
      taken = await this.#forOwner(() => takeMessage(rooms, transaction, reader.bytes()));
      // After an error a thread may still be given the octets.
      reader.doneWithBytes();
      const { hold } = taken;
      const words = hold === undefined ? "Accepted" : `Held for approval (${hold})`;
      outcome = reply(250, "2.6.0", `${words} as ${transport.id}`);
    } catch (error) {
      cause = error;
      outcome = replyToError(error);
    } finally {
      reader.release();
      this._resetSession();
    }
    logMessage(this.#port, transaction, { size, startedAt: start, outcome, taken, cause });
    return outcome;
  }

  /** Work for the connection takes the turns of its network or mailbox. A message that has been received completely is stored even
   *  if the peer has gone. */
  #forOwner<T>(work: () => Promise<T>): Promise<T> {
    return forCaller(nobodyGoes, work, () => this.#place.owner);
  }

  #transport(isUtf8: boolean): Transport {
    const { isSubmission } = this.#port;
    return {
      source: isSubmission ? "submission" : "smtp",
      remoteAddress: this.remoteAddress,
      heloName: this.hostNameAppearsAs || "",
      isEsmtp: this.openingCommand === "EHLO",
      isTls: this.secure,
      isUtf8,
      id: `${this.id}-${++this.#transactionCount}`,
      principal: isSubmission ? (this.session.user as Principal) : undefined,
    };
  }

  /** Runs a command and answers it; the next one waits for the reply. */
  #answer(command: "MAIL" | "RCPT" | "DATA", callback: Callback, run: () => Promise<Reply>): void {
    run()
      .catch((error: unknown) => {
        if (!isRefusal(error)) this.#port.rooms.log.error({ err: error, id: this.id }, "command failed");
        const outcome = replyToError(error);
        if (command === "MAIL") logRefusal(this.#port, this.remoteAddress, command, outcome, { id: this.id });
        return outcome;
      })
      .then((outcome) => {
        this.#send(outcome);
        callback();
      })
      .catch((error: unknown) => {
        this.#port.rooms.log.error({ err: error, id: this.id }, "connection failed");
        this._socket.destroy();
      });
  }

  #send(outcome: Reply): void {
    if (outcome.code === 421 && !this.#isEnding)
      logRefusal(this.#port, this.remoteAddress, "connection", outcome, { id: this.id });
    // With false, the package does not add status codes of its own.
    this.send(outcome.code, formatReply(outcome).slice(4), false);
  }

  #sayGoodbye(): void {
    if (this._upgrading) {
      // No reply can be sent during a handshake.
      this.#accepted.destroy();
      return;
    }
    const socket = this._socket;
    const linger = (): void => void after(lingerMs, () => socket.destroy());
    this.#send(reply(421, "4.3.2", `${this.name} is shutting down`));
    if (socket.writableFinished) linger();
    else socket.once("finish", linger);
  }
}
