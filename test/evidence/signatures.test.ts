/** The cost of the signatures of one message: hashed octets and verified signatures are limited. */
import crypto, { type Hash } from "node:crypto";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Evidence } from "#/src/evidence/checks.ts";
import { zoneResolve } from "../support/servers/dns-zone.ts";
import { examineMail, ordinaryFields, signatureOf, zone } from "./signed-mail.ts";

interface Work {
  hashedBytes: number;
  verified: number;
}

afterEach(() => void vi.restoreAllMocks());

/** Counts what the one library that hashes and verifies here asks of the cryptography below it. */
function countWork(): Work {
  const work: Work = { hashedBytes: 0, verified: 0 };
  const { createHash, verify } = crypto;
  vi.spyOn(crypto, "createHash").mockImplementation((...args): Hash => {
    const hash = createHash(...args);
    const { update } = hash;
    hash.update = (data: string | NodeJS.ArrayBufferView, ...rest: never[]) => {
      work.hashedBytes += Buffer.byteLength(data as Buffer);
      return update.call(hash, data, ...rest);
    };
    return hash;
  });
  vi.spyOn(crypto, "verify").mockImplementation(((...args: Parameters<typeof verify>) => {
    work.verified++;
    return verify(...args);
  }) as never);
  return work;
}

async function examineCounting(message: Buffer): Promise<Work & { evidence: Evidence }> {
  const work = countWork();
  const evidence = await examineMail(message);
  vi.restoreAllMocks();
  return { ...work, evidence };
}

const header = `${ordinaryFields.join("\r\n")}\r\n\r\n`;
const lineOf = (length: number): string => `${"x".repeat(length - 2)}\r\n`;

/** `count` signatures over a body, each with something of its own. */
function withSignatures(signature: string, count: number, body: Buffer, own: (n: number) => string): Buffer {
  const fields = Array.from({ length: count }, (_, n) => signature.replace("v=1;", `v=1; ${own(n)}`));
  return Buffer.concat([Buffer.from(fields.join("") + header), body]);
}

describe("400 signatures cost what ten do", () => {
  test.each([
    { says: "of a small message", bytes: 4096 },
    { says: "of 50 MiB", bytes: 50 * 1024 * 1024 },
  ])("$says", async ({ bytes }) => {
    const body = Buffer.alloc(bytes, lineOf(64));
    const signature = await signatureOf(Buffer.concat([Buffer.from(header), body]));
    const many = await examineCounting(withSignatures(signature, 400, body, (n) => `xn=${n};`));
    expect(many.verified).toBe(10);
    expect(many.hashedBytes).toBeGreaterThan(bytes - 64);
    expect(many.hashedBytes).toBeLessThan(bytes + 4096);
    const open = await examineCounting(withSignatures(signature, 400, body, (n) => `l=${n + 1};`));
    expect(open).toMatchObject({ verified: 0 });
    expect(open.hashedBytes).toBeLessThan(4096);
    expect(open.evidence.isAuthenticated).toBe(false);
  });
});

test("ten signatures in every form hash the body once for each canonicalization", async () => {
  const body = Buffer.alloc(256 * 1024, lineOf(64));
  const forms = ["simple/simple", "relaxed/simple", "simple/relaxed", "relaxed/relaxed"];
  const signature = "DKIM-Signature: v=1; d=bank.example; s=s1; h=from:subject; bh=AA; b=AA;\r\n";
  const form = (n: number): string => `a=rsa-${n % 3 === 0 ? "sha1" : "sha256"}; c=${forms[n % 4]};`;
  const { hashedBytes } = await examineCounting(withSignatures(signature, 10, body, form));
  expect(hashedBytes).toBeGreaterThan(body.length * 1.9);
  expect(hashedBytes).toBeLessThan(body.length * 2.1);
});

