/** Whether a valid signature covers what is shown, when fields were added beside the signed ones. */
import { describe, expect, test } from "vitest";
import { examineMail, ordinaryFields, ownAddress, signatureOf } from "./signed-mail.ts";

interface Case {
  readonly says: string;
  /** What the signer had beside the ordinary fields. */
  readonly fields?: readonly string[];
  /** Names of the ordinary fields that it had not. */
  readonly without?: readonly string[];
  readonly signs?: string;
  /** Put on top of the signed message. */
  readonly top?: readonly string[];
  /** Put below the other fields. */
  readonly below?: readonly string[];
  readonly is: boolean;
}

const all = "From:To:Subject:Date:Message-ID:MIME-Version:Content-Type";

const cases: readonly Case[] = [
  { says: "everything signed", is: true },
  { says: "a second Subject on top", top: ["Subject: more money"], is: false },
  { says: "a second Subject below", below: ["Subject: more money"], is: false },
  { says: "a second Date", top: ["Date: Sun, 22 Nov 2026 10:00:00 +0000"], is: false },
  { says: "a second To", top: ["To: all@here.example"], is: false },
  { says: "a Cc that was not there", top: ["Cc: all@here.example"], is: false },
  { says: "a Sender that was not there", top: ["Sender: ceo@bank.example"], is: false },
  { says: "a second Message-ID", top: ["Message-ID: <2@evil.example>"], is: false },
  { says: "a Subject that was not there", without: ["Subject"], top: ["Subject: more"], is: false },
  {
    says: "a Date that was not there",
    without: ["Date"],
    top: ["Date: Sun, 22 Nov 2026 10:00:00 +0000"],
    is: false,
  },
  { says: "a name with a space before its colon", top: ["Subject : more money"], is: false },
  { says: "a name in capitals", top: ["SUBJECT: more money"], is: false },
  { says: "a second Content-Type", top: ["Content-Type: text/html"], is: false },
  { says: "a multipart on top", top: ['Content-Type: multipart/mixed; boundary="b"'], is: false },
  { says: "a second MIME-Version", top: ["MIME-Version: 1.0"], is: false },
  {
    says: "a second Content-Transfer-Encoding",
    fields: ["Content-Transfer-Encoding: 7bit"],
    signs: `${all}:Content-Transfer-Encoding`,
    top: ["Content-Transfer-Encoding: base64"],
    is: false,
  },
  {
    says: "a second Content-Transfer-Encoding beside one that the signer left out",
    fields: ["Content-Transfer-Encoding: 7bit"],
    signs: all,
    top: ["Content-Transfer-Encoding: base64"],
    is: false,
  },
  { says: "a Content-Type that the signer left out", signs: "From:To:Subject:Date:Message-ID", is: true },
  { says: "a Message-ID that the signer left out", signs: "From:To:Subject:Date", is: false },
  { says: "a To that the signer left out", signs: "From:Subject:Date:Message-ID", is: false },
  {
    says: "references that the signer left out",
    fields: ["References: <0@bank.example>"],
    signs: all,
    is: true,
  },
  {
    says: "a second Reply-To",
    fields: ["Reply-To: a@bank.example"],
    signs: `${all}:Reply-To`,
    top: ["Reply-To: x@evil.example"],
    is: false,
  },
  {
    says: "a Reply-To of another organization that is not signed",
    top: ["Reply-To: x@evil.example"],
    is: false,
  },
  { says: "one of them among several", top: ["Reply-To: a@bank.example, x@evil.example"], is: false },
  { says: "one without a domain", top: ["Reply-To: <x>"], is: false },
  {
    says: "a Reply-To of the same organization that is not signed",
    top: ["Reply-To: x@help.bank.example"],
    is: true,
  },
  {
    says: "a list's Reply-To",
    top: ["Reply-To: l@evil.example", "List-Post: <mailto:l@evil.example>"],
    is: false,
  },
  {
    says: "a second Content-Disposition",
    fields: ["Content-Disposition: inline"],
    top: ["Content-Disposition: attachment"],
    is: false,
  },
  ...(
    [
      ["Content-Type: text/html", true],
      ["Content-Type: text/plain; charset=utf-8", true],
      ["Content-Type: text/plain; charset=utf-16", false],
      ['Content-Type: multipart/mixed; boundary="b"', false],
      ["Content-Type: image/png", false],
      ["Content-Transfer-Encoding: 7bit", true],
      ["Content-Transfer-Encoding: quoted-printable", true],
      ["Content-Transfer-Encoding: base64", false],
      ["Content-Transfer-Encoding: x-own", false],
      ["Content-Disposition: inline", true],
      ["Content-Disposition: attachment; filename=a.txt", false],
    ] as const
  ).map(([field, is]) => ({
    says: `an unsigned ${field}`,
    without: ["Content-Type"],
    signs: "From:To:Subject:Date:Message-ID",
    top: [field],
    is,
  })),
  {
    says: "fields that no reader shows",
    top: ["X-Score: 5", "Received: from a by b", "Received: from b by c"],
    is: true,
  },
  {
    says: "two fields of a name, both signed",
    fields: ["References: <0@bank.example>", "References: <2@bank.example>"],
    signs: `${all}:References:References`,
    is: true,
  },
];

