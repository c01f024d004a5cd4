/** Domains of authors that look the same have the same result, and are shown in the form in which they were checked. */
import { describe, expect, test } from "vitest";
import { authorOf } from "#/src/evidence/author.ts";
import { fromDomainOf, namesAnother, shownAddress } from "#/src/evidence/shown-address.ts";
import { readHeaderFields } from "#/src/formats/mime/header.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";
import { headerFacts } from "#/src/render/envelope.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import { corpusNote, hasCorpus, listCorpusMessages } from "../support/corpus.ts";
import { examineMail, ownAddress } from "./signed-mail.ts";

const mailFrom = (...from: string[]): string =>
  [...from.map((one) => `From: ${one}`), "To: me@here.example", "Subject: money", "", "Pay 1.", ""].join(
    "\r\n",
  );

describe("is judged, kept and shown as ceo@bank.example, and fails its policy", () => {
  test.each([
    ["a soft hyphen", "ceo@ba\u00adnk.example"],
    ["a zero-width space", "ceo@ba\u200bnk.example"],
    ["a word joiner", "ceo@bank.example\u2060"],
    ["fullwidth letters", "ceo@\uff42ank.example"],
    ["a Kelvin sign", "ceo@ban\u212a.example"],
    ["an ideographic full stop", "ceo@bank\u3002example"],
    ["a fullwidth full stop", "Boss <ceo@bank\uff0eexample>"],
    ["capitals", "ceo@BANK.Example"],
  ])("%s", async (_says, from) => {
    const raw = Buffer.from(mailFrom(from));
    expect(authorOf(readHeaderFields(raw))).toEqual({ address: "ceo@bank.example", domain: "bank.example" });
    expect((await headerFacts(raw, createRemovalTally())).from?.address).toBe("ceo@bank.example");
    expect((await prepareMessage(raw)).fromAddress).toBe("ceo@bank.example");
    expect(await examineMail(raw)).toMatchObject({ isAuthenticated: false, failedPolicy: "reject" });
    expect(await examineMail(raw, { ip: ownAddress })).toMatchObject({ isAuthenticated: true });
  });
});

test("a long s is an s in a domain", () => {
  expect(authorOf(readHeaderFields(Buffer.from(mailFrom("a@\u017ftrict.example"))))?.domain).toBe(
    "strict.example",
  );
});

describe("has no author, and fails the strictest policy of the domains that it names", () => {
  test.each([
    ["two From fields", ["ann@evil.example", "ceo@bank.example"]],
    ["two mailboxes", ["ann@evil.example, ceo@bank.example"]],
    ["a group", ["Board: ann@evil.example, ceo@bank.example;"]],
    ["a final dot", ["ceo@bank.example."]],
    ["empty brackets beside it", ["ceo@bank.example <>"]],
    ["brackets of another beside it", ["ceo@bank.example <ann@evil.example>"]],
    ["a domain that is not allowed", ["ceo@ba\u200dnk.example"]],
    ["a one dot leader", ["ceo@bank\u2024example"]],
    ["a no-break space behind it", ["ceo@bank.example\u00a0"]],
    ["an invisible letter in the local part", ["c\u200beo@bank.example"]],
    ["a label that is no host's", ["ceo@a_b.bank.example"]],
    ["an encoded word", ["=?utf-8?q?ceo=40bank.example?="]],
    ["a fullwidth at sign", ["ceo\uff20bank.example"]],
    ["a source route", ["<@evil.example:ceo@bank.example>"]],
    ["a quoted local part", ['"ceo@bank.example"@evil.example']],
    ["a weaker policy beside it", ["a@shop.example", "ceo@bank.example"]],
    [
      "seven others",
      [`${Array.from({ length: 7 }, (_, n) => `a@d${n}.example`).join(", ")}, ceo@bank.example`],
    ],
  ])("%s", async (_says, from) => {
    const evidence = await examineMail(mailFrom(...from), { ip: ownAddress, reversePath: "a@evil.example" });
    expect(evidence).toMatchObject({
      isAuthenticated: false,
      failedPolicy: "reject",
      checks: { dmarc: { result: "fail", policy: "reject" } },
    });
  });

  test("with more domains than the limit, quarantine at least", async () => {
    const many = Array.from({ length: 50 }, (_, n) => `a@d${n}.example`).join(", ");
    expect((await examineMail(mailFrom(many))).failedPolicy).toBe("quarantine");
    expect((await examineMail(mailFrom(`x@bank.example, ${many}`))).failedPolicy).toBe("reject");
  });

  test("no failed policy where every domain passes, or has no policy", async () => {
    for (const from of ["ann@bank.example, bob@bank.example", "Bank: ann@bank.example;"])
      expect((await examineMail(mailFrom(from), { ip: ownAddress })).failedPolicy).toBeUndefined();
    expect((await examineMail(mailFrom("undisclosed:;"))).failedPolicy).toBeUndefined();
  });
});

test.each([
  ["a@b\u00fccher.example", "a@b\u00fccher.example"],
  ["a@xn--bcher-kva.example", "a@b\u00fccher.example"],
  ["a@p\u0430ypal.example", "a@xn--pypal-4ve.example"],
  ["a@xn--80ak6aa92e.example", "a@xn--80ak6aa92e.example"],
  ["a@xn--strict-com-.example", "a@xn--strict-com-.example"],
  ["a@[192.0.2.1]", "a@[192.0.2.1]"],
  ["root", "root"],
])("shows %s as %s", (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});

test.each([
  ["ceo@bank.example", "x@evil.example", true],
  ["Ann (ceo@bank.example)", "x@evil.example", true],
  ["ceo\uff20bank.example", "x@evil.example", true],
  ["X@Evil.example", "x@evil.example", false],
  ["Ann", "x@evil.example", false],
  ["me @ home", "x@evil.example", false],
])("whether the name %s beside %s is another address: %s", (name, address, is) => {
  expect(namesAnother(name, address)).toBe(is);
});

test.runIf(hasCorpus)(
  `the checked author is the shown author, in every mail of the corpus${corpusNote}`,
  async () => {
    let count = 0;
    for (const { bytes } of listCorpusMessages()) {
      const author = authorOf(readHeaderFields(bytes));
      if (author === undefined) continue;
      count++;
      const { from } = await headerFacts(bytes, createRemovalTally());
      const judged = shownAddress(author.address).toLowerCase();
      expect(from?.address.toLowerCase()).toBe(judged);
      expect((await prepareMessage(bytes)).fromAddress).toBe(judged);
    }
    expect(count).toBeGreaterThan(500);
  },
);

test.each([
  ["kit@xn--bcher-kva.example", "xn--bcher-kva.example"],
  ["kit@bücher.example", "xn--bcher-kva.example"],
  ["kit@BÜCHER.example", "xn--bcher-kva.example"],
  ["kit", undefined],
])("the provenance of mail from %s has the domain in one form", (address, fromDomain) => {
  expect(fromDomainOf(address).fromDomain).toBe(fromDomain);
});
