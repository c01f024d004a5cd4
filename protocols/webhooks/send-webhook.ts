/** One request to a webhook, signed by the Standard Webhooks scheme (standardwebhooks.com, version 1): `webhook-id`,
 *  `webhook-timestamp` and `webhook-signature` over both and the body. */
import { Webhook as Signer } from "standardwebhooks";
import type { RequestOutcome } from "#/src/feed/retries.ts";
import { createGuardedClient, type GuardOptions } from "./guarded-post.ts";

export interface WebhookRequest {
  readonly url: string;
  readonly secret: string;
  /** `webhook-id`: the same for every attempt of one message. */
  readonly message: string;
  /** JSON. */
  readonly body: string;
  /** Of this attempt, in milliseconds. */
  readonly at: number;
}

export interface WebhookClient extends Disposable {
  /** Never throws: what goes wrong is the outcome. */
  send(request: WebhookRequest, signal: AbortSignal): Promise<RequestOutcome>;
}

export function createWebhookClient(options: GuardOptions): WebhookClient {
  const client = createGuardedClient(options);
  return {
    send({ url, secret, message, body, at }, signal) {
      const headers = {
        "content-type": "application/json",
        "webhook-id": message,
        "webhook-timestamp": String(Math.floor(at / 1000)),
        "webhook-signature": new Signer(secret).sign(message, new Date(at), body),
      };
      return client.post({ url, headers, body, at }, signal);
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  };
}
