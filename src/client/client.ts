/** A client of the `/v1` interface, for Node 20, Deno, Bun and browsers: it needs `fetch` and nothing else.
 *
 *      const client = createClient({ url: "http://127.0.0.1:8080", token });
 *      const { events, cursor } = await client.call("wait");
 *      for await (const event of client.events({ cursor })) …
 *
 *  Requests that are safe to repeat are repeated: reads, and writes with an idempotency key, which is made if none is given.
 *  A stream continues from its last cursor when its connection breaks. */
import { keyed, type Operations } from "./operations.ts";
import { refusalOf, unreachable } from "./request-error.ts";
import { pause, waitBefore } from "./retry.ts";
import { type WatchOptions, watchBatches } from "./watch.ts";

export type * from "./operations.ts";
export { RequestError } from "./request-error.ts";
export type { WatchOptions } from "./watch.ts";

export interface ClientOptions {
  /** The URL of the server, without `/v1`. */
  readonly url: string;
  readonly token: string;
  /** Attempts of one call at most, the first one included; 5 when it is left out. */
  readonly attempts?: number;
  /** For one attempt, from the request to the end of the answer; 60 s when it is left out. */
  readonly timeoutMs?: number;
  /** Another `fetch`, for example one that uses a proxy. */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** Operations with one answer. */
export type CallName = Exclude<keyof Operations, "watch">;
export type Input<Name extends keyof Operations> = Operations[Name]["input"];
export type Output<Name extends keyof Operations> = Operations[Name]["output"];
type Batch = Output<"watch">;
type Event = Batch["events"][number];

export interface Client {
  /** Calls an operation. Throws `RequestError`, or the signal's reason when it aborts. */
  call<Name extends CallName>(name: Name, input?: Input<Name>, options?: CallOptions): Promise<Output<Name>>;
  /** The batches of `watch` from a cursor on, or from now. Store the cursor of a batch after acting on it. Ends when the signal
   *  aborts; throws `RequestError` if reconnecting does not help. */
  watch(request?: Input<"watch">, options?: WatchOptions): AsyncGenerator<Batch, void, undefined>;
  /** The same, event by event; each has the cursor after it. */
  events(request?: Input<"watch">, options?: WatchOptions): AsyncGenerator<Event, void, undefined>;
}

const defaultAttempts = 5;
const defaultTimeoutMs = 60_000;

export function createClient(options: ClientOptions): Client {
  const { token, attempts = defaultAttempts, timeoutMs = defaultTimeoutMs } = options;
  const base = options.url.endsWith("/") ? options.url.slice(0, -1) : options.url;
  const send = options.fetch ?? fetch;

  /** Makes one attempt. Gives a response with status 200. */
  async function post(name: string, input: unknown, signal: AbortSignal): Promise<Response> {
    const response = await send(`${base}/v1/${name}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(input),
      redirect: "error",
      signal,
    }).catch((error: unknown) => {
      throw unreachable(error);
    });
    if (response.status !== 200) throw await refusalOf(response);
    return response;
  }

  async function attempt(name: string, input: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    const response = await post(name, input, either);
    return response.json().catch((error: unknown) => {
      throw unreachable(error);
    });
  }

  const client: Client = {
    async call(name, input, { signal } = {}) {
      const whole = withKey(name, input);
      for (let count = 1; ; count++)
        try {
          return (await attempt(name, whole, signal)) as never;
        } catch (error) {
          signal?.throwIfAborted();
          const waitMs = waitBefore(error, count);
          if (waitMs === undefined || count >= attempts) throw error;
          await pause(waitMs, signal);
        }
    },
    watch(request = {}, watchOptions = {}) {
      const { signal } = watchOptions;
      const findEnd = (place: Input<"wait">) => client.call("wait", place, signal && { signal });
      return watchBatches(findEnd, post, request, watchOptions);
    },
    async *events(request = {}, watchOptions = {}) {
      for await (const { events } of client.watch(request, watchOptions)) yield* events;
    },
  };
  return client;
}

type Loose = Readonly<Record<string, unknown>> & { readonly idempotency_key?: string };

/** Adds an idempotency key to a write, so that it is done once, however often it is sent. */
function withKey(name: CallName, input: unknown = {}): Loose {
  const given = input as Loose;
  if (!keyed.has(name) || given.idempotency_key !== undefined) return given;
  return { ...given, idempotency_key: crypto.randomUUID() };
}
