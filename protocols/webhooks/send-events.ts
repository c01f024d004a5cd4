/** The runner of webhooks: each of them has a line of its own, so that a receiver that is slow or gone holds up no other. A line
 *  sends one request after the other, in the order of the events, and goes on when what was sent is known to be taken. */
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import type { Gate } from "#/src/fairness/gate.ts";
import { type RequestOutcome, waitOf } from "#/src/feed/retries.ts";
import type { Webhook, WebhookBatch, Webhooks } from "#/src/feed/webhooks.ts";
import { after, every } from "#/src/model/background.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Tally } from "#/src/model/tally.ts";
import { guardOf } from "./guarded-post.ts";
import { createWebhookClient, type WebhookClient } from "./send-webhook.ts";

export interface WebhookRooms {
  readonly webhooks: Webhooks;
  readonly settings: Settings;
  readonly log: Logger;
  readonly tally?: Tally;
  readonly fairness?: Fairness;
}

/** Longest timer; a wait that is longer goes on with the next. */
const timerMsMax = 24 * 60 * 60 * 1000;
/** Where another daemon may add or remove webhooks, they are listed so often. */
const listMs = 5_000;
/** After a fault of ours. */
const faultMs = 10_000;

export async function startWebhooks(rooms: WebhookRooms): Promise<AsyncDisposable> {
  const { webhooks, settings } = rooms;
  const client = createWebhookClient(guardOf(settings));
  const requests = (rooms.fairness ?? createFairness()).gate("webhooks");
  const lines = new Map<number, Line>();
  let following: Promise<void> = follow();
  const stopListening = webhooks.onChange(() => {
    following = following.then(follow);
  });

  const listing = webhooks.isShared
    ? every(listMs, () => {
        following = following.then(follow);
      }).unref()
    : undefined;

  /** Begins and ends lines as webhooks come and go. There are none while another daemon sends. */
  async function follow(): Promise<void> {
    try {
      const listed = webhooks.isSender() ? await webhooks.list() : [];
      const active = listed.filter(({ state }) => state === "active");
      const byNumber = new Map(active.map((webhook) => [webhook.webhook, webhook]));
      for (const [number, line] of lines)
        if (line.isOver || !line.isOf(byNumber.get(number))) {
          lines.delete(number);
          await line[Symbol.asyncDispose]();
        } else line.lookAgain();
      for (const { webhook: number } of active)
        if (!lines.has(number)) {
          // As it stands now: the line that has just ended may have moved it.
          const webhook = await webhooks.find(number);
          if (webhook?.state === "active") lines.set(number, new Line(rooms, client, requests, webhook));
        }
    } catch (error) {
      rooms.log.error({ err: error }, "webhooks could not be listed");
    }
  }

  await following;
  return {
    async [Symbol.asyncDispose]() {
      stopListening();
      clearInterval(listing);
      await following;
      await Promise.all([...lines.values()].map((line) => line[Symbol.asyncDispose]()));
      client[Symbol.dispose]();
    },
  };
}

/** Sends an event of nothing, once. */
export async function testWebhook(rooms: WebhookRooms, number: number): Promise<RequestOutcome> {
  const { webhooks, settings } = rooms;
  const webhook = await webhooks.find(number);
  if (webhook === undefined) return { status: null, error: "there is no such webhook" };
  using client = createWebhookClient(guardOf(settings));
  const at = webhooks.clock.now();
  const body = bodyOf("webhook.test", at, { webhook: number });
  const message = `msg_test_${at.toString(36)}`;
  return await client.send({ ...webhook, message, body, at }, new AbortController().signal);
}

/** Sends a request of the history once more, with its `webhook-id` and its events. Where the webhook stands does not change. Throws
 *  `not_found` for one that is not known, or whose events are not kept. */
export async function resendWebhook(
  { webhooks, settings }: WebhookRooms,
  message: string,
): Promise<RequestOutcome> {
  const sent = await webhooks.findSent(message);
  if (sent === undefined)
    throw new WaypostError("not_found", "There is no such request, or its events are kept no more.");
  using client = createWebhookClient(guardOf(settings));
  const { cursor, events } = sent.batch;
  const body = bodyOf("mail.events", Date.parse(events[0]!.at), { cursor, events });
  const request = { ...sent.webhook, message, body, at: webhooks.clock.now() };
  return await client.send(request, new AbortController().signal);
}

