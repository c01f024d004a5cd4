import net from "node:net";
import tls from "node:tls";

/** A bare IMAP client that returns the octets as they came. A library that decodes them cannot show that. */
export interface RawImap extends AsyncDisposable {
  /** Sends a command without its tag. Resolves with its tagged line and all untagged responses before it. */
  command(text: string, literal?: Uint8Array): Promise<RawAnswer>;
}

export interface RawAnswer {
  /** Without the tag: "OK …", "NO …", "BAD …". */
  readonly status: string;
  readonly untagged: readonly RawResponse[];
}

/** One response: its text, in which `{n}` stands for each literal, and the literals. */
export interface RawResponse {
  readonly text: string;
  readonly literals: readonly Buffer[];
}

export interface RawImapPlace {
  readonly host: string;
  readonly port: number;
  /** TLS from the first octet. */
  readonly isTls?: boolean;
  /** The local address of the connection. */
  readonly localAddress?: string | undefined;
}

export async function connectRawImap(place: RawImapPlace): Promise<RawImap> {
  const { isTls = false, ...address } = place;
  const plain = net.connect({ ...address, noDelay: true });
  const socket = isTls ? tls.connect({ socket: plain, rejectUnauthorized: false }) : plain;
  plain.on("error", (error) => socket.destroy(error));
  let buffered: Buffer = Buffer.alloc(0);
  let wake = (): void => {};
  let failure: Error | undefined;
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    wake();
  });
  socket.on("error", (error) => {
    failure = error;
    wake();
  });
  socket.on("close", () => {
    failure ??= new Error("the server closed the connection");
    wake();
  });

  async function more(): Promise<void> {
    if (chunks.length === 0) {
      if (failure) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (chunks.length === 0 && failure) throw failure;
    buffered = Buffer.concat([buffered, ...chunks.splice(0)]);
  }

  async function take(count: number): Promise<Buffer> {
    while (buffered.length < count) await more();
    const taken = buffered.subarray(0, count);
    buffered = buffered.subarray(count);
    return taken;
  }

  async function readResponse(): Promise<RawResponse> {
    let text = "";
    const literals: Buffer[] = [];
    for (;;) {
      let end = buffered.indexOf("\r\n");
      while (end < 0) {
        await more();
        end = buffered.indexOf("\r\n");
      }
      const line = (await take(end + 2)).subarray(0, end).toString("latin1");
      text += line;
      const literal = /~?\{(\d+)\}$/.exec(line);
      if (!literal) return { text, literals };
      literals.push(await take(Number(literal[1])));
    }
  }

  await readResponse();
  let tagNumber = 0;
  return {
    async command(text, literal) {
      const tag = `t${++tagNumber}`;
      socket.write(
        literal === undefined ? `${tag} ${text}\r\n` : `${tag} ${text} {${literal.byteLength}+}\r\n`,
      );
      if (literal !== undefined) {
        socket.write(literal);
        socket.write("\r\n");
      }
      const untagged: RawResponse[] = [];
      for (;;) {
        const response = await readResponse().catch((error: Error) => {
          throw new Error(`${error.message} after ${untagged.at(-1)?.text ?? "nothing"}`, { cause: error });
        });
        if (response.text.startsWith(`${tag} `))
          return { status: response.text.slice(tag.length + 1), untagged };
        untagged.push(response);
      }
    },
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
  };
}
