/** Conversations with a line protocol, written as scripts: what clients send and what the server answers, for several sessions.
 *
 *      C: a1 NOOP            the client sends a line
 *      C-: a1 APPEND x {3+}  … without a line end
 *      S: a1 OK {{*}}        the next line of the server
 *      S*: a1 OK {{*}}       a later line; the lines before it are skipped
 *      S#: EXISTS            the next S* must not skip a line with this text
 *      C2: …  S2: …          another session; it is opened at its first line
 *      TLS2                  the session makes a TLS handshake
 *      DEFLATE2              the session compresses from now on
 *      RAW2                  both sides have ended the compression
 *      CLOSED2               the server closes and sends nothing more
 *      DO name               runs the action of this name from the options
 *      # …                   a comment
 *
 *  With WAYPOST_SPLIT=seed in the environment, every script cuts what its clients send into random pieces.
 *
 *  In `S` lines, `{{*}}` matches any text, `{{name:regex}}` keeps the text that it matches, and `{{=name}}` is the kept text
 *  (also in `C` lines). Text is UTF-8; write `\x00`, `\r` and `\n` for these octets. The script must have every line of the server. */
import net from "node:net";
import tls from "node:tls";
import zlib from "node:zlib";
import { expect } from "vitest";

/** It ends what hangs, and judges nothing: a busy machine is silent for long. */
const defaultTimeoutMs = 60_000;

export interface ConversationOptions {
  readonly host?: string;
  readonly port: number;
  readonly timeoutMs?: number;
  /** Values for `{{=name}}` when the script begins. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The actions that `DO name` runs. */
  readonly actions?: Readonly<Record<string, () => Promise<unknown>>>;
  /** Cuts what a client sends into pieces that are written one after the other. */
  readonly split?: (bytes: Buffer) => readonly Buffer[];
}

const splitAsTold =
  process.env.WAYPOST_SPLIT === undefined ? undefined : splitter(Number(process.env.WAYPOST_SPLIT));

/** Cuts octets into pieces. The sizes follow from the seed; half of the pieces have one octet. */
function splitter(seed: number): (bytes: Buffer) => readonly Buffer[] {
  let state = seed >>> 0;
  return (bytes) => {
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      // Long texts are cut into larger pieces, so that megabytes do not take minutes.
      const sizeMax = Math.max(40, bytes.length >>> 8);
      const size = state >>> 31 === 0 && bytes.length < 10_000 ? 1 : 1 + ((state >>> 8) % sizeMax);
      pieces.push(bytes.subarray(at, at + size));
      at += size;
    }
    return pieces;
  };
}

