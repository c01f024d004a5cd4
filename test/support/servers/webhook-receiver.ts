/** A server that webhooks call. It keeps the requests that it accepts, in order. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly octets: Buffer;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** Every request, also those that it refused. */
  readonly requests: Received[];
  /** Called for every request. It may set another status; then the request has no answer unless it also sends one. Otherwise 204. */
  onRequest: (request: Received, response: ServerResponse) => void;
  /** The messages of the events in all requests that had the response 204, in order. */
  messages(): string[];
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const taken: Received[] = [];
  const receiver = { requests: [] as Received[], onRequest: (() => {}) as WebhookReceiver["onRequest"] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const octets = Buffer.concat(chunks);
      const received = { headers: request.headers, body: octets.toString(), octets };
      receiver.requests.push(received);
      receiver.onRequest(received, response);
      if (response.headersSent || response.destroyed || response.statusCode !== 200) return;
      taken.push(received);
      response.writeHead(204).end();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return Object.assign(receiver, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages: () =>
      taken.flatMap(({ body }) =>
        (JSON.parse(body).data.events as { message: string }[]).map(({ message }) => message),
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
