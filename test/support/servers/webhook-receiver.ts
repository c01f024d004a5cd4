/** A program that webhooks call: it keeps what it took, in the order in which it came. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface WebhookReceiver extends AsyncDisposable {
  readonly url: string;
  /** Every request, also what was refused. */
  readonly requests: Received[];
  /** How a request is answered; 204 when it does nothing. */
  onRequest: (request: Received, response: ServerResponse) => void;
  /** Of what was answered with 204: the messages of the events, in order. */
  messages(): string[];
}

export async function openWebhookReceiver(): Promise<WebhookReceiver> {
  const taken: Received[] = [];
  const receiver = { requests: [] as Received[], onRequest: (() => {}) as WebhookReceiver["onRequest"] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const received = { headers: request.headers, body: Buffer.concat(chunks).toString() };
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
