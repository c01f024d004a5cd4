import { describe, expect, it } from "vitest";
import { outputChunkBytes } from "#/protocols/imap/limits.ts";
import { ResponseWriter } from "#/protocols/imap/wire/response-writer.ts";
import { literalOctets } from "#/protocols/imap/wire/strings.ts";

it("writes long and short octets in their order, and none twice", async () => {
  const written: Buffer[] = [];
  const out = new ResponseWriter({
    hasSentAll: true,
    async write(data) {
      written.push(copyOf(data));
    },
  });
  const long = "\xe9".repeat(700);
  const bytes = Buffer.alloc(600, 0xff);
  out.text("* 1 FETCH (BODY[] ");
  out.octets("short");
  out.octets(long);
  out.octets(bytes);
  expect(out.isBetweenLines).toBe(false);
  out.line(")");
  out.octets(bytes);
  out.octets("end");
  await out.flush();
  await out.flush();
  const expected = `* 1 FETCH (BODY[] short${long}${bytes.toString("latin1")})\r\n${bytes.toString("latin1")}end`;
  expect(Buffer.concat(written).toString("latin1")).toBe(expected);
});

describe("the memory of a write", () => {
  const lengths = [600, outputChunkBytes, 10 * outputChunkBytes, 700];

  it("is used for nothing else while the connection holds it", async () => {
    const held: (string | Uint8Array)[] = [];
    const sink = {
      hasSentAll: false,
      async write(data: string | Uint8Array) {
        held.push(data);
      },
    };
    // Two connections, as what one has left serves the next write of any.
    const writers = [new ResponseWriter(sink), new ResponseWriter(sink)];
    for (const [turn, length] of [...lengths, ...lengths].entries()) {
      const out = writers[turn % 2]!;
      out.text("head");
      out.octets(String(turn).repeat(length));
      await out.flush();
    }
    expect(held.map((data) => copyOf(data).toString("latin1"))).toEqual(
      [...lengths, ...lengths].map((length, turn) => `head${String(turn).repeat(length)}`),
    );
  });

  it("serves the next write of any connection when the system has taken all of it", async () => {
    const written: Buffer[] = [];
    const buffers = new Set<ArrayBufferLike>();
    const sink = {
      hasSentAll: true,
      async write(data: string | Uint8Array) {
        written.push(copyOf(data));
        buffers.add((data as Uint8Array).buffer);
      },
    };
    const writers = [new ResponseWriter(sink), new ResponseWriter(sink)];
    for (let turn = 0; turn < 6; turn++) {
      writers[turn % 2]!.octets(String(turn).repeat(5000));
      await writers[turn % 2]!.flush();
    }
    expect(written.map((data) => data.toString("latin1"))).toEqual(
      Array.from({ length: 6 }, (_, turn) => String(turn).repeat(5000)),
    );
    expect(buffers.size).toBe(1);
  });

  it("is released at once when a write is too large to be kept", async () => {
    let last: Uint8Array | undefined;
    const out = new ResponseWriter({
      hasSentAll: true,
      async write(data) {
        last = data as Uint8Array;
      },
    });
    out.octets("a".repeat(10 * outputChunkBytes));
    await out.flush();
    expect(last!.byteLength).toBe(0);
  });
});

it("counts long octets in the gathered size", async () => {
  const out = new ResponseWriter({ hasSentAll: true, async write() {} });
  out.octets("a".repeat(outputChunkBytes - 1));
  expect(out.isLarge).toBe(false);
  out.text("b");
  expect(out.isLarge).toBe(true);
  await out.flush();
  expect(out.isLarge).toBe(false);
});

it.each(["a\0b\0", "plain", ""])(
  "puts 128 for NUL in %j, and leaves the given octets as they are",
  (text) => {
    const shown = text.replaceAll("\0", "\x80");
    const bytes = Buffer.from(text, "latin1");
    expect(literalOctets(text)).toBe(shown);
    expect(Buffer.from(literalOctets(bytes) as Uint8Array).toString("latin1")).toBe(shown);
    expect(bytes.toString("latin1")).toBe(text);
  },
);

function copyOf(data: string | Uint8Array): Buffer {
  return typeof data === "string" ? Buffer.from(data, "latin1") : Buffer.from(data);
}
