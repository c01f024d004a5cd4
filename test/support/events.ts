/** The least that a test needs of `/v1`: one request, and the stream of events. */

export interface WatchedEvent {
  readonly type: string;
  readonly cursor: string;
  readonly mailbox: string;
  readonly message: string;
}

export interface Watch {
  /** The next so many events; throws if the stream ends or says nothing for 20 s. */
  take(count: number): Promise<WatchedEvent[]>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
export async function postJson(url: string, operation: string, token: string, body: object): Promise<any> {
  const response = await fetch(`${url}/v1/${operation}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return response.json();
}

export async function openWatch(url: string, token: string, body: object): Promise<Watch> {
  const abort = new AbortController();
  const response = await fetch(`${url}/v1/watch`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: abort.signal,
  });
  if (response.status !== 200) throw new Error(`watch answers ${response.status}: ${await response.text()}`);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const events: WatchedEvent[] = [];
  let text = "";
  const silenceMs = 20_000;
  return {
    async take(count) {
      while (events.length < count) {
        const timer = setTimeout(
          () => abort.abort(new Error(`only ${events.length} of ${count} events came`)),
          silenceMs,
        );
        const { value, done } = await reader.read();
        clearTimeout(timer);
        if (done) throw new Error("the stream ended");
        text += value;
        for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
          const frame = text.slice(0, end);
          text = text.slice(end + 2);
          const data = /^data: (.*)$/m.exec(frame)?.[1];
          if (/^event: batch$/m.test(frame) && data !== undefined) events.push(...JSON.parse(data).events);
        }
      }
      return events.splice(0, count);
    },
    async close() {
      abort.abort();
      await reader.cancel().catch(() => {});
    },
  };
}
