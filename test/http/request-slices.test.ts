import { expect, test } from "vitest";
import { BodySlices, endOfHeader } from "#/protocols/http/request-slices.ts";

function slices(text: string): string[] {
  const octets = Buffer.from(text, "latin1");
  const found: string[] = [];
  for (let at = 0; at < octets.length; ) {
    const rest = octets.subarray(at);
    const end = endOfHeader(rest, 0);
    found.push(rest.toString("latin1", 0, end));
    at += end;
  }
  return found;
}

test.each([
  ["GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n", ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n"]],
  ["GET /\r\nA: b\r\n\r\nG", ["GET /\r\nA: b\r\n\r\n", "G"]],
  ["a\n\nb\n\r\nc", ["a\n\n", "b\n\r\n", "c"]],
  // What stood before is not known: the first line feed may end a header.
  ["\nGET /\r\n\r\n", ["\n", "GET /\r\n\r\n"]],
  ["\r\nGET /\r\n\r\n", ["\r\n", "GET /\r\n\r\n"]],
  ["\r\n\r\n", ["\r\n", "\r\n"]],
  ["no line end", ["no line end"]],
  ["a\rb\r\rc\n", ["a\rb\r\rc\n"]],
])("cuts %j behind each possible empty line", (text, expected) => {
  expect(slices(text)).toEqual(expected);
});

/** The slices of a body that comes so many octets at a time, and what is left of the last octets when its end is reached. */
function bodySlices(headers: Record<string, string>, text: string, size: number): string[] {
  const body = new BodySlices(headers);
  const octets = Buffer.from(text, "latin1");
  const found: string[] = [];
  for (let at = 0; at < octets.length; at += size) {
    let rest = octets.subarray(at, at + size);
    while (rest.length > 0) {
      const end = body.take(rest);
      found.push(rest.toString("latin1", 0, end));
      rest = rest.subarray(end);
    }
  }
  return found;
}

const chunked = { "transfer-encoding": "chunked" };

test.each([
  ["of a known length", { "content-length": "4" }, "\n\n\n\nGET", ["\n\n\n\n", "GET"]],
  [
    "of empty lines",
    chunked,
    "4\r\n\n\n\n\n\r\n0\r\n\r\nGET",
    ["4\r\n", "\n\n\n\n\r\n", "0\r\n", "\r\n", "GET"],
  ],
  [
    "with an extension",
    chunked,
    "A;b=1\r\n0123456789\r\n0\r\n\r\n",
    ["A;b=1\r\n", "0123456789\r\n", "0\r\n", "\r\n"],
  ],
  ["with a trailer", chunked, "0;c\r\nA: b\r\nC: d\r\n\r\nGET", ["0;c\r\n", "A: b\r\nC: d\r\n\r\n", "GET"]],
  ["that is wrong", chunked, "x\r\na\r\n\r\nGET", ["x\r\n", "a\r\n\r\n", "GET"]],
])("cuts a body %s where it ends, and not at its lines", (_kind, headers, text, expected) => {
  expect(bodySlices(headers, text, 1000)).toEqual(expected);
  // However it comes, there is a cut where there would be one.
  for (const size of [1, 2, 3, 5])
    expect(endsOf(bodySlices(headers, text, size))).toEqual(expect.arrayContaining(endsOf(expected)));
});

function endsOf(slices: readonly string[]): number[] {
  let at = 0;
  return slices.map((slice) => {
    at += slice.length;
    return at;
  });
}
