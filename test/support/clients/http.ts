/** A small client of `/v1`. It checks every answer and every refusal against the declaration, and that each has an X-Request-Id. */
import { expect } from "vitest";
import { contentOfKind } from "#/protocols/json/contents.ts";
import { commonErrors } from "#/protocols/json/operation.ts";
import { operations } from "#/protocols/json/registry.ts";
import { type ResultKind, readResult } from "#/protocols/json/schemas.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
  readonly body: any;
}

export interface HttpClient {
  /** Calls an operation with this input. Any status is accepted. */
  call(operation: string, input?: unknown): Promise<Answer>;
  /** Calls an operation, expects status 200, and returns the body. */
  // biome-ignore lint/suspicious/noExplicitAny: answers differ by operation
  ok(operation: string, input?: unknown): Promise<any>;
  /** Sends any request to the server. */
  request(path: string, init?: RequestInit): Promise<Answer>;
  watch(input?: unknown, headers?: Record<string, string>): Promise<EventStream>;
}

export interface Frame {
  readonly event?: string;
  readonly id?: string;
  // biome-ignore lint/suspicious/noExplicitAny: data differs by event
  readonly data?: any;
  readonly comment?: string;
}

export interface EventStream extends AsyncDisposable {
  readonly status: number;
  /** The next frame; undefined at the end of the stream. */
  next(): Promise<Frame | undefined>;
  /** The next frame that is not a comment. */
  nextEvent(): Promise<Frame | undefined>;
  /** So many events, from as many batches as they come in. */
  // biome-ignore lint/suspicious/noExplicitAny: events differ by type
  events(count: number): Promise<any[]>;
  /** Closes the connection as a killed client does. */
  close(): void;
}

export function httpClient(url: string, token?: string): HttpClient {
  const credential: Record<string, string> = token === undefined ? {} : { Authorization: `Bearer ${token}` };

  async function request(path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(url + path, {
      ...init,
      headers: { ...credential, ...(init.headers as object) },
    });
    const text = await response.text();
    expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{13}$/);
    expect(response.headers.has("www-authenticate")).toBe(response.status === 401);
    const body = text === "" ? undefined : JSON.parse(text);
    if (response.status !== 200 && body !== undefined)
      expect(body.error.request_id).toBe(response.headers.get("x-request-id"));
    return { status: response.status, headers: response.headers, body };
  }

  const client: HttpClient = {
    request,
    async call(operation, input = {}) {
      const answer = await request(`/v1/${operation}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(input),
      });
      const declared = operations.find((one) => one.name === operation);
      if (answer.status === 200) {
        const output = answer.body?.dry_run === true ? declared?.dryOutput : declared?.output;
        expect(output?.safeParse(answer.body).error).toBeUndefined();
        if (declared?.output === readResult)
          expect(
            contentOfKind[answer.body.kind as ResultKind].safeParse(answer.body.content).error,
          ).toBeUndefined();
      } else if (declared !== undefined) {
        expect([...commonErrors, ...declared.errors]).toContain(answer.body.error.code);
        expect(answer.body.error.hint).toEqual(expect.any(String));
      }
      return answer;
    },
    async ok(operation, input) {
      const { status, body } = await client.call(operation, input);
      expect(body.error).toBeUndefined();
      expect(status).toBe(200);
      return body;
    },
    watch: (input = {}, headers = {}) => openStream(`${url}/v1/watch`, { ...credential, ...headers }, input),
  };
  return client;
}

async function openStream(
  url: string,
  headers: Record<string, string>,
  input: unknown,
): Promise<EventStream> {
  const gone = new AbortController();
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(input),
    signal: gone.signal,
  });
  expect(response.headers.get("x-request-id")).toMatch(/^req_[0-9a-f]{13}$/);
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const stream: EventStream = {
    status: response.status,
    async next() {
      for (;;) {
        const end = text.indexOf("\n\n");
        if (end >= 0) {
          const frame = parseFrame(text.slice(0, end));
          text = text.slice(end + 2);
          return frame;
        }
        const { value, done } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    },
    async nextEvent() {
      for (;;) {
        const frame = await stream.next();
        if (frame?.comment === undefined) return frame;
      }
    },
    async events(count) {
      const events = [];
      while (events.length < count) {
        const frame = await stream.nextEvent();
        if (frame === undefined)
          throw new Error(`the stream ended after ${events.length} of ${count} events`);
        if (frame.event === "batch") events.push(...frame.data.events);
      }
      return events;
    },
    close: () => gone.abort(),
    async [Symbol.asyncDispose]() {
      gone.abort();
      await reader.cancel().catch(() => {});
    },
  };
  return stream;
}

function parseFrame(text: string): Frame {
  if (text.startsWith(":")) return { comment: text.slice(1).trim() };
  const fields = Object.fromEntries(
    text
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { ...fields, data: JSON.parse(fields.data ?? "null") };
}
