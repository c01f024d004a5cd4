/** A refusal may name what a caller or a peer has sent: only the beginning of it, at every door. */
import { expect, test } from "vitest";
import { humanText } from "#/protocols/imap/wire/strings.ts";
import { errorObject } from "#/protocols/json/errors.ts";
import { replyToError } from "#/protocols/smtp/errors.ts";
import { formatReply } from "#/protocols/smtp/reply.ts";
import { WaypostError } from "#/src/model/errors.ts";

const long = "😀".repeat(100_000);
const refusal = new WaypostError("invalid", `A${long}`, { field: `/${long}`, hint: `Leave out ${long}` });

test("has the beginning of each of its texts, in whole characters", () => {
  const { message, field, hint } = errorObject(refusal);
  for (const [text, max] of [
    [message, 2000],
    [field, 402],
    [hint, 10_000],
  ] as const) {
    expect(text).toMatch(/…$/);
    expect(text!.length).toBe(max);
    expect(text!.isWellFormed()).toBe(true);
  }
});

test("keeps what is short, and has no field and no hint that it was not given", () => {
  expect(new WaypostError("invalid", "No.", { field: "/a", hint: "Yes." }).details).toEqual({
    field: "/a",
    hint: "Yes.",
  });
  expect(new WaypostError("invalid", long).details).toEqual({});
});

test("is one line of SMTP with its codes and end (RFC 5321 section 4.5.3.1.5), and a short one of IMAP", () => {
  const words = new WaypostError("invalid", "word ".repeat(1000), { hint: "hint ".repeat(1000) });
  for (const one of [refusal, words]) {
    const line = `${formatReply(replyToError(one))}\r\n`;
    expect(line).toMatch(/^\d{3} \d\.\d\.\d [ -~]+\r\n$/);
    expect(line.length).toBeLessThanOrEqual(512);
    expect(humanText(one.message).length).toBeLessThanOrEqual(500);
  }
});