async function mailOf({ fields = [], without = [], signs, top = [], below = [] }: Omit<Case, "is" | "says">) {
  const kept = [...ordinaryFields, ...fields].filter((one) => !without.includes(one.split(":")[0]!));
  const body = "\r\n\r\nPay 1.\r\n";
  const signature = await signatureOf(kept.join("\r\n") + body, signs === undefined ? {} : { signs });
  const raw = [...top, `${signature.trimEnd()}`, ...kept, ...below].join("\r\n") + body;
  return raw;
}

describe("a signature alone authenticates", () => {
  test.each(cases)("$says: $is", async ({ is, ...one }) => {
    expect((await examineMail(await mailOf(one))).isAuthenticated).toBe(is);
  });
});

test("tells what a signature that vouches alone leaves out, and how old it is", async () => {
  const { checks } = await examineMail(
    await mailOf({ signs: "From:To:Subject:Date:Message-ID", top: ["Reply-To: x@help.bank.example"] }),
  );
  expect(checks).toMatchObject({
    reply_to: { covered: false },
    decoding: { covered: false, fields: ["content-type"] },
  });
  expect(checks.dkim?.[0]?.age_s).toBeLessThan(600);
  const list = ["Reply-To: l@list.example", "List-Post: <mailto:l@list.example>"];
  expect((await examineMail(await mailOf({ top: list }))).checks.reply_to).toEqual({
    covered: false,
    list: true,
  });
  expect((await examineMail(await mailOf({}))).checks).not.toHaveProperty("decoding");
});

test("a file that is sent alone stays what it is, and a text that is called a file is hidden", async () => {
  const mail = async (body: Buffer) => {
    const fields = [
      ...ordinaryFields.slice(0, -1),
      "Content-Type: application/zip",
      "Content-Transfer-Encoding: base64",
    ];
    const raw = `${fields.join("\r\n")}\r\n\r\n${body.toString("base64")}\r\n`;
    const signs = "From:To:Subject:Date:Message-ID:Content-Transfer-Encoding";
    return (await examineMail((await signatureOf(raw, { signs })) + raw)).isAuthenticated;
  };
  expect(await mail(Buffer.from([0x50, 0x4b, 3, 4, ...Array(400).keys()]))).toBe(true);
  expect(await mail(Buffer.from("Pay one to the account of always.\r\n".repeat(5)))).toBe(false);
});

test("text outside of the parts of an unsigned multipart is hidden by it; a short preamble is not", async () => {
  const mail = async (preamble: string, after = "") => {
    const fields = [...ordinaryFields.slice(0, -1), 'Content-Type: multipart/mixed; boundary="b"'];
    const raw = `${fields.join("\r\n")}\r\n\r\n${preamble}\r\n--b\r\n\r\nPay 2.\r\n--b--\r\n${after}`;
    return (await signatureOf(raw, { signs: "From:To:Subject:Date:Message-ID" })) + raw;
  };
  const long = "Pay one, to the same account as always. ".repeat(20);
  const is = async (text: string) => (await examineMail(text)).isAuthenticated;
  expect(await is(await mail("This is a multi-part message in MIME format."))).toBe(true);
  expect(await is(await mail(long))).toBe(false);
  expect(await is(await mail("", long))).toBe(false);
});

test("mail that passes SPF from the author's domain needs no signature of its fields", async () => {
  const mail = await mailOf({ top: ["Subject: more money"] });
  expect((await examineMail(mail, { ip: ownAddress })).isAuthenticated).toBe(true);
});

test("a DKIM check lists the shown fields of which the signature covers every instance", async () => {
  const { checks } = await examineMail(
    await mailOf({
      fields: ["Reply-To: a@bank.example", "References: <0@bank.example>"],
      signs: `${all}:Reply-To:X-Unseen:Cc`,
      top: ["Subject: more", "X-Unseen: 1"],
    }),
  );
  expect(checks.dkim?.[0]?.covers).toEqual([
    "from",
    "date",
    "to",
    "message-id",
    "reply-to",
    "mime-version",
    "content-type",
  ]);
});

test.each([
  {
    says: "unsigned, no SPF",
    top: ["Reply-To: x@bank.example"],
    ip: "198.51.100.99",
    reply_to: { covered: false },
  },
  {
    says: "signed, no SPF",
    fields: ["Reply-To: a@bank.example"],
    signs: `${all}:Reply-To`,
    ip: "198.51.100.99",
    reply_to: { covered: true },
  },
  { says: "unsigned, but SPF", top: ["Reply-To: x@bank.example"], ip: ownAddress, reply_to: undefined },
  { says: "none", ip: "198.51.100.99", reply_to: undefined },
])(
  "a Reply-To is reported as covered or not where DKIM alone authenticates: $says",
  async ({ ip, reply_to, ...one }) => {
    const { checks, isAuthenticated } = await examineMail(await mailOf(one), { ip });
    expect({ is: isAuthenticated, reply_to: checks.reply_to }).toEqual({ is: true, reply_to });
  },
);
