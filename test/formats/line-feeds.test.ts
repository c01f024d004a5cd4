import { expect, test } from "vitest";
import { LineFeeds } from "#/src/formats/mime/line-feeds.ts";

/** Octets that the test of four together could take for LF. */
const neighbours = [0x00, 0x09, 0x0b, 0x0a ^ 0x80, 0x0d, 0x2d, 0x80, 0xff];

test("finds each LF wherever it stands in a word, and no other octet", () => {
  const wrong: string[] = [];
  for (let start = 0; start < 4; start++)
    for (let length = 0; length <= 13; length++)
      for (let at = -1; at < length; at++)
        for (const other of neighbours) {
          // What is before and behind the message is not its own.
          const memory = Buffer.alloc(start + length + 8, 0x0a);
          const bytes = memory.subarray(start, start + length).fill(other);
          if (at >= 0) bytes[at] = 0x0a;
          const lineFeeds = new LineFeeds(bytes);
          for (let from = 0; from <= length; from++) {
            const found = bytes.indexOf(0x0a, from);
            const expected = from < length && found >= 0 ? found : length;
            if (lineFeeds.nextFrom(from) !== expected)
              wrong.push(`from ${from} in ${bytes.toString("hex")} at ${start}: ${lineFeeds.nextFrom(from)}`);
          }
        }
  expect(wrong).toEqual([]);
});

test("finds LFs beside each other, and in shared memory", () => {
  const bytes = Buffer.from(new SharedArrayBuffer(64), 3, 50).fill("a\n\n\r\nbcdefghijk\n");
  const lineFeeds = new LineFeeds(bytes);
  const found: number[] = [];
  for (let at = lineFeeds.nextFrom(0); at < bytes.length; at = lineFeeds.nextFrom(at + 1)) found.push(at);
  expect(found).toEqual([...bytes.keys()].filter((at) => bytes[at] === 0x0a));
});
