/** Notifications, read by mailparser and by our own reader. */
import { simpleParser } from "mailparser";
import { describe, expect, test } from "vitest";
import { readDeliveryReport } from "#/src/outbound/read-report.ts";
import { composeReport, type ReportFacts } from "#/src/outbound/reports.ts";

const sent = Buffer.from("Subject: Hi\r\nMessage-ID: <1@ours.org>\r\nX-Own: a\r\n\r\nsecret body\r\n");
const at = Date.UTC(2026, 0, 5, 12);

const facts: ReportFacts = {
  hostname: "mx.ours.org",
  sender: "pat@ours.org",
  envid: "QQ+2B314159",
  ret: null,
  recipients: [
    {
      address: "bob@theirs.net",
      orcpt: "rfc822;Robert+2Bx@theirs.net",
      action: "failed",
      status: "5.1.1",
      host: "mx.theirs.net",
      reply: "550 5.1.1 no such user\r\nInjected: x",
    },
    { address: "eve@theirs.net", orcpt: null, action: "delayed", status: "4.7.1" },
  ],
  arrivedAt: at - 1000,
  at,
  expiresAt: at + 3_600_000,
  message: sent,
};

test("a report of a failure explains it in text and in fields, and is in the thread of the mail", async () => {
  const bytes = composeReport(facts);
  const mail = await simpleParser(bytes);
  expect(mail.subject).toBe("Your message could not be delivered");
  expect(mail.from?.text).toContain("mailer-daemon@ours.org");
  expect(mail.to).toMatchObject({ text: "pat@ours.org" });
  expect(mail.inReplyTo).toBe("<1@ours.org>");
  expect(mail.headers.get("auto-submitted")).toBe("auto-replied");
  expect(mail.text).toContain("<bob@theirs.net>");
  expect(bytes.toString()).toContain(
    [
      "Original-Envelope-Id: QQ+314159",
      "Reporting-MTA: dns; mx.ours.org",
      "Arrival-Date: Mon, 05 Jan 2026 11:59:59 +0000",
      "",
      "Original-Recipient: rfc822; Robert+x@theirs.net",
      "Final-Recipient: rfc822; bob@theirs.net",
      "Action: failed",
      "Status: 5.1.1",
      "Remote-MTA: dns; mx.theirs.net",
      "Diagnostic-Code: smtp; 550 5.1.1 no such user  Injected: x",
      "Last-Attempt-Date: Mon, 05 Jan 2026 12:00:00 +0000",
      "",
      "Final-Recipient: rfc822; eve@theirs.net",
      "Action: delayed",
      "Status: 4.7.1",
      "Last-Attempt-Date: Mon, 05 Jan 2026 12:00:00 +0000",
      "Will-Retry-Until: Mon, 05 Jan 2026 13:00:00 +0000",
      "",
    ].join("\r\n"),
  );
});

test("a written report can be read by the reader of reports", () => {
  expect(readDeliveryReport(composeReport(facts))).toEqual({
    envid: "QQ+314159",
    recipients: [
      {
        action: "failed",
        status: "5.1.1",
        addresses: ["robert+x@theirs.net", "bob@theirs.net"],
        host: "mx.theirs.net",
        diagnostic: "550 5.1.1 no such user  Injected: x",
      },
      { action: "delayed", status: "4.7.1", addresses: ["eve@theirs.net"], host: "mx.ours.org" },
    ],
  });
});

describe("what comes back of the message", () => {
  test.each([
    ["its header, if nothing was asked for", {}, false],
    ["all of it, if that was asked for", { ret: "FULL" as const }, true],
    [
      "its header, if it is large",
      { ret: "FULL" as const, message: Buffer.concat([sent, Buffer.alloc(2_000_000, "x\r\n")]) },
      false,
    ],
  ])("is %s", (_, change, isWhole) => {
    const text = composeReport({ ...facts, ...change }).toString();
    expect(text).toContain("X-Own: a");
    expect(text.includes("secret body")).toBe(isWhole);
    expect(text).toContain(`Content-Type: ${isWhole ? "message/rfc822" : "text/rfc822-headers"}`);
  });

  test("is its header, if it was delivered", () => {
    const recipients = [
      { address: "bob@theirs.net", orcpt: null, action: "delivered" as const, status: "2.1.5" },
    ];
    const text = composeReport({ ...facts, ret: "FULL", recipients }).toString();
    expect(text).toContain("Subject: Your message was delivered");
    expect(text).not.toContain("secret body");
  });
});

test("an address beyond ASCII makes it a report of RFC 6533", async () => {
  const recipients = [
    {
      address: "jürgen@theirs.net",
      orcpt: null,
      action: "failed" as const,
      status: "5.1.1",
      reply: "kein Jürgen",
    },
  ];
  const bytes = composeReport({ ...facts, recipients });
  const text = bytes.toString();
  expect(text).toContain("Content-Type: message/global-delivery-status");
  expect(text).toContain("Content-Type: message/global-headers");
  expect(text).toContain("Final-Recipient: utf-8; jürgen@theirs.net");
  expect(readDeliveryReport(bytes)?.recipients[0]?.addresses).toEqual(["jürgen@theirs.net"]);
});

test("the reply of another server is written in ASCII in ASCII reports", () => {
  const recipients = [{ ...facts.recipients[0]!, reply: "nein\u202e\u00e4" }];
  const bytes = composeReport({ ...facts, recipients });
  expect(bytes.every((octet) => octet < 128)).toBe(true);
});

describe("a report of another server", () => {
  const postfix = (status: string) =>
    Buffer.from(
      `Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n--b\r\n\r\nsorry\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n${status}\r\n--b--\r\n`,
    );

  test("may have folded fields, any case, and bare line feeds", () => {
    const status =
      "reporting-mta: DNS;mx.net\n\nFINAL-RECIPIENT: RFC822;<Bob@Theirs.net>\nAction: Failed\nStatus: 5.2.2\n (full)\n";
    expect(readDeliveryReport(postfix(status))?.recipients).toMatchObject([
      { action: "failed", status: "5.2.2", addresses: ["bob@theirs.net"], host: "mx.net" },
    ]);
  });

  test.each([
    ["no status", "Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; a@b\r\nAction: failed\r\n"],
    ["a status that is none", "Reporting-MTA: dns; x\r\n\r\nAction: failed\r\nStatus: 550\r\n"],
    ["no recipients", "Reporting-MTA: dns; x\r\n"],
  ])("with %s has no recipients", (_, status) => {
    expect(readDeliveryReport(postfix(status))?.recipients).toEqual([]);
  });

  test("of another type is no report", () => {
    expect(readDeliveryReport(sent)).toBeUndefined();
    const disposition =
      "Content-Type: multipart/report; report-type=disposition-notification; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b\r\nContent-Type: message/disposition-notification\r\n\r\nDisposition: x\r\n--b--\r\n";
    expect(readDeliveryReport(Buffer.from(disposition))).toBeUndefined();
  });

  test("is read up to 1,000 recipients", () => {
    const group = "\r\nFinal-Recipient: rfc822; a@b\r\nAction: failed\r\nStatus: 5.0.0\r\n";
    const report = readDeliveryReport(postfix(`Reporting-MTA: dns; x\r\n${group.repeat(20_000)}`));
    expect(report?.recipients).toHaveLength(1000);
  });
});
