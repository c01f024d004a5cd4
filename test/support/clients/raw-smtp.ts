import net from "node:net";
import tls from "node:tls";

/** A bare SMTP client: it sends what it is given unchanged and does not judge the replies. */
export interface RawSmtp extends AsyncDisposable {
  /** Writes octets (text as latin1) and waits for this number of replies. The lines of one reply are joined by "\n". */
  send(data: string | Uint8Array, replies?: number): Promise<string[]>;
  /** Sends one command and waits for one reply. */
  command(line: string): Promise<string>;
  /** The next reply, or "closed". */
  reply(): Promise<string>;
  /** Makes the TLS handshake on the open connection. */
  secure(): Promise<void>;
  /** Closes the connection at once, without QUIT. */
  destroy(): void;
}

export interface RawSmtpOptions {
  readonly host?: string;
  readonly port: number;
  /** TLS from the first octet. */
  readonly isTls?: boolean;
  /** Waits for the greeting before it resolves. */
  readonly isGreeted?: boolean;
  /** The local address of the connection. */
  readonly localAddress?: string | undefined;
}

export async function connectRawSmtp(options: RawSmtpOptions): Promise<RawSmtp> {
  const { host = "127.0.0.1", port, isTls = false, isGreeted = true, localAddress } = options;
  const from = localAddress === undefined ? {} : { localAddress };
  let socket: net.Socket = isTls
    ? tls.connect({ host, port, rejectUnauthorized: false, ...from })
    : net.connect({ host, port, noDelay: true, ...from });
  let buffered = "";
  let lines: string[] = [];
  const ready: string[] = [];
  const waiting: ((reply: string) => void)[] = [];
  let isClosed = false;

  function give(reply: string): void {
    const waiter = waiting.shift();
    if (waiter) waiter(reply);
    else ready.push(reply);
  }

  function read(chunk: Buffer): void {
    buffered += chunk.toString("latin1");
    for (let end = buffered.indexOf("\r\n"); end >= 0; end = buffered.indexOf("\r\n")) {
      const line = buffered.slice(0, end);
      buffered = buffered.slice(end + 2);
      lines.push(line);
      if (/^\d{3}-/.test(line)) continue;
      give(lines.join("\n"));
      lines = [];
    }
  }

  function attach(): void {
    socket.on("data", read);
    socket.on("error", () => {});
    socket.on("close", () => {
      isClosed = true;
      for (const waiter of waiting.splice(0)) waiter("closed");
    });
  }

  const client: RawSmtp = {
    async send(data, replies = 1) {
      socket.write(typeof data === "string" ? Buffer.from(data, "latin1") : data);
      const got: string[] = [];
      for (let count = 0; count < replies; count++) got.push(await client.reply());
      return got;
    },
    async command(line) {
      return (await client.send(`${line}\r\n`))[0]!;
    },
    reply() {
      const reply = ready.shift();
      if (reply !== undefined) return Promise.resolve(reply);
      if (isClosed) return Promise.resolve("closed");
      return new Promise((resolve) => waiting.push(resolve));
    },
    async secure() {
      socket.removeAllListeners("data");
      const secured = tls.connect({ socket, rejectUnauthorized: false });
      await new Promise<void>((resolve, reject) => {
        secured.once("secureConnect", resolve);
        secured.once("error", reject);
      });
      socket = secured;
      attach();
    },
    destroy() {
      socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
  attach();
  if (isGreeted) await client.reply();
  return client;
}

/** The message as DATA carries it: dots doubled, and the end mark added. */
export function stuff(message: string): string {
  return `${message.replace(/^\./gm, "..")}.\r\n`;
}
