/** Many kept-alive HTTP connections, each sending one request after the other. Answers must have a Content-Length. */
import net from "node:net";

export interface HttpLoad {
  readonly port: number;
  readonly connections: number;
  readonly seconds: number;
  /** Ends after this number of requests instead, and then measures from the first one on. */
  readonly count?: number;
  readonly path: string;
  readonly token?: string;
  /** The JSON body of a request. */
  body(number: number): string;
  /** Throws when the answer is wrong. */
  verify(answer: string): void;
}

export interface HttpResult {
  readonly perSecond: number;
  /** All requests, including those of the warm-up, which is not measured. */
  readonly count: number;
  /** In milliseconds, sorted. */
  readonly latencies: Float64Array;
  /** The size of the last answer, in octets. */
  readonly answerBytes: number;
}

const warmupSeconds = 1;
const headerEnd = Buffer.from("\r\n\r\n");

export async function runHttpLoad(load: HttpLoad): Promise<HttpResult> {
  const { port, connections, seconds, path, token } = load;
  const latencies: number[] = [];
  let count = 0;
  let answerBytes = 0;
  const begun = performance.now();
  const measureFrom = load.count === undefined ? begun + warmupSeconds * 1000 : begun;
  const end = load.count === undefined ? measureFrom + seconds * 1000 : Number.POSITIVE_INFINITY;
  const fields = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ].join("\r\n");
  await Promise.all(
    Array.from({ length: connections }, async (_, worker) => {
      const connection = await open(port);
      for (let number = worker; ; number += connections) {
        const begin = performance.now();
        if (begin >= end || number >= (load.count ?? Number.POSITIVE_INFINITY)) break;
        const body = load.body(number);
        const answer = await connection.request(
          `${fields}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        );
        const now = performance.now();
        count++;
        if (begin >= measureFrom && now <= end) latencies.push(now - begin);
        load.verify(answer.toString());
        answerBytes = answer.length;
      }
      connection.close();
    }),
  );
  return {
    perSecond: latencies.length / (load.count === undefined ? seconds : (performance.now() - begun) / 1000),
    count,
    latencies: Float64Array.from(latencies).sort(),
    answerBytes,
  };
}

interface HttpConnection {
  /** Sends a request and returns the body of the answer. Throws when the status is not 200. */
  request(text: string): Promise<Buffer>;
  close(): void;
}

async function open(port: number): Promise<HttpConnection> {
  const socket = net.connect({ host: "127.0.0.1", port, noDelay: true });
  let held: Buffer = Buffer.alloc(0);
  let waiting: PromiseWithResolvers<Buffer> | undefined;
  const fail = (error: Error): void => waiting?.reject(error);
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the server closed the connection")));
  socket.on("data", (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    const at = held.indexOf(headerEnd);
    if (at < 0) return;
    const header = held.toString("latin1", 0, at);
    const length = Number(/^content-length: (\d+)/im.exec(header)?.[1]);
    if (Number.isNaN(length)) fail(new Error(`no Content-Length: ${header}`));
    const from = at + headerEnd.length;
    if (held.length < from + length) return;
    const body = held.subarray(from, from + length);
    held = held.subarray(from + length);
    if (header.startsWith("HTTP/1.1 200 ")) waiting?.resolve(body);
    else fail(new Error(`${header.split("\r\n")[0]}: ${body.toString().slice(0, 300)}`));
  });
  return {
    request(text) {
      waiting = Promise.withResolvers();
      socket.write(text);
      return waiting.promise;
    },
    close: () => socket.destroy(),
  };
}
