/** The bare `node:http`: reads a body of JSON and answers one of as many octets as it is asked for. What the rates of `/v1` are measured
 *  against. */
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
// It never outlives the benchmark.
process.stdin.on("end", () => process.exit(0)).resume();
