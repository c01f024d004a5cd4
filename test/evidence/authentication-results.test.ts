import { expect, test } from "vitest";
import { formatAuthenticationResults, withoutForgedResults } from "#/src/evidence/authentication-results.ts";
import { headerBytesMax } from "#/src/model/limits.ts";

const names = ["mx.here.example", "here.example"];
const from = "From: a@b.example\r\n";
const body = "\r\nAuthentication-Results: mx.here.example; spf=pass\r\n";

const forged = [
  "Authentication-Results: mx.here.example; dmarc=pass\r\n",
  "authentication-results:mx.here.example;dmarc=pass\r\n",
  "AUTHENTICATION-RESULTS : MX.Here.Example ; none\r\n",
  "Authentication-Results:\r\n\tmx.here.example;\r\n\tdmarc=pass\r\n",
  "Authentication-Results:\r\n \r\n mx.here.example; dmarc=pass\r\n",
  "Authentication-Results: (a (nested) comment) mx.here.example 1; dmarc=pass\r\n",
  "Authentication-Results: (a \\) bracket)mx.here.example; dmarc=pass\r\n",
  'Authentication-Results: "mx.here.example"; dmarc=pass\r\n',
  'Authentication-Results: "mx.here.ex\\ample"; dmarc=pass\r\n',
  "Authentication-Results: mx.here.example.; dmarc=pass\r\n",
  "Authentication-Results: mx.here.example/1; dmarc=pass\r\n",
  "Authentication-Results: here.example; dmarc=pass\r\n",
  "Authentication-Results: ; dmarc=pass\r\n",
  'Authentication-Results: "mx.here.example; dmarc=pass\r\n',
  "Authentication-Results: mx.here.example\u00a0; dmarc=pass\r\n",
  "Authentication-Results: \u00a0mx.here.example; dmarc=pass\r\n",
  "Authentication-Results: mx.here.example\u3000; dmarc=pass\r\n",
  "Authentication-Results: mx.here.example\u200b; dmarc=pass\r\n",
  "Authentication-Results: mx.he\u00adre.example; dmarc=pass\r\n",
  "Authentication-Results: mx.here.ex\uff41mple; dmarc=pass\r\n",
  "Authentication-Results: mx\u3002here\uff0eexample; dmarc=pass\r\n",
  "Authentication-Results: mx.h\u0435re.example; dmarc=pass\r\n",
  "Authentication-Results: mx(a comment).here.example; dmarc=pass\r\n",
  "Authentication-Results: mx.here(x)(y).example; dmarc=pass\r\n",
  "Authentication-Results: mx . here . example; dmarc=pass\r\n",
  "Authentication-Results: mx.here\r\n .example; dmarc=pass\r\n",
  'Authentication-Results: mx."here".example; dmarc=pass\r\n',
  "Authentication-Results: mx.here.example\0; dmarc=pass\r\n",
  "Authentication-Results: mx.here.example 1 (x); dmarc=pass\r\n",
  "Authentication-Results: mx.here.example, mx.other.example; dmarc=pass\r\n",
  "Authentication-Results: i=1; mx.here.example; dmarc=pass\r\n",
  "ARC-Authentication-Results: i=1; mx.here.example; dmarc=pass\r\n",
  "arc-authentication-results:i=12;here.example;dmarc=pass\r\n",
  "ARC-Authentication-Results: (a) i (b) = 1 ; (c) mx(d).here.example 1; dmarc=pass\r\n",
  "ARC-Authentication-Results: mx.here.example; dmarc=pass\r\n",
];

test.each(forged)("takes out %j, above, between and below the others", (field) => {
  for (const message of [
    `${field}${from}${body}`,
    `${from}${field}To: c@d\r\n${body}`,
    `${from}${field}${field}${body}`,
  ])
    expect(Buffer.from(withoutForgedResults(Buffer.from(message), names)).toString()).toBe(
      message.replaceAll(field, ""),
    );
});

const honest = [
  "Authentication-Results: mx.other.example; dmarc=pass\r\n",
  "Authentication-Results: (mx.here.example) mx.other.example; dmarc=pass\r\n",
  "Authentication-Results: notmx.here.example; dmarc=pass\r\n",
  "X-Authentication-Results: mx.here.example; dmarc=pass\r\n",
  "ARC-Authentication-Results: i=1; mx.other.example; dmarc=pass\r\n",
  "Authentication-Results: spf=pass (sender IP is 192.0.2.1) smtp.mailfrom=b.example; dmarc=pass\r\n",
  "Authentication-Results: mx.b\u00fccher.example; dmarc=pass\r\n",
  "Authentication-Results: mx.here.example.org; dmarc=pass\r\n",
  "Authentication-Results: mx.here.example-two; dmarc=pass\r\n",
  "Authentication-Results: mx.other.example; mx.here.example; dmarc=pass\r\n",
];

test.each(honest)("leaves %j, and does not copy the message", (field) => {
  const message = Buffer.from(`${field}${from}${body}`);
  expect(withoutForgedResults(message, names)).toBe(message);
});

test("removes them from a header of any length", () => {
  const filler = `X-Filler: ${"x".repeat(70)}\r\n`.repeat(Math.ceil(headerBytesMax / 80) + 10);
  const message = `${from}${filler}${forged[0]}${body}`;
  expect(Buffer.from(withoutForgedResults(Buffer.from(message), names)).toString()).toBe(
    `${from}${filler}${body}`,
  );
});

test("writes its own results in one field, whatever characters they have", () => {
  const checks = {
    spf: { result: "pass", domain: "b.example" },
    dkim: [
      { result: "pass", domain: "b.example", selector: "s1" },
      { result: "fail", domain: "evil.example; dmarc=pass", selector: "x\r\nFrom: y" },
    ],
    dmarc: { result: "pass", domain: "b.example" },
    iprev: { result: "pass", address: "2001:db8::1" },
  };
  expect(formatAuthenticationResults("mx.here.example", checks)).toBe(
    [
      "Authentication-Results: mx.here.example",
      "\tspf=pass smtp.mailfrom=b.example",
      "\tdkim=pass header.d=b.example header.s=s1",
      "\tdkim=fail",
      "\tdmarc=pass header.from=b.example",
      '\tiprev=pass policy.iprev="2001:db8::1"\r\n',
    ].join(";\r\n"),
  );
  expect(formatAuthenticationResults("mx.here.example", {})).toBe(
    "Authentication-Results: mx.here.example;\r\n\tnone\r\n",
  );
});
