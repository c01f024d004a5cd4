/** The parts of `/v1` that many tests need, through our own client: one request, and the event stream. */
import { createClient, RequestError } from "#/src/client/client.ts";
import type { MailEvent } from "#/src/client/operations.ts";

export interface Watch {
  /** The next `count` events. Throws when no event comes for a minute. */
  take(count: number): Promise<MailEvent[]>;
  close(): Promise<void>;
}

const silenceMs = 60_000;

/** An answer, or `{ error }` for what was refused. */
// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
export async function postJson(url: string, operation: string, token: string, body: object): Promise<any> {
  try {
    return await createClient({ url, token }).call(operation as "search", body);
  } catch (error) {
    if (error instanceof RequestError) return { error };
    throw error;
  }
}

/** Events from the cursor in `body` on, or from now. */
export async function openWatch(url: string, token: string, body: { cursor?: string }): Promise<Watch> {
  const client = createClient({ url, token });
  const cursor = body.cursor ?? (await client.call("wait")).cursor;
  const stop = new AbortController();
  const events: MailEvent[] = [];
  let wake = (): void => {};
  let failure: unknown;
  const done = (async () => {
    for await (const event of client.events({ cursor }, { signal: stop.signal })) {
      events.push(event);
      wake();
    }
  })().catch((error: unknown) => {
    failure = error;
    wake();
  });
  return {
    async take(count) {
      while (events.length < count) {
        if (failure !== undefined) throw failure;
        await new Promise<void>((resolve, reject) => {
          const timer = setTimeout(
            () => reject(new Error(`only ${events.length} of ${count} events came`)),
            silenceMs,
          );
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return events.splice(0, count);
    },
    async close() {
      stop.abort();
      await done;
    },
  };
}
