/** The time limit for the start of an answer. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test } from "vitest";
import { trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import { createHttpApp, type HttpContext } from "#/protocols/http/app.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createReceiving } from "#/src/fairness/receiving.ts";
import { CallerGone, forCaller, onCallerGone } from "#/src/model/caller.ts";

async function openApp(serve: (context: HttpContext) => Promise<void>, answerMs: number) {
  const handle = createHttpApp({
    routes: [{ accepts: () => true, serve }],
    streams: [],
    proxies: trustProxies([]),
    receiving: createReceiving(createFairness(), 1024),
    closing: new AbortController().signal,
    log: pino({ level: "silent" }),
    stalledReaderMs: 60_000,
    answerMs,
  });
  const server = http.createServer(handle).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test("aborts the work of a request when its answer has not started in time", async () => {
  const over = Promise.withResolvers<CallerGone>();
  await using app = await openApp(
    async ({ signal }) =>
      forCaller(signal, async () => {
        using _gone = onCallerGone(over.resolve);
        throw await over.promise;
      }),
    100,
  );
  await expect(fetch(app.url)).rejects.toThrow();
  expect(await over.promise).toBeInstanceOf(CallerGone);
});

test("does not abort an answer that has started in time", async () => {
  await using app = await openApp(async ({ koa }) => {
    koa.status = 200;
    koa.respond = false;
    koa.res.writeHead(200).write("begun, ");
    await new Promise((resolve) => setTimeout(resolve, 300));
    koa.res.end("and over");
  }, 100);
  const response = await fetch(app.url);
  expect(await response.text()).toBe("begun, and over");
});
