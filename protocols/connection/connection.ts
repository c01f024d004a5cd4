/** One connection for a line-based protocol: bounded reads of lines and octets, writes that wait for the peer, TLS, an idle timeout.
 *  The socket is read only when the protocol asks for input. So a peer that sends too fast fills its own send buffer, and memory here
 *  does not grow. */
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { after } from "#/src/model/background.ts";
import { CallerGone } from "#/src/model/caller.ts";
import { giveBackMemory, takeMemory } from "#/src/model/octet-memory.ts";
import { Compression } from "./compression.ts";
import { secureSocket } from "./secure-socket.ts";

export interface ConnectionOptions {
  /** The connection is closed after this time without input. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Gives the context of a TLS handshake when it begins, for STARTTLS and for TLS from the first byte. */
  readonly secureContext?: () => SecureContext;
  /** Called with the reason of a failed handshake. */
  readonly onHandshakeFailure?: (reason: string) => void;
}

/** `inflated`: compressed input expanded more than is reasonable. `slow`: input came below the lowest rate. `crowded`: others needed
 *  the place or the memory. `overdue`: the answer took too long. */
export type ClosedReason = "gone" | "timeout" | "aborted" | "inflated" | "slow" | "crowded" | "overdue";

/** The peer has closed the connection or was silent too long, or this side has ended it. */
export class ConnectionClosed extends CallerGone {
  readonly reason: ClosedReason;
  constructor(reason: ClosedReason) {
    super(`connection closed (${reason})`);
    this.name = "ConnectionClosed";
    this.reason = reason;
  }
}

/** A line is longer than its limit. The part that was read is discarded; the connection can only be answered once more and closed. */
export class LineTooLong extends Error {
  constructor(limitBytes: number) {
    super(`line of more than ${limitBytes} octets`);
    this.name = "LineTooLong";
  }
}

const lineFeed = 10;
const carriageReturn = 13;
const noBytes: Buffer = Buffer.alloc(0);
const drained = Promise.resolve();

