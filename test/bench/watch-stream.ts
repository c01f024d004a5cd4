/** A stream of `watch` without an HTTP client, so that reading thousands of them costs the benchmark little. */
import net from "node:net";

export interface WatchStream {
  /** When the next mail was told, by `performance.now()`. */
  nextEvent(): Promise<number>;
  close(): void;
}

/** Resolves when the server has said that the stream is open. */
export function openWatchStream(url: string, token: string, input: object): Promise<WatchStream> {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify(input);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  const event = Buffer.from("mail.received");
  let wake: ((at: number) => void) | undefined;
  socket.write(
    `POST /v1/watch HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return new Promise((resolve, reject) => {
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      if (chunk.includes("event: open"))
        resolve({
          nextEvent: () =>
            new Promise((told) => {
              wake = told;
            }),
          close: () => socket.destroy(),
        });
      if (chunk.includes(event)) wake?.(performance.now());
    });
  });
}
