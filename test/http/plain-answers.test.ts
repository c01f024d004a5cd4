/** Answers of the last route, which node writes without koa. */
import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import { createHttpApp, type PlainAnswer } from "#/protocols/http/app.ts";
import type { Exchange } from "#/protocols/http/exchange.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createReceiving } from "#/src/fairness/receiving.ts";
import { onFailure } from "#/src/model/background.ts";
import { CallerGone } from "#/src/model/caller.ts";

async function openApp(serve: (exchange: Exchange) => Promise<PlainAnswer>, answerMs = 60_000) {
  const closing = new AbortController();
  const handle = createHttpApp({
    routes: [
      {
        accepts: (path) => path === "/koa",
        async serve({ koa }) {
          koa.body = `of koa: ${koa.path}`;
        },
      },
    ],
    streams: [],
    rest: { serve },
    proxies: trustProxies([]),
    receiving: createReceiving(createFairness(), 1024),
    closing: closing.signal,
    log: pino({ level: "silent" }),
    stalledReaderMs: 60_000,
    answerMs,
  });
  const server = http.createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    closing,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const plain = async (): Promise<PlainAnswer> => ({ status: 200, headers: { "X-Of": "test" }, body: "wörds" });

/** What the server writes until it closes or has written the text. */
async function talk(port: number, octets: string, end: string): Promise<string> {
  const socket = net.connect({ host: "127.0.0.1", port }).setEncoding("utf8");
  socket.write(octets);
  let heard = "";
  for await (const piece of socket) {
    heard += piece as string;
    if (heard.includes(end)) break;
  }
  return heard;
}

test("have their fields, their length in octets and a request id; other routes are asked first", async () => {
  await using app = await openApp(plain);
  const response = await fetch(`${app.url}/any?of=it`);
  expect(response.status).toBe(200);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "x-of": "test",
    "content-length": "6",
    "x-request-id": expect.stringMatching(/^req_[0-9a-f]{13}$/),
  });
  expect(await response.text()).toBe("wörds");
  expect(await (await fetch(`${app.url}/koa?x`)).text()).toBe("of koa: /koa");
  // As a client of a proxy writes it.
  // The route sees the path by which it was found.
  for (const target of ["http://x.test/koa", "http:///operator/koa?x", "http://x.test/y/../koa", "/koa#x?y"])
    expect(
      await talk(app.port, `GET ${target} HTTP/1.1\r\nHost: x.test\r\n\r\n`, "of koa: /koa"),
      target,
    ).toMatch(/^HTTP\/1.1 200 .*of koa: \/koa$/s);
});

test("that cannot be written end the connection", async () => {
  await using app = await openApp(async () => ({ status: 200, headers: { "X-Of": "a\r\nb" }, body: "" }));
  const failures: unknown[] = [];
  const former = onFailure((error) => failures.push(error));
  try {
    expect(await talk(app.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "\n")).toBe("");
  } finally {
    onFailure(former);
  }
  expect(failures).toMatchObject([{ code: "ERR_INVALID_CHAR" }]);
});

test("of HEAD have the length and no body", async () => {
  await using app = await openApp(plain);
  const heard = await talk(
    app.port,
    "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nGET /koa HTTP/1.1\r\nHost: x\r\n\r\n",
    "of koa",
  );
  expect(heard).toContain("Content-Length: 6\r\n");
  expect(heard).not.toContain("wörds");
});

test("end the connection when the listener closes", async () => {
  const begun = Promise.withResolvers<Exchange>();
  const released = Promise.withResolvers<void>();
  await using app = await openApp(async (exchange) => {
    begun.resolve(exchange);
    await released.promise;
    return plain();
  });
  const answer = fetch(app.url);
  const { signal } = await begun.promise;
  app.closing.abort();
  expect(signal.aborted).toBe(true);
  expect(signal.reason).not.toBeInstanceOf(CallerGone);
  released.resolve();
  expect((await answer).headers.get("connection")).toBe("close");
  expect((await fetch(app.url)).headers.get("connection")).toBe("close");
});

test("tell whoever asks after the client went that it has gone", async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  let socket: net.Socket | undefined;
  await using app = await openApp(async (exchange) => {
    socket!.destroy();
    await once(exchange.request.socket, "close");
    // The response closes behind its socket.
    await new Promise((resolve) => setImmediate(resolve));
    asked.resolve(exchange.signal);
    return plain();
  });
  socket = net.connect({ host: "127.0.0.1", port: app.port });
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  expect((await asked.promise).reason).toBeInstanceOf(CallerGone);
});

test("need no timer and no signal of their own, and one timer of all", async () => {
  await using app = await openApp(plain);
  const timers = vi.spyOn(globalThis, "setTimeout");
  let signals = 0;
  vi.stubGlobal(
    "AbortController",
    class extends AbortController {
      constructor() {
        super();
        signals++;
      }
    },
  );
  try {
    const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    const last = "GET /koa HTTP/1.1\r\nHost: x\r\n\r\n";
    await talk(app.port, request.repeat(50) + last, "of koa");
    // Of the request of koa.
    expect(signals).toBe(1);
    expect(timers.mock.calls.filter(([, ms]) => ms === 60_000)).toHaveLength(1);
  } finally {
    vi.unstubAllGlobals();
    timers.mockRestore();
  }
});

test("end with the connection when they have not begun in time, each of them", async () => {
  const reasons: unknown[] = [];
  await using app = await openApp(async ({ signal }) => {
    await once(signal, "abort");
    reasons.push(signal.reason);
    throw signal.reason;
  }, 60);
  const first = fetch(app.url);
  // Heard below, with the second.
  first.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 30));
  const second = fetch(app.url);
  const answers = await Promise.allSettled([first, second]);
  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  await expect.poll(() => reasons).toEqual([expect.any(CallerGone), expect.any(CallerGone)]);
});
