/** Bodies in small pieces. */
import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { readBody } from "#/protocols/http/body.ts";

test("copies the octets out of the pieces of a body, which may be small and used again", async () => {
  const request = Object.assign(new EventEmitter(), { headers: {} });
  const body = readBody(request as unknown as IncomingMessage, 100_000);
  const piece = Buffer.alloc(1);
  const expected = Buffer.alloc(100_000);
  for (let at = 0; at < expected.length; at++) {
    expected[at] = at % 251;
    piece[0] = at % 251;
    request.emit("data", piece);
  }
  request.emit("end");
  expect((await body).equals(expected)).toBe(true);
});

test("is over its limit with the first octet beyond it", async () => {
  const request = Object.assign(new EventEmitter(), { headers: {} });
  const body = readBody(request as unknown as IncomingMessage, 10);
  for (let count = 0; count < 11; count++) request.emit("data", Buffer.alloc(1));
  await expect(body).rejects.toMatchObject({ code: "invalid", details: { reason: "too_large" } });
});
