/** A `watch` stream without an HTTP client, so that the benchmark can read thousands of them at little cost. */
import net from "node:net";

export interface WatchStream {
  /** The time when the next event arrived, by `performance.now()`. */
  nextEvent(): Promise<number>;
  close(): void;
}

/** Opens a stream. Resolves when the server has confirmed it. */
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
