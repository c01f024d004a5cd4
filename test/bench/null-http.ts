/** The bare `node:http`: reads a JSON body and answers with one of the size that was asked for. The rates of `/v1` are compared with
 *  it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const answers = new Map<number, string>();

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    const { bytes } = JSON.parse(body) as { bytes: number };
    const answer = answers.get(bytes) ?? JSON.stringify({ text: "x".repeat(Math.max(0, bytes - 11)) });
    answers.set(bytes, answer);
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ port })}\n`);
});
// Ends when its standard input closes, so it ends with the benchmark.
process.stdin.on("end", () => process.exit(0)).resume();
