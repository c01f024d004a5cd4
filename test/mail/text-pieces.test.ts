import fc from "fast-check";
import iconv from "iconv-lite";
import { expect, it } from "vitest";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { createTransferDecoder, decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import type { StoredBytes } from "#/src/mail/message-bytes.ts";
import { PieceMatch } from "#/src/mail/search/key-match.ts";
import { foldText } from "#/src/mail/search/search-document.ts";
import { cutBefore, textPieces } from "#/src/mail/search/text-pieces.ts";

const encodings = ["base64", "quoted-printable", "x-uuencode", "8bit", ""];

it.each(encodings)("decodes %s in pieces as it does at once, wherever they are cut", (encoding) => {
  const octet = fc.constantFrom(...Buffer.from("abAZ09+/==  \t\r\n=\n3D=20=\r\n=C3=A9`#begin end"));
  fc.assert(
    fc.property(
      fc.array(octet, { maxLength: 200 }),
      fc.array(fc.nat(200), { maxLength: 6 }),
      (octets, cuts) => {
        const bytes = Buffer.from(octets);
        const decoder = createTransferDecoder(encoding);
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const pieces = places
          .slice(1)
          .map((end, at) => Buffer.from(decoder.write(bytes.subarray(places[at], end))));
        const whole = encoding === "base64" ? lenientBase64(bytes) : decodeTransfer(bytes, encoding);
        expect(Buffer.concat([...pieces, decoder.end()]).toString("latin1")).toBe(whole.toString("latin1"));
      },
    ),
    { numRuns: 500 },
  );
});

/** Padding in the middle ends a group. */
function lenientBase64(bytes: Buffer): Buffer {
  return decodeTransfer(Buffer.concat([bytes, Buffer.from("=AA==")]), "base64").subarray(0, -1);
}

it.each(["utf-8", "us-ascii", "iso-2022-jp", "utf-16le", "shift_jis", "gb18030", "utf-7", "x-unknown"])(
  "decodes a long text in %s as it does a short one",
  async (charset) => {
    const source = "A line with é, 漢字 and ﷺ, emoji 👍🏽 and more of it.\n";
    const text =
      charset === "us-ascii" || charset === "x-unknown" ? source : source.replace(/é|ﷺ|👍🏽/gu, "");
    const name = charset === "iso-2022-jp" || charset === "x-unknown" ? "utf-8" : charset;
    const bytes =
      charset === "iso-2022-jp"
        ? Buffer.from("\x1b$B4A;z\x1b(B and \x1b(B\x1b$B4A\x1b(B\r\n".repeat(20_000), "latin1")
        : iconv.encode(text.repeat(12_000), name === "us-ascii" ? "utf-8" : name);
    const encoded = Buffer.from(bytes.toString("base64").replace(/.{76}/g, "$&\r\n"));
    for (const [raw, encoding] of [
      [bytes, "8bit"],
      [encoded, "base64"],
    ] as const) {
      const read = {
        readBytes: async (_: StoredBytes, range = { start: 0, end: 0 }) =>
          raw.subarray(range.start, range.end),
      };
      const message = { trace: Buffer.alloc(0) } as unknown as StoredBytes;
      const part = { start: 0, end: raw.length, encoding, charset };
      const pieces = await Array.fromAsync(textPieces(read, message, part));
      expect(pieces.length).toBeGreaterThan(3);
      expect(pieces.join("") === decodeCharset(bytes, charset)).toBe(true);
    }
  },
);

it("cuts only where folding both sides separately gives the same text", () => {
  const unit = fc.constantFrom(
    ..."ab \n\r\u0301\u0323\u200d\u200b\ufe0f👍🏽e\u0301漢ﷺßŉ가각\u1100\u1161".split(""),
    "👍",
    "🏽",
    "𝒳",
  );
  const fold = (text: string): string => foldText(cleanText(text, () => {}).toWellFormed());
  fc.assert(
    fc.property(fc.array(unit, { minLength: 2, maxLength: 60 }), fc.nat(60), (units, place) => {
      const text = units.join("").toWellFormed();
      const cut = cutBefore(text, Math.max(1, Math.min(place, text.length - 1)));
      fc.pre(
        cut > 0 &&
          !/^[\p{M}\p{Default_Ignorable_Code_Point}\p{Emoji_Modifier}\n]/u.test(text.slice(cut)) &&
          !/\p{Default_Ignorable_Code_Point}$/u.test(text.slice(0, cut)),
      );
      expect(fold(text.slice(0, cut)) + fold(text.slice(cut))).toBe(fold(text));
    }),
    { numRuns: 1000 },
  );
});

it("does not cut behind a joiner (U+200D)", () => {
  expect(cutBefore("a👍\u200d👍", 4)).toBe(1);
});

it("finds a text across the borders of pieces", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 12 }),
      fc.array(letters, { maxLength: 4 }),
      (pieces, texts) => {
        const match = new PieceMatch(texts);
        for (const piece of pieces) match.add(piece);
        expect(match.held).toEqual(texts.map((text) => pieces.join("").includes(text)));
      },
    ),
  );
});
