import { expect, test } from "vitest";
import { parseMail, parseRcpt } from "#/protocols/smtp/mail-commands.ts";
import { Refusal } from "#/protocols/smtp/reply.ts";

function answer(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `${error.reply.code} ${error.reply.status}`;
  }
  return "250";
}

const inTheClear = { auth: false, requireTls: false };
const submitted = { auth: true, requireTls: true };

const mails: readonly (readonly [line: string, answer: string])[] = [
  ["MAIL FROM:<a@b.example>", "250"],
  ["mail from:<a@b.example>", "250"],
  ["MAIL FROM: <a@b.example>", "250"],
  ["MAIL FROM:<>", "250"],
  ["MAIL FROM:<a@b.example> ", "250"],
  ["MAIL FROM:<a@b.example> SIZE=1000 BODY=8BITMIME SMTPUTF8 RET=HDRS ENVID=QQ314159", "250"],
  ["MAIL FROM:<a@b.example> size=1000 body=7bit ret=full", "250"],
  ["MAIL FROM:a@b.example", "501 5.1.7"],
  ["MAIL FROM:<a@b.example>RCPT TO:<x@y>", "501 5.5.4"],
  ["MAIL FROM <a@b.example>", "501 5.5.4"],
  ["MAIL TO:<a@b.example>", "501 5.5.4"],
  ["MAIL", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SIZE=-1", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SIZE=", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SIZE", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SIZE=99999999999999999999", "250"],
  ["MAIL FROM:<a@b.example> SIZE=999999999999999999999", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SIZE=1 SIZE=1", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> BODY=BINARYMIME", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> SMTPUTF8=yes", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> RET=SOME", "501 5.5.4"],
  ["MAIL FROM:<a@b.example> ENVID=a+0D+0Ab", "250"],
  ["MAIL FROM:<a@b.example> ENVID=a+0", "501 5.5.4"],
  [`MAIL FROM:<a@b.example> ENVID=${"e".repeat(101)}`, "501 5.5.4"],
  ["MAIL FROM:<a@b.example> REQUIRETLS", "555 5.5.4"],
  ["MAIL FROM:<a@b.example> XFOO=1", "555 5.5.4"],
  ["MAIL FROM:<a@b.example> AUTH=<>", "555 5.5.4"],
  ["MAIL FROM:<a@b.example> =1", "501 5.5.4"],
  ["MAIL FROM:<grün@b.example>", "553 5.6.7"],
  ["MAIL FROM:<grün@b.example> SMTPUTF8", "250"],
  [`MAIL FROM:<a@b.example> ${"X".repeat(5000)}`, "555 5.5.4"],
];

for (const [line, expected] of mails)
  test(`answers ${line.slice(0, 70)} with ${expected}`, () => {
    expect(answer(() => parseMail(Buffer.from(line), inTheClear))).toBe(expected);
  });

test("takes AUTH= where a login is offered, and refuses what is not xtext", () => {
  const mail = "MAIL FROM:<a@b.example> AUTH=";
  expect(answer(() => parseMail(Buffer.from(`${mail}<>`), submitted))).toBe("250");
  expect(answer(() => parseMail(Buffer.from(`${mail}e+3Dmc2@example.com`), submitted))).toBe("250");
  expect(answer(() => parseMail(Buffer.from(`${mail}a=b`), submitted))).toBe("501 5.5.4");
});

test("takes REQUIRETLS where it is offered, and without a value", () => {
  const read = (parameters: string) =>
    parseMail(Buffer.from(`MAIL FROM:<a@b.example>${parameters}`), submitted);
  expect(read(" requiretls").isTlsRequired).toBe(true);
  expect(read("").isTlsRequired).toBe(false);
  expect(answer(() => read(" REQUIRETLS=1"))).toBe("501 5.5.4");
});

test("refuses an address that is not UTF-8", () => {
  expect(
    answer(() => parseMail(Buffer.from("MAIL FROM:<gr\xfcn@b.example> SMTPUTF8", "latin1"), inTheClear)),
  ).toBe("501 5.1.7");
});

const recipients: readonly (readonly [line: string, answer: string])[] = [
  ["RCPT TO:<a@b.example>", "250"],
  ["RCPT TO:<Postmaster>", "250"],
  ["RCPT TO:<>", "501 5.1.3"],
  ["RCPT TO:<a@b.example> NOTIFY=NEVER", "250"],
  ["RCPT TO:<a@b.example> NOTIFY=success,FAILURE,delay ORCPT=rfc822;Bob+2B1@b.example", "250"],
  ["RCPT TO:<a@b.example> NOTIFY=NEVER,SUCCESS", "501 5.5.4"],
  ["RCPT TO:<a@b.example> NOTIFY=DELAY,DELAY", "501 5.5.4"],
  ["RCPT TO:<a@b.example> NOTIFY=", "501 5.5.4"],
  ["RCPT TO:<a@b.example> NOTIFY", "501 5.5.4"],
  ["RCPT TO:<a@b.example> ORCPT=rfc822", "501 5.5.4"],
  ["RCPT TO:<a@b.example> ORCPT=;a@b", "501 5.5.4"],
  [`RCPT TO:<a@b.example> ORCPT=rfc822;${"\\x{41}".repeat(90)}=`, "501 5.5.4"],
  ["RCPT TO:<a@b.example> SIZE=1", "555 5.5.4"],
  ["RCPT TO:<grün@b.example>", "553 5.6.7"],
];

for (const [line, expected] of recipients)
  test(`answers ${line.slice(0, 70)} with ${expected}`, () => {
    expect(answer(() => parseRcpt(Buffer.from(line), false))).toBe(expected);
  });

test("keeps the values of DSN parameters", () => {
  expect(parseMail(Buffer.from("MAIL FROM:<a@b.example> RET=hdrs ENVID=QQ+2B1"), inTheClear)).toMatchObject({
    ret: "HDRS",
    envid: "QQ+2B1",
  });
  expect(
    parseRcpt(Buffer.from("RCPT TO:<a@b.example> NOTIFY=Success,delay ORCPT=rfc822;x@y"), false),
  ).toMatchObject({
    notify: ["SUCCESS", "DELAY"],
    orcpt: "rfc822;x@y",
  });
});