class Line implements AsyncDisposable {
  readonly #rooms: WebhookRooms;
  readonly #client: WebhookClient;
  readonly #requests: Gate;
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #webhook: Webhook;
  #wake = (): void => {};
  #isRung = false;
  #isIdle = false;
  isOver = false;

  constructor(rooms: WebhookRooms, client: WebhookClient, requests: Gate, webhook: Webhook) {
    this.#rooms = rooms;
    this.#client = client;
    this.#requests = requests;
    this.#webhook = webhook;
    this.#done = this.#run();
  }

  /** At what is due. */
  lookAgain(): void {
    this.#wake();
  }

  /** Whether it is the line of this webhook as it stands: one that was taken up again is tried at once. */
  isOf(webhook: Webhook | undefined): boolean {
    return webhook !== undefined && webhook.failureCount === this.#webhook.failureCount;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new CallerGone());
    this.#wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    const { webhooks, log } = this.#rooms;
    const unsubscribe = webhooks.subscribe(this.#webhook, () => {
      this.#isRung = true;
      // A ring shortens no wait between two attempts.
      if (this.#isIdle) this.#wake();
    });
    try {
      while (!this.isOver && !this.#stop.signal.aborted)
        try {
          await this.#turn();
        } catch (error) {
          // It may have gone with its owner.
          this.isOver = (await webhooks.find(this.#webhook.webhook).catch(() => this.#webhook)) === undefined;
          if (this.isOver) break;
          log.error({ err: error, webhook: this.#webhook.webhook }, "webhook failed");
          await this.#sleep(faultMs);
        }
    } finally {
      unsubscribe();
    }
  }

  /** Sends what is next and due, or waits until something may be. */
  async #turn(): Promise<void> {
    const { webhooks } = this.#rooms;
    // Until the line is ended, or this daemon sends again.
    if (!webhooks.isSender()) return this.#sleep(faultMs);
    const waitMs = waitOf(this.#webhook, webhooks.clock.now());
    if (waitMs > 0) return this.#sleep(waitMs);
    this.#isRung = false;
    const { webhook, batch } = await webhooks.next(this.#webhook, await webhooks.pendingCount(this.#webhook));
    this.#webhook = webhook;
    if (batch === undefined) {
      this.#isIdle = true;
      if (!this.#isRung) await this.#sleep(timerMsMax);
      this.#isIdle = false;
      return;
    }
    const outcome = await this.#sendInTurn(batch);
    if (outcome === undefined) return;
    // What was given up at a stop was no answer: it is sent again with the same name.
    if (outcome.error !== null && this.#stop.signal.aborted) return;
    this.#rooms.tally?.count("webhook_requests", { outcome: outcome.error === null ? "taken" : "failed" });
    const after = await webhooks.report(webhook, batch, outcome);
    this.#tellOperator(outcome, after);
    if (after === undefined || after.state === "disabled") this.isOver = true;
    else this.#webhook = after;
  }

  /** undefined: it was to stop while it waited for its turn. */
  #sendInTurn(batch: WebhookBatch): Promise<RequestOutcome | undefined> {
    const { agent } = this.#webhook;
    const { signal } = this.#stop;
    const send = () => this.#requests.run(() => this.#send(batch), { key: `mailbox ${agent}` });
    return forCaller(signal, send).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
  }

  #send({ message, cursor, events }: WebhookBatch): Promise<RequestOutcome> {
    const { url, secret } = this.#webhook;
    const at = this.#rooms.webhooks.clock.now();
    const body = bodyOf("mail.events", Date.parse(events[0]!.at), { cursor, events });
    return this.#client.send({ url, secret, message, body, at }, this.#stop.signal);
  }

  #tellOperator({ error, status }: RequestOutcome, after: Webhook | undefined): void {
    if (after === undefined || error === null) return;
    const { webhook, url, failureCount } = after;
    const facts = { webhook, host: new URL(url).host, status, reason: error, failureCount };
    if (after.state === "disabled")
      this.#rooms.log.error(
        facts,
        "webhook is given up and sends no more: waypost webhook resume takes it up again",
      );
    else if (failureCount === 1) this.#rooms.log.warn(facts, "webhook is not taken; it is tried again");
  }

  /** Until the time is over, or it is woken. */
  #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = after(Math.min(ms, timerMsMax), resolve);
    this.#wake = resolve;
    if (this.#stop.signal.aborted) resolve();
    return promise.finally(() => clearTimeout(timer));
  }
}

/** A payload as Standard Webhooks recommends it. */
function bodyOf(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}
