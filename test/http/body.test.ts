/** Request bodies in small pieces. */
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { type BodyOptions, readBody } from "#/protocols/http/body.ts";
import { createFairness } from "#/src/fairness/fairness.ts";
import { createReceiving } from "#/src/fairness/receiving.ts";

function optionsOf(limitBytes: number, total = 1_000_000): BodyOptions {
  const fairness = createFairness();
  fairness.gate("receiving", { total, share: total });
  return { limitBytes, copies: 1, receiving: createReceiving(fairness, 1), memory: new DisposableStack() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("copies the octets of a body, because the pieces may be reused", async () => {
  const request = Object.assign(new EventEmitter(), { headers: { "transfer-encoding": "chunked" } });
  const body = readBody(request as unknown as IncomingMessage, optionsOf(100_000));
  const piece = Buffer.alloc(1);
  await turn();
  const expected = Buffer.alloc(100_000);
  for (let at = 0; at < expected.length; at++) {
    expected[at] = at % 251;
    piece[0] = at % 251;
    request.emit("data", piece);
  }
  request.emit("end");
  expect((await body).equals(expected)).toBe(true);
});

test("is refused with the first octet beyond its limit", async () => {
  const request = Object.assign(new EventEmitter(), { headers: { "transfer-encoding": "chunked" } });
  const body = readBody(request as unknown as IncomingMessage, optionsOf(10));
  await turn();
  for (let count = 0; count < 11; count++) request.emit("data", Buffer.alloc(1));
  await expect(body).rejects.toMatchObject({ code: "invalid", details: { reason: "too_large" } });
});

test.each(["gzip, chunked", "chunked, gzip", "gzip"])(
  "in the coding %s is refused before it is read",
  async (coding) => {
    const request = Object.assign(new EventEmitter(), { headers: { "transfer-encoding": coding } });
    await expect(readBody(request as unknown as IncomingMessage, optionsOf(100))).rejects.toMatchObject({
      code: "invalid",
      details: { hint: expect.stringContaining("Transfer-Encoding: chunked") },
    });
  },
);

test("that finds no memory is refused as temporary", async () => {
  const request = Object.assign(new EventEmitter(), { headers: { "transfer-encoding": "chunked" } });
  const options = optionsOf(100_000, 10_000);
  const body = readBody(request as unknown as IncomingMessage, options);
  await turn();
  for (let count = 0; count < 11; count++) request.emit("data", Buffer.alloc(1000));
  await expect(body).rejects.toMatchObject({ code: "upstream_unavailable", details: { reason: "busy" } });
});

test("of at most 4 KiB that is here already waits for no memory", async () => {
  const here = (size: number) => {
    const request = new PassThrough({ highWaterMark: 65_536 });
    request.end(Buffer.alloc(size, "x"));
    const headers = { "content-length": String(size) };
    return Object.assign(request, { headers, complete: true }) as unknown as IncomingMessage;
  };
  let begun = 0;
  const options = optionsOf(100_000);
  const { receiving } = options;
  const counted: BodyOptions = {
    ...options,
    receiving: {
      ...receiving,
      begin(...args) {
        begun++;
        return receiving.begin(...args);
      },
    },
  };
  expect((await readBody(here(4096), counted)).toString()).toBe("x".repeat(4096));
  expect(begun).toBe(0);
  expect((await readBody(here(4097), counted)).length).toBe(4097);
  expect(begun).toBe(1);
});
