/** The time limit for the start of an answer. */
import { once } from "node:events";
import http, { type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { trustProxies } from "#/protocols/connection/trusted-proxies.ts";
import { createHttpApp, type HttpContext } from "#/protocols/http/app.ts";
import { OverdueAnswers } from "#/protocols/http/overdue.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createReceiving } from "#/src/fairness/receiving.ts";
import { CallerGone, callerOwner, forCaller, onCallerGone } from "#/src/model/caller.ts";
import { houseOwner, type Owner } from "#/src/model/owner.ts";

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

test("looks for late answers on behalf of no request, and keeps no process for it", async () => {
  const timers = vi.spyOn(globalThis, "setTimeout");
  const overdue = new OverdueAnswers(51);
  const owners: Owner[] = [];
  const over = Promise.withResolvers<void>();
  const late = (onDestroy = () => {}) =>
    ({
      headersSent: false,
      destroy() {
        owners.push(callerOwner());
        onDestroy();
      },
    }) as unknown as ServerResponse;
  const owner: Owner = { ...houseOwner, key: "a client" };
  const stays = setInterval(() => {}, 1000);
  try {
    forCaller(
      new AbortController().signal,
      () => {
        const now = performance.now();
        overdue.add(late(), now);
        overdue.add(late(over.resolve), now + 40);
      },
      () => owner,
    );
    await over.promise;
    expect(owners).toEqual([houseOwner, houseOwner]);
    const own = timers.mock.calls.flatMap(([, ms = 0], at) =>
      ms <= 51 ? [timers.mock.results[at]!.value as NodeJS.Timeout] : [],
    );
    expect(own.length).toBeGreaterThan(1);
    expect(own.filter((timer) => timer.hasRef())).toEqual([]);
  } finally {
    clearInterval(stays);
    timers.mockRestore();
  }
});
