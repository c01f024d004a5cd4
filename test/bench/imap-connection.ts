/** A bare IMAP client for load. It cuts responses into frames as they arrive, which costs little, and the caller parses them later,
 *  so that parsing does not count in the measured time. */
import net from "node:net";

/** One response: its text, with `{n}` for each literal, and the literals. */
export interface Frame {
  readonly text: string;
  readonly literals: readonly Buffer[];
}

export interface Answer {
  readonly frames: readonly Frame[];
  readonly status: string;
}

interface Waiting {
  readonly tag: string;
  readonly what: string;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  onContinue?: (() => void) | undefined;
}

export class ImapConnection {
  readonly #socket: net.Socket;
  readonly #waiting: Waiting[] = [];
  #frames: Frame[] = [];
  #text = "";
  #literals: Buffer[] = [];
  #rest: Buffer | undefined;
  #missing = 0;
  #pieces: Buffer[] = [];
  #lastTag = 0;
  #failure: Error | undefined;
  /** Called with every untagged response as it arrives. */
  onFrame: ((frame: Frame) => void) | undefined;

  constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  static async open(
    server: { readonly host: string; readonly port: number },
    user: { readonly address: string; readonly password: string },
  ): Promise<ImapConnection> {
    const socket = net.connect({ host: server.host, port: server.port, noDelay: true });
    const connection = new ImapConnection(socket);
    await new Promise<void>((resolve, reject) => {
      connection.onFrame = () => resolve();
      socket.once("error", reject);
    });
    connection.onFrame = undefined;
    connection.#frames = [];
    await connection.command(`LOGIN "${user.address}" "${user.password}"`);
    return connection;
  }

  /** Sends a command: its texts, with messages between them as literals. Rejects unless the answer is OK. */
  command(...parts: readonly (string | Buffer)[]): Promise<Answer> {
    const tag = `a${++this.#lastTag}`;
    const answer = this.#await(tag, String(parts[0]).slice(0, 100));
    this.#socket.cork();
    this.#socket.write(`${tag} `);
    for (const part of parts) {
      if (typeof part === "string") this.#socket.write(part, "latin1");
      else {
        this.#socket.write(`{${part.length}+}\r\n`);
        this.#socket.write(part);
      }
    }
    this.#socket.write("\r\n");
    this.#socket.uncork();
    return answer;
  }

  /** Begins IDLE. The returned function ends it. */
  async idle(): Promise<() => Promise<Answer>> {
    const tag = `a${++this.#lastTag}`;
    const answer = this.#await(tag, "IDLE");
    await new Promise<void>((resolve, reject) => {
      this.#waiting.at(-1)!.onContinue = resolve;
      answer.catch(reject);
      this.#socket.write(`${tag} IDLE\r\n`);
    });
    return () => {
      this.#socket.write("DONE\r\n");
      return answer;
    };
  }

  close(): void {
    this.#waiting.length = 0;
    this.#socket.destroy();
  }

  #await(tag: string, what: string): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tag, what, resolve, reject });
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const waiting of this.#waiting.splice(0)) waiting.reject(error);
  }

  #read(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing > 0) {
        const piece = chunk.subarray(at, at + this.#missing);
        this.#pieces.push(piece);
        this.#missing -= piece.length;
        at += piece.length;
        if (this.#missing === 0) this.#literals.push(Buffer.concat(this.#pieces.splice(0)));
        continue;
      }
      const end = chunk.indexOf(10, at);
      if (end < 0) {
        const rest = chunk.subarray(at);
        this.#rest = this.#rest === undefined ? rest : Buffer.concat([this.#rest, rest]);
        return;
      }
      const tail = chunk.toString("latin1", at, end + 1);
      const line = this.#rest === undefined ? tail : this.#rest.toString("latin1") + tail;
      this.#rest = undefined;
      at = end + 1;
      this.#text += line.slice(0, -2);
      const size = line.endsWith("}\r\n") ? /\{(\d+)\}\r\n$/.exec(line)?.[1] : undefined;
      if (size === undefined) this.#finish();
      else if (size === "0") this.#literals.push(Buffer.alloc(0));
      else this.#missing = Number(size);
    }
  }

  #finish(): void {
    const frame = { text: this.#text, literals: this.#literals };
    this.#text = "";
    this.#literals = [];
    if (frame.text.startsWith("* ")) {
      this.#frames.push(frame);
      this.onFrame?.(frame);
      return;
    }
    const waiting = this.#waiting[0];
    if (frame.text.startsWith("+")) {
      waiting?.onContinue?.();
      return;
    }
    if (waiting === undefined || !frame.text.startsWith(`${waiting.tag} `)) {
      this.#fail(new Error(`unexpected: ${frame.text.slice(0, 200)}`));
      return;
    }
    this.#waiting.shift();
    const frames = this.#frames;
    this.#frames = [];
    const status = frame.text.slice(waiting.tag.length + 1);
    if (status.startsWith("OK")) waiting.resolve({ frames, status });
    else waiting.reject(new Error(`${waiting.what}: ${status}`));
  }
}
