import { expect, test, vi } from "vitest";
import { headerFieldsMax } from "#/src/arrival/limits.ts";
import { assertAcceptableHeader, scanHeader } from "#/src/arrival/scan-header.ts";
import { headerBlockBytesMax } from "#/src/model/limits.ts";

test("counts fields and hops up to the empty line", async () => {
  const text = "Received: a\r\n\tb\r\nRECEIVED : no\r\nreceived: c\r\nSubject: x\r\n\r\nReceived: body\r\n";
  expect(await scanHeader(Buffer.from(text))).toEqual({
    headerBytes: text.indexOf("Received: body"),
    fieldCount: 4,
    receivedCount: 2,
  });
});

test("reads a message without a body, and one without anything", async () => {
  expect(await scanHeader(Buffer.from("Received: a"))).toEqual({
    headerBytes: 11,
    fieldCount: 1,
    receivedCount: 1,
  });
  expect(await scanHeader(Buffer.from(""))).toEqual({ headerBytes: 0, fieldCount: 0, receivedCount: 0 });
});

test("takes 50 Received fields and refuses 51", async () => {
  const hops = (count: number): Buffer => Buffer.from(`${"Received: x\r\n".repeat(count)}\r\nbody`);
  await assertAcceptableHeader(hops(50));
  await expect(assertAcceptableHeader(hops(51))).rejects.toThrow(/more than 50 servers/);
});

test("refuses a header beyond its limits without reading it further", async () => {
  for (const text of ["a: b\r\n".repeat(1_000_000), `a: ${"b\r\n ".repeat(1_000_000)}`]) {
    const bytes = Buffer.from(text);
    const lines = vi.spyOn(bytes, "indexOf");
    await expect(assertAcceptableHeader(bytes)).rejects.toThrow(/too large/);
    expect(lines.mock.calls.length).toBeGreaterThan(headerFieldsMax);
    for (const [, start] of lines.mock.calls) expect(start).toBeLessThanOrEqual(headerBlockBytesMax);
  }
});
