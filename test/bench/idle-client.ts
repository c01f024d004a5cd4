import net from "node:net";

export interface IdleClient {
  /** Resolves at the next EXISTS. */
  nextExists(): Promise<void>;
  close(): void;
}

/** An IMAP session that is in IDLE (RFC 2177) on INBOX. */
export async function openIdle(options: {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
}): Promise<IdleClient> {
  const socket = net.connect({ host: options.host, port: options.port, noDelay: true });
  let text = "";
  let wake = (): void => {};
  let failure: Error | undefined;
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => {
    text += chunk;
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

  /** Reads to the first line that matches and drops everything up to its end. */
  async function until(pattern: RegExp): Promise<void> {
    for (;;) {
      const match = pattern.exec(text);
      if (match !== null) {
        text = text.slice(match.index + match[0].length);
        return;
      }
      if (failure !== undefined) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  await until(/\* OK .*\r\n/);
  socket.write(`a LOGIN ${options.user} ${options.password}\r\n`);
  await until(/a OK .*\r\n/);
  socket.write("b SELECT INBOX\r\n");
  await until(/b OK .*\r\n/);
  socket.write("c IDLE\r\n");
  await until(/\+ .*\r\n/);
  return {
    async nextExists() {
      await until(/\* \d+ EXISTS\r\n/);
    },
    close: () => socket.destroy(),
  };
}
