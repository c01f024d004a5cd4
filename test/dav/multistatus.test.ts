import { expect, test } from "vitest";
import { multistatus, statusResponse } from "#/protocols/dav/answer.ts";
import { readXml } from "#/protocols/dav/xml/read-xml.ts";

test("responses are made while the body is read, not before", async () => {
  let made = 0;
  async function* responses() {
    for (; made < 1_000_000; made++) yield statusResponse(`/dav/${made}`, 404);
  }
  const pieces = (multistatus(responses()).body as AsyncIterable<string>)[Symbol.asyncIterator]();
  const first = (await pieces.next()).value as string;
  expect(made).toBeGreaterThan(100);
  expect(made).toBeLessThan(10_000);
  expect(first.length).toBeLessThan(70_000);
  await pieces.return?.();
  expect(made).toBeLessThan(10_000);
});

test("the pieces of the body are one XML document", async () => {
  async function* responses() {
    for (let at = 0; at < 5000; at++) yield statusResponse(`/dav/${at}`, 404);
  }
  let whole = "";
  let count = 0;
  for await (const piece of multistatus(responses()).body as AsyncIterable<string>) {
    whole += piece;
    count++;
  }
  expect(count).toBeGreaterThan(3);
  expect(readXml(Buffer.from(whole)).children).toHaveLength(5000);
});
