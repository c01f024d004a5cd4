/** The runner of Web Push: sends what is due, one request at a time to each subscription, with the guard and the turns of webhooks. */
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import { createFairness, type Fairness } from "#/src/fairness/fairness.ts";
import { after, inBackground } from "#/src/model/background.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import type { Push } from "#/src/sign-in/push.ts";
import type { Pushes } from "#/src/sign-in/pushes.ts";
import { createGuardedClient, guardOf } from "./guarded-post.ts";
import { pushRequest } from "./push-message.ts";

export interface PushRunnerRooms {
  readonly pushes: Pushes;
  readonly settings: Settings;
  readonly log: Logger;
  readonly fairness?: Fairness;
}

/** The time between a commit and the look at what waits, one look for all commits of that time. */
const afterCommitMs = 250;
/** After a fault of ours. */
const afterFaultMs = 10_000;
/** The longest time between two looks, so that a clock that is set forward is noticed. */
const longestWaitMs = 60_000;

export function runPushes({
  pushes,
  settings,
  log,
  fairness = createFairness(),
}: PushRunnerRooms): AsyncDisposable {
  const client = createGuardedClient(guardOf(settings));
  const requests = fairness.gate("webhooks");
  const stop = new AbortController();
  const underWay = new Map<number, Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let wakesAt = Number.POSITIVE_INFINITY;
  let looking: Promise<void> = Promise.resolve();

  function wakeIn(ms: number): void {
    const at = performance.now() + ms;
    if (stop.signal.aborted || at >= wakesAt) return;
    clearTimeout(timer);
    wakesAt = at;
    timer = after(ms, () => {
      wakesAt = Number.POSITIVE_INFINITY;
      looking = looking.then(look);
    }).unref();
  }

  async function look(): Promise<void> {
    if (stop.signal.aborted || !pushes.isSender()) return;
    try {
      const { pushes: due, nextAt } = await pushes.listDue();
      for (const push of due) begin(push);
      wakeIn(Math.min(longestWaitMs, Math.max(0, nextAt - pushes.clock.now())));
    } catch (error) {
      log.error({ err: error }, "pushes could not be looked at");
      wakeIn(afterFaultMs);
    }
  }

  function begin(push: Push): void {
    const { subscription: number } = push.subscription;
    if (underWay.has(number)) return;
    inBackground(() => {
      const sent = sendOnce(push);
      underWay.set(number, sent);
      return sent;
    });
  }

  async function sendOnce(push: Push): Promise<void> {
    // Something may have come while it was sent.
    let thenMs = afterCommitMs;
    try {
      await send(push);
    } catch (error) {
      log.error({ err: error }, "a push failed");
      thenMs = afterFaultMs;
    }
    underWay.delete(push.subscription.subscription);
    wakeIn(thenMs);
  }

  async function send(push: Push): Promise<void> {
    const { agent, subscription, endpoint } = push.subscription;
    const request = pushRequest(push, pushes.key, pushes.contact, pushes.clock.now());
    const post = () => client.post(request, stop.signal);
    const outcome = await forCaller(stop.signal, () => requests.run(post, { key: `mailbox ${agent}` })).catch(
      (error: unknown) => {
        if (stop.signal.aborted) return undefined;
        throw error;
      },
    );
    // What was given up at a stop was no answer: it is sent again.
    if (outcome === undefined || (outcome.error !== null && stop.signal.aborted)) return;
    await pushes.report(push, outcome);
    const { error: reason, status } = outcome;
    if (reason !== null)
      log.warn({ subscription, host: new URL(endpoint).host, status, reason }, "a push is not taken");
  }

  const stopListening = pushes.onChange(() => wakeIn(afterCommitMs));
  wakeIn(0);
  return {
    async [Symbol.asyncDispose]() {
      stopListening();
      clearTimeout(timer);
      stop.abort(new CallerGone());
      await looking;
      await Promise.allSettled(underWay.values());
      client[Symbol.dispose]();
    },
  };
}