export class Connection {
  readonly remoteAddress: string;
  #socket: Socket;
  /** Octets that were read from the socket and not yet requested. */
  #pending: Buffer = noBytes;
  #timeoutMs: number;
  #closed: ConnectionClosed | undefined;
  /** A reader and a writer may wait at once (IDLE). */
  readonly #signal: AbortSignal | undefined;
  readonly #secureContext: (() => SecureContext) | undefined;
  readonly #onHandshakeFailure: ((reason: string) => void) | undefined;
  /** And until when each may wait. */
  readonly #waiters = new Map<() => void, number>();
  /** One timer for all waits, most of which are short. */
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  readonly #gone = new AbortController();
  #isEnded = false;
  #compression: Compression | undefined;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#secureContext = options.secureContext;
    this.#onHandshakeFailure = options.onHandshakeFailure;
    this.#timeoutMs = options.timeoutMs;
    this.remoteAddress = socket.remoteAddress ?? "";
    this.#attach();
    this.#signal = options.signal;
    this.#signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  get isEncrypted(): boolean {
    return this.#socket instanceof TLSSocket;
  }

  /** The `tls-exporter` channel binding (RFC 9266). Only with TLS 1.3: in earlier versions it is unique only with an extended master
   *  secret, and Node does not tell whether there is one. */
  get channelBinding(): Buffer | undefined {
    const socket = this.#socket;
    if (!(socket instanceof TLSSocket) || socket.getProtocol() !== "TLSv1.3") return undefined;
    return socket.exportKeyingMaterial(32, "EXPORTER-Channel-Binding", Buffer.alloc(0));
  }

  get isCompressed(): boolean {
    return this.#compression !== undefined;
  }

  /** Whether the peer is this machine. */
  get isLoopback(): boolean {
    return isLoopbackAddress(this.remoteAddress);
  }

  /** Whether the peer is known to have gone, without reading. */
  get isClosed(): boolean {
    return this.#closed !== undefined || this.#socket.destroyed;
  }

  /** Aborts with the same `ConnectionClosed` that readers and writers get. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  set timeoutMs(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** One line without its line end (CRLF, or a bare LF as people type it), one character for one octet. The whole line has to arrive
   *  within the timeout, so that an octet now and then does not keep the connection open. */
  async readLine(limitBytes: number): Promise<string> {
    let scanned = 0;
    const deadline = performance.now() + this.#timeoutMs;
    for (;;) {
      const at = this.#pending.indexOf(lineFeed, scanned);
      const length = at < 0 ? this.#pending.length : at;
      if (length > limitBytes + 1) {
        this.#pending = noBytes;
        throw new LineTooLong(limitBytes);
      }
      if (at >= 0) {
        const end = at > 0 && this.#pending[at - 1] === carriageReturn ? at - 1 : at;
        const line = this.#pending.toString("latin1", 0, end);
        this.#pending = this.#pending.subarray(at + 1);
        return line;
      }
      scanned = this.#pending.length;
      await this.#fill(deadline - performance.now());
    }
  }

  /** Reads exactly `count` octets and reports them as they come. The caller has reserved memory for large counts. */
  async readBytes(count: number, onArrived: (octets: number) => void = () => {}): Promise<Buffer> {
    const bytes = takeMemory(count);
    let length = 0;
    try {
      await this.#take(count, (piece) => {
        length += piece.copy(bytes, length);
        onArrived(piece.length);
      });
    } catch (error) {
      giveBackMemory(bytes);
      throw error;
    }
    return bytes;
  }

  /** Reads `count` octets and discards them. */
  async discardBytes(count: number): Promise<void> {
    await this.#take(count, () => {});
  }

  async #take(count: number, use: (piece: Buffer) => void): Promise<void> {
    let left = count;
    while (left > 0) {
      if (this.#pending.length === 0) await this.#fill();
      const piece = this.#pending.subarray(0, left);
      this.#pending = this.#pending.subarray(piece.length);
      left -= piece.length;
      use(piece);
    }
  }

  /** Resolves when the socket accepts more data. The connection is closed after the timeout if the peer does not read. */
  write(data: string | Uint8Array): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    if (this.#compression !== undefined) return this.#compression.write(data).then(() => this.#whenDrained());
    if (typeof data === "string") this.#socket.write(data, "latin1");
    else this.#socket.write(data);
    return this.#whenDrained();
  }

  #whenDrained(): Promise<void> {
    if (!this.#socket.writableNeedDrain) return drained;
    return this.#wait(() => !this.#socket.writableNeedDrain);
  }

  /** Whether the system has taken everything that was written, so that its memory can be used for something else. */
  get hasSentAll(): boolean {
    return this.#compression === undefined && this.#socket.writableLength === 0;
  }

  /** Ends the connection from this side: readers and writers get the reason, and `gone` aborts. */
  giveUp(reason: ClosedReason): void {
    this.#close(new ConnectionClosed(reason));
  }

  /** Does a TLS handshake as the server. Plain text that the peer sent before it is given to the handshake, which then fails: no
   *  plain text gets into the encrypted part (RFC 9051 section 6.2.1). */
  async startTls(): Promise<void> {
    const secureContext = this.#secureContext;
    if (secureContext === undefined) throw new TypeError("the connection was made without a secure context");
    if (this.isClosed) throw this.#closed ?? new ConnectionClosed("gone");
    this.#detach();
    const plain = this.#socket;
    if (this.#pending.length > 0) plain.unshift(this.#pending);
    this.#pending = noBytes;
    const secure = secureSocket(plain, {
      secureContext: secureContext(),
      onFailure: this.#onHandshakeFailure,
    });
    this.#socket = secure;
    this.#attach();
    let isSecure = false;
    secure.once("secure", () => {
      isSecure = true;
      this.#onProgress();
    });
    await this.#wait(() => isSecure);
  }

  /** From now on both sides compress (RFC 4978). Octets that were received and not read yet count as compressed. */
  startCompression(): void {
    const compression = new Compression({
      send: (chunk) => this.#socket.write(chunk),
      onProgress: this.#onProgress,
      onBroken: this.#onGone,
    });
    if (this.#pending.length > 0) compression.feed(this.#pending);
    this.#pending = noBytes;
    this.#compression = compression;
  }

  /** From now on neither side compresses. */
  async stopCompression(): Promise<void> {
    const compression = this.#compression;
    if (compression === undefined) return;
    const rest = await compression.end();
    this.#compression = undefined;
    this.#pending = Buffer.concat([this.#pending, rest]);
  }

  /** Sends pending output and `lastWord`, if the peer accepts them soon, and closes. */
  async end(lastWord = ""): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#unwatch();
    this.#signal?.removeEventListener("abort", this.#onAbort);
    const socket = this.#socket;
    if (!socket.destroyed) await this.#sendLastWord(socket, lastWord);
    this.#compression?.destroy();
    socket.destroy();
  }

  async #sendLastWord(socket: Socket, lastWord: string): Promise<void> {
    const isSpoken = lastWord !== "" && socket.writable;
    if (isSpoken && this.#compression !== undefined) await this.#compression.write(lastWord);
    await new Promise<void>((resolve) => {
      const timer = after(lastWordMs, resolve);
      socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      if (isSpoken && this.#compression === undefined) socket.write(lastWord, "latin1");
      socket.end();
      // Further input is discarded: closing must not wait for a peer that goes on sending.
      socket.resume();
      socket.once("finish", () => after(lingerMs, () => socket.destroy()));
    });
  }

  async #fill(timeoutMs = this.#timeoutMs): Promise<void> {
    for (;;) {
      const chunk = this.#read();
      if (chunk !== null) {
        this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
        return;
      }
      let hasWoken = false;
      await this.#wait(() => {
        const isReady = hasWoken || (this.#compression === undefined && this.#socket.readableLength > 0);
        hasWoken = true;
        return isReady;
      }, timeoutMs);
    }
  }

  #read(): Buffer | null {
    const compression = this.#compression;
    if (compression === undefined) return this.#socket.read() as Buffer | null;
    const inflated = compression.read();
    if (compression.isExcessive) this.#close(new ConnectionClosed("inflated"));
    if (compression.isOver) this.#close(new ConnectionClosed("gone"));
    if (inflated !== null || !compression.isHungry) return inflated;
    const compressed = this.#socket.read() as Buffer | null;
    if (compressed !== null) compression.feed(compressed);
    return null;
  }

  /** Waits until `isDone` is true. It is called at once, and then at every event of the socket. */
  async #wait(isDone: () => boolean, timeoutMs = this.#timeoutMs): Promise<void> {
    if (this.#closed !== undefined) throw this.#closed;
    if (isDone()) return;
    await new Promise<void>((resolve, reject) => {
      const waiter = (): void => {
        if (this.#closed === undefined && !isDone()) return;
        this.#waiters.delete(waiter);
        if (this.#closed === undefined) resolve();
        else reject(this.#closed);
      };
      const until = performance.now() + timeoutMs;
      this.#waiters.set(waiter, until);
      this.#watch(until);
    });
  }

  #watch(until: number): void {
    if (until >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = until;
    this.#timer = after(Math.max(0, until - performance.now()), this.#onTime);
  }

  #unwatch(): void {
    clearTimeout(this.#timer);
    this.#timerAt = Number.POSITIVE_INFINITY;
  }

  readonly #onTime = (): void => {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const first = Math.min(...this.#waiters.values());
    // A timer may be a millisecond early.
    if (first - performance.now() < 1) this.#close(new ConnectionClosed("timeout"));
    else if (this.#waiters.size > 0) this.#watch(first);
  };

  #close(closed: ConnectionClosed): void {
    this.#closed ??= closed;
    this.#unwatch();
    this.#gone.abort(this.#closed);
    this.#onProgress();
  }

  readonly #onProgress = (): void => {
    for (const waiter of [...this.#waiters.keys()]) waiter();
  };
  readonly #onAbort = (): void => this.#close(new ConnectionClosed("aborted"));
  readonly #onGone = (): void => this.#close(new ConnectionClosed("gone"));

  #attach(): void {
    const socket = this.#socket;
    socket.on("readable", this.#onProgress);
    socket.on("drain", this.#onProgress);
    socket.on("end", this.#onGone);
    socket.on("error", this.#onGone);
    socket.on("close", this.#onGone);
  }

  #detach(): void {
    const socket = this.#socket;
    socket.off("readable", this.#onProgress);
    socket.off("drain", this.#onProgress);
    socket.off("end", this.#onGone);
    socket.off("close", this.#onGone);
  }
}

/** How long sending the last response may take. */
const lastWordMs = 5000;
/** How long octets that a peer sends after the last response are still read, so that a TCP reset does not discard that response. */
const lingerMs = 200;

export function isLoopbackAddress(address: string): boolean {
  const plain = address.startsWith("::ffff:") ? address.slice(7) : address;
  return plain === "::1" || plain.startsWith("127.");
}
