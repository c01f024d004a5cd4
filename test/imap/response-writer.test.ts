import { expect, it } from "vitest";
import { outputChunkBytes } from "#/protocols/imap/limits.ts";
import { ResponseWriter } from "#/protocols/imap/wire/response-writer.ts";
import { literalOctets } from "#/protocols/imap/wire/strings.ts";

it("writes long and short octets in the order in which they came, and nothing twice", async () => {
  const written: Buffer[] = [];
  const out = new ResponseWriter(async (data) => {
    written.push(typeof data === "string" ? Buffer.from(data, "latin1") : Buffer.from(data));
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

it("counts long octets among what is gathered", async () => {
  const out = new ResponseWriter(async () => {});
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