const bareStep = /^(TLS|CLOSED|DEFLATE|RAW)(\d*)$/;
const spokenStep = /^(C|S)(\d*)([-*#]?):(?: (.*))?$/;

/** Runs the script and returns the values that it kept. */
export async function converse(
  script: string,
  options: ConversationOptions,
): Promise<Readonly<Record<string, string>>> {
  const variables: Record<string, string> = { ...options.variables };
  const sessions = new Map<string, ScriptSession>();
  const sessionOf = (number: string): ScriptSession => {
    const session = sessions.get(number) ?? new ScriptSession(options);
    sessions.set(number, session);
    return session;
  };
  try {
    for (const [index, raw] of script.split("\n").entries()) {
      const line = raw.trim();
      if (line === "" || line.startsWith("#")) continue;
      try {
        const action = /^DO (\w+)$/.exec(line)?.[1];
        if (action !== undefined) await options.actions![action]!();
        else await carryOut(line, sessionOf, variables);
      } catch (error) {
        throw new Error(`line ${index + 1}: ${line}\n${(error as Error).message}`);
      }
    }
    const unread = [...sessions].map(([number, session]) => [number, session.unread()]);
    expect(
      unread.filter(([, rest]) => rest !== ""),
      "sessions that have more to say",
    ).toEqual([]);
    return variables;
  } finally {
    for (const session of sessions.values()) session.destroy();
  }
}

async function carryOut(
  line: string,
  sessionOf: (number: string) => ScriptSession,
  variables: Record<string, string>,
): Promise<void> {
  const spoken = spokenStep.exec(line);
  if (spoken === null) {
    const [, verb, number = ""] = bareStep.exec(line) ?? [];
    if (verb === "TLS") return sessionOf(number).startTls();
    if (verb === "CLOSED") return sessionOf(number).expectClosed();
    if (verb === "DEFLATE") return sessionOf(number).startDeflate();
    if (verb === "RAW") return sessionOf(number).endDeflate();
    throw new Error("no step of a script");
  }
  const [, side, number = "", mark, text = ""] = spoken;
  const session = sessionOf(number);
  if (side === "C") {
    const filled = text.replace(/\{\{=(\w+)\}\}/g, (_match, name: string) => variables[name] ?? "");
    return session.send(octetsOf(filled) + (mark === "-" ? "" : "\r\n"));
  }
  if (mark === "#") {
    session.forbidden.push(text);
    return;
  }
  return session.expect(patternOf(text, variables), mark === "*", variables);
}

class ScriptSession {
  /** Texts of `S#`, which the next `S*` must not skip. */
  readonly forbidden: string[] = [];
  #socket: net.Socket;
  readonly #timeoutMs: number;
  readonly #split: (bytes: Buffer) => readonly Buffer[];
  #received = "";
  #isClosed = false;
  #deflate: zlib.DeflateRaw | undefined;
  #inflate: zlib.InflateRaw | undefined;
  /** The last two octets of the compressed data that was received. */
  #deflated: Buffer = Buffer.alloc(0);
  #wake = (): void => {};

  constructor(options: ConversationOptions) {
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#split = options.split ?? splitAsTold ?? ((bytes) => [bytes]);
    this.#socket = net.connect({ host: options.host ?? "127.0.0.1", port: options.port, noDelay: true });
    this.#listen();
  }

  async send(text: string): Promise<void> {
    for (const piece of this.#split(Buffer.from(text))) {
      if (this.#deflate === undefined) this.#socket.write(piece);
      else {
        this.#deflate.write(piece);
        this.#deflate.flush(zlib.constants.Z_SYNC_FLUSH);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async expect(pattern: RegExp, mayPass: boolean, variables: Record<string, string>): Promise<void> {
    for (;;) {
      const line = await this.#readLine();
      const match = pattern.exec(line);
      if (match !== null) {
        Object.assign(variables, match.groups);
        this.forbidden.length = 0;
        return;
      }
      if (!mayPass) throw new Error(`the server says ${JSON.stringify(line)}`);
      const forbidden = this.forbidden.find((text) => line.includes(text));
      if (forbidden !== undefined) throw new Error(`the server says ${JSON.stringify(line)}`);
    }
  }

  async startTls(): Promise<void> {
    this.#socket.removeAllListeners();
    const secure = tls.connect({ socket: this.#socket, rejectUnauthorized: false });
    this.#socket = secure;
    await new Promise<void>((resolve, reject) => {
      secure.once("secureConnect", () => resolve());
      secure.once("error", reject);
      secure.once("close", () => reject(new Error("closed in the TLS handshake")));
    });
    this.#listen();
  }

  startDeflate(): void {
    const inflate = zlib.createInflateRaw();
    this.#inflate = inflate;
    this.#deflate = zlib.createDeflateRaw();
    this.#deflate.on("data", (chunk: Buffer) => this.#socket.write(chunk));
    inflate.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
    this.#socket.removeAllListeners("data");
    this.#socket.on("data", (chunk: Buffer) => {
      inflate.write(chunk);
      this.#deflated = Buffer.concat([this.#deflated, chunk]).subarray(-2);
      this.#wake();
    });
  }

  async endDeflate(): Promise<void> {
    // The empty last block (RFC 1951 section 3.2.3). zlib does not report it.
    await this.#until(() => this.#deflated.equals(Buffer.from([3, 0])));
    this.#deflate = undefined;
    this.#inflate = undefined;
    this.#socket.removeAllListeners();
    this.#listen();
  }

  async expectClosed(): Promise<void> {
    await this.#until(() => this.#isClosed);
    if (this.#received !== "") throw new Error(`before it closes, the server says ${this.unread()}`);
  }

  unread(): string {
    return this.#received;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.toString("latin1");
      this.#wake();
    });
    const onClose = (): void => {
      const close = (): void => {
        this.#isClosed = true;
        this.#wake();
      };
      if (this.#inflate === undefined) close();
      else this.#inflate.flush(close);
    };
    this.#socket.on("error", onClose);
    this.#socket.on("close", onClose);
  }

  async #readLine(): Promise<string> {
    await this.#until(() => this.#received.includes("\n") || this.#isClosed);
    const end = this.#received.indexOf("\n");
    if (end < 0) throw new Error(`the server closed, having said ${JSON.stringify(this.#received)}`);
    const line = this.#received.slice(0, end).replace(/\r$/, "");
    this.#received = this.#received.slice(end + 1);
    return Buffer.from(line, "latin1").toString("utf8");
  }

  async #until(isDone: () => boolean): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`nothing more after ${JSON.stringify(this.#received)}`)),
        this.#timeoutMs,
      );
    });
    try {
      while (!isDone()) {
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        await Promise.race([woken, timeout]);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

function patternOf(text: string, variables: Readonly<Record<string, string>>): RegExp {
  const parts = text.split(/(\{\{.*?\}\})/).map((part) => {
    const [, inner] = /^\{\{(.*)\}\}$/.exec(part) ?? [];
    if (inner === undefined) return RegExp.escape(octetsOf(part));
    if (inner === "*") return ".*";
    if (inner.startsWith("=")) return RegExp.escape(variables[inner.slice(1)] ?? "");
    const [, name, regex] = /^(\w+):(.*)$/.exec(inner) ?? [];
    if (name === undefined) throw new Error(`no placeholder: ${part}`);
    return `(?<${name}>${regex})`;
  });
  return new RegExp(`^${parts.join("")}$`, "s");
}

function octetsOf(text: string): string {
  return text
    .replaceAll("\\r", "\r")
    .replaceAll("\\n", "\n")
    .replace(/\\x([0-9a-f]{2})/g, (_match, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
