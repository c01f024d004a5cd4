import { expect, test } from "vitest";
import { formatTrace, type TraceFacts } from "#/src/arrival/trace.ts";
import type { Transport } from "#/src/arrival/transport.ts";

const transport: Transport = {
  source: "smtp",
  remoteAddress: "192.0.2.7",
  heloName: "mx.outside.example",
  isEsmtp: true,
  isTls: false,
  isUtf8: false,
  id: "abc-1",
  principal: undefined,
};
const facts: TraceFacts = {
  reversePath: "alice@outside.example",
  deliveredTo: ["robin@waypost.example"],
  hostname: "mx.waypost.example",
  transport,
  authenticationResults: "",
  at: Date.UTC(2026, 10, 21, 7, 8, 9),
};

function trace(changes: Partial<Transport>, more: Partial<TraceFacts> = {}): string {
  return Buffer.from(formatTrace({ ...facts, ...more, transport: { ...transport, ...changes } })).toString();
}

test("writes Return-Path, Delivered-To and Received", () => {
  expect(trace({})).toBe(
    [
      "Return-Path: <alice@outside.example>",
      "Delivered-To: robin@waypost.example",
      "Received: from mx.outside.example ([192.0.2.7])",
      "\tby mx.waypost.example (Waypost) with ESMTP id abc-1;",
      "\tSat, 21 Nov 2026 07:08:09 +0000",
      "",
    ].join("\r\n"),
  );
});

test("writes the null reverse path", () => {
  expect(trace({}, { reversePath: "" })).toMatch(/^Return-Path: <>\r\n/);
});

test("writes a Delivered-To for each address of the copy", () => {
  expect(trace({}, { deliveredTo: ["a@w.example", "b@w.example"] })).toContain(
    "\r\nDelivered-To: a@w.example\r\nDelivered-To: b@w.example\r\n",
  );
});

const words: readonly (readonly [changes: Partial<Transport>, word: string])[] = [
  [{ isEsmtp: false }, "SMTP"],
  [{}, "ESMTP"],
  [{ isTls: true }, "ESMTPS"],
  [{ isTls: true, principal: {} as Transport["principal"] }, "ESMTPSA"],
  [{ principal: {} as Transport["principal"] }, "ESMTPA"],
  [{ isUtf8: true, isTls: true }, "UTF8SMTPS"],
];
for (const [changes, word] of words)
  test(`calls the protocol ${word}`, () => {
    expect(trace(changes)).toContain(` with ${word} id `);
  });

for (const heloName of ["a b", "x\r\nEvil: 1", "<script>", "", "grün.example", "a".repeat(300), "(comment"])
  test(`puts the address in place of the HELO name ${JSON.stringify(heloName).slice(0, 30)}`, () => {
    expect(trace({ heloName })).toContain("Received: from [192.0.2.7] ([192.0.2.7])\r\n");
  });

test("writes address literals of both kinds", () => {
  expect(trace({ remoteAddress: "2001:db8::7" })).toContain("([IPv6:2001:db8::7])");
  expect(trace({ remoteAddress: "fe80::1%eth0" })).toContain("([IPv6:fe80::1])");
  expect(trace({ remoteAddress: "", heloName: "a b" })).toContain("from unknown (unknown)");
});

test("writes an address so that it cannot start another field", () => {
  const text = trace({}, { reversePath: "a\r\nX: 1@b", deliveredTo: ["c\u0085\nY: 2@d"] });
  expect(text.split("\r\n").filter((line) => /^[XY]:/.test(line))).toEqual([]);
});