test("signatures of the author's domain are verified first, at any place in the header", async () => {
  const message = `${header}Pay 1.\r\n`;
  const own = await signatureOf(message);
  const foreign = (await signatureOf(message, { domain: "evil.example" })).repeat(30);
  for (const signatures of [foreign + own, own + foreign]) {
    const { checks, isAuthenticated } = await examineMail(signatures + message);
    expect(isAuthenticated).toBe(true);
    expect(checks.dkim).toHaveLength(10);
    expect(checks.dkim?.filter(({ domain }) => domain === "bank.example")).toMatchObject([
      { result: "pass", aligned: true },
    ]);
  }
});

test("a signature that covers a part of the body is reported, and does not displace another signature", async () => {
  const message = `${header}Pay 1.\r\n`;
  const open = (await signatureOf(message, { limit: 3 })).repeat(30);
  const { checks, isAuthenticated } = await examineMail(open + (await signatureOf(message)) + message);
  expect(isAuthenticated).toBe(true);
  expect(checks.dkim).toHaveLength(10);
  expect(checks.dkim?.[0]).toMatchObject({ result: "pass", aligned: true });
  expect(checks.dkim?.[1]).toEqual({
    result: "policy",
    domain: "bank.example",
    selector: "s1",
    reason: "body-length",
  });
});

test("a chain of more than ten sets is not verified", async () => {
  const set = (i: number): string =>
    [
      `ARC-Seal: i=${i}; a=rsa-sha256; cv=${i === 1 ? "none" : "pass"}; d=evil.example; s=s1; b=AAAA`,
      `ARC-Message-Signature: i=${i}; a=rsa-sha256; c=relaxed/relaxed; d=evil.example; s=s1; h=from; bh=AA; b=AA`,
      `ARC-Authentication-Results: i=${i}; mx.evil.example; none\r\n`,
    ].join("\r\n");
  const sets = (count: number): string => Array.from({ length: count }, (_, n) => set(n + 1)).join("");
  for (const [count, arc] of [
    [10, { result: "fail", count: 10 }],
    [11, { result: "policy", reason: "over-limit" }],
    [50, { result: "policy", reason: "over-limit" }],
  ] as const) {
    const resolve = zoneResolve(zone);
    const { checks } = await examineMail(`${sets(count)}${header}Pay 1.\r\n`, {}, resolve);
    expect(checks.arc).toEqual(arc);
    const asked = resolve.asked.filter((one) => one.includes("_domainkey")).length;
    expect(asked).toBe(count === 10 ? 1 : 0);
  }
});

describe("is not verified", () => {
  const signature =
    "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=bank.example; s=s1; h=from; bh=AA; b=AA";
  test.each([
    {
      says: "a message whose header has 100,000 lines",
      fields: `${signature}\r\nX: a\r\n${" a\r\n".repeat(100_000)}`,
    },
    { says: "a signature of 20,000 octets", fields: `${signature}; z=${"x".repeat(20_000)}\r\n` },
    {
      says: "a signature with a thousand spaces in a row",
      fields: `${signature};${" ".repeat(1000)}x=y\r\n`,
    },
    {
      says: "a signature that names 1,000 fields",
      fields: `${signature.replace("from", `from${":a".repeat(1000)}`)}\r\n`,
    },
    {
      says: "a message whose body has three million lines",
      fields: `${signature}\r\n`,
      body: Buffer.alloc(6_000_000, "\r\n"),
    },
  ])("$says", async ({ fields, body = Buffer.from("Pay 1.\r\n") }) => {
    const { hashedBytes, verified, evidence } = await examineCounting(
      Buffer.concat([Buffer.from(fields + header), body]),
    );
    expect(evidence.checks.dkim).toMatchObject([{ result: "policy", reason: "over-limit" }]);
    expect({ hashedBytes, verified }).toEqual({ hashedBytes: 0, verified: 0 });
  });
});

test("a body of one line is read once", async () => {
  const signed = Buffer.from((await signatureOf(`${header}x`)) + header);
  const message = Buffer.alloc(signed.length + 8 * 1024 * 1024, "x");
  message.set(signed);
  const concat = vi.spyOn(Buffer, "concat");
  await examineMail(message);
  const copied = concat.mock.calls.flatMap(([pieces]) => pieces.map(({ length }) => length));
  expect(copied.reduce((sum, length) => sum + length, 0)).toBeLessThan(2 * message.length);
});
