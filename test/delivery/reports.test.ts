/** How senders learn about failures: notifications for mail by SMTP, events for mail by `send`; and reports of other servers. */

import { describe, expect, test } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { recordReport } from "#/src/arrival/recognise-report.ts";
import { offerThreads } from "#/src/mail/header-reading.ts";
import { mainBytesMax } from "#/src/model/limits.ts";
import { composeReport } from "#/src/outbound/reports.ts";
import { startSink } from "../support/servers/smtp-sink.ts";
import { type DeliveryHouse, openDeliveryHouse } from "./delivery-house.ts";

const hour = 3_600_000;
const zone = { "theirs.net": [["A", "127.0.0.1"]] } as const;

function refuse(code: number, text: string) {
  return startSink({ onRecipient: (address) => (address.startsWith("no") ? { code, text } : undefined) });
}

describe("a person who sends by SMTP", () => {
  test("gets a notice in INBOX when it failed", async () => {
    await using sink = await refuse(550, "5.1.1 unknown");
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    await house.send({ by: "person", to: ["no@theirs.net", "yes@theirs.net"], envid: "abc" });
    const letters = await house.letters();
    expect(letters).toHaveLength(1);
    expect(letters[0]).toContain("Final-Recipient: rfc822; no@theirs.net\r\nAction: failed\r\nStatus: 5.1.1");
    expect(letters[0]).toContain("Original-Envelope-Id: abc");
    expect(letters[0]).not.toContain("yes@theirs.net");
  });

  test.each([
    ["asked for none", ["NEVER"], 0],
    ["asked for successes only", ["SUCCESS"], 0],
    ["asked for failures", ["FAILURE"], 1],
  ])("gets the notices that were requested: %s", async (_, notify, count) => {
    await using sink = await refuse(550, "5.1.1 unknown");
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    await house.send({ by: "person", to: [{ address: "no@theirs.net", notify }] });
    expect(await house.letters()).toHaveLength(count);
  });

  test("with the null reverse path gets no notification", async () => {
    await using sink = await refuse(550, "5.1.1 unknown");
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    await house.send({ by: "person", from: "", to: ["no@theirs.net", "yes@theirs.net"] });
    expect(sink.mails).toMatchObject([{ from: "", to: ["yes@theirs.net"] }]);
    expect(await house.letters()).toHaveLength(0);
  });

  test("gets one notice of the delay, then one of the failure", async () => {
    await using sink = await refuse(450, "4.2.1 busy");
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    await house.send({ by: "person", to: ["no@theirs.net"] });
    await house.advance(3 * hour);
    expect(await house.letters()).toHaveLength(0);
    await house.advance(2 * hour);
    await house.advance(24 * hour);
    const letters = await house.letters();
    expect(letters).toHaveLength(1);
    expect(letters[0]).toContain("Action: delayed\r\nStatus: 4.2.1");
    await house.advance(5 * 24 * hour);
    expect((await house.letters())[1]).toContain("Action: failed\r\nStatus: 4.4.7");
  });

  test("gets a notice of success from this server where the other server does not report it", async () => {
    await using sink = await startSink();
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    await house.send({ by: "person", to: [{ address: "yes@theirs.net", notify: ["SUCCESS"] }] });
    expect((await house.letters())[0]).toContain("Action: relayed");
  });

  test("gets a notice of success in a mailbox of this server", async () => {
    await using house = await openDeliveryHouse();
    await house.send({ by: "person", to: [{ address: "ada@ours.org", notify: ["SUCCESS"] }] });
    expect((await house.letters())[0]).toContain("Action: delivered\r\nStatus: 2.1.5");
  });
});

test("DSN parameters are passed to a server that supports them, which then has to report", async () => {
  await using sink = await startSink({ server: { hideDSN: false } as never });
  await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
  await house.send({
    by: "person",
    envid: "QQ+2B1",
    ret: "HDRS",
    to: [
      { address: "yes@theirs.net", notify: ["SUCCESS", "FAILURE"], orcpt: "rfc822;Yes+2B@theirs.net" },
      { address: "ja@theirs.net" },
    ],
  });
  expect(sink.mails[0]?.parameters).toMatchObject({ RET: "HDRS", ENVID: "QQ+1" });
  expect(sink.recipientParameters.get("yes@theirs.net")).toMatchObject({ NOTIFY: "SUCCESS,FAILURE" });
  expect(await house.letters()).toHaveLength(0);
});

describe("a report of another server", () => {
  async function sentMail(house: DeliveryHouse, by: "agent" | "person" = "agent", to = ["bob@theirs.net"]) {
    const submission = await house.send({ by, to });
    const owner = by === "agent" ? house.agent : house.person;
    return { submission, owner, token: house.dispatch.tokenOf({ agent: owner.agent, submission }) };
  }

  function report(action: "failed" | "delayed" | "delivered", status: string, address = "bob@theirs.net") {
    return composeReport({
      hostname: "mx.theirs.net",
      sender: "x@ours.org",
      envid: null,
      ret: null,
      recipients: [{ address, orcpt: null, action, status, reply: "so it is" }],
      arrivedAt: 0,
      at: 0,
      expiresAt: 0,
      message: Buffer.from("Subject: x\r\n\r\n"),
    });
  }

  async function open() {
    const sink = await startSink();
    const house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    await using stack = new AsyncDisposableStack();
    stack.use(sink);
    stack.use(house);
    const opened = stack.move();
    return { house, sink, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  function arrive(house: DeliveryHouse, to: string, bytes: Buffer, owner = house.agent, reversePath = "") {
    const recipient = { account: owner.account, agent: owner.agent, address: to };
    return recordReport(
      { store: house.test.store, settings: defaultSettings() },
      { bytes, reversePath, recipients: [recipient] },
    );
  }

  test.each([
    ["failed", "5.2.2", "mail.bounced bob@theirs.net bounced 5.2.2"],
    ["delivered", "2.0.0", "mail.delivered bob@theirs.net delivered 2.0.0"],
    ["delayed", "4.2.2", "mail.delayed bob@theirs.net delayed 4.2.2"],
  ] as const)("that says %s becomes an event, and no mail", async (action, status, event) => {
    await using open_ = await open();
    const { house, sink } = open_;
    await sentMail(house);
    expect(await arrive(house, sink.mails[0]!.from, report(action, status))).toBe(true);
    expect((await house.events()).at(-1)).toBe(event);
    // The same again says nothing new.
    await arrive(house, sink.mails[0]!.from, report(action, status));
    expect((await house.events()).filter((one) => one === event)).toHaveLength(1);
  });

  test.each([
    ["relayed", "relayed"],
    ["expanded", "delivered"],
    ["vanished", "relayed"],
  ])("that says %s leaves the recipient %s", async (action, state) => {
    await using open_ = await open();
    const { house, sink } = open_;
    const { submission } = await sentMail(house);
    const bytes = Buffer.from(
      report("delivered", "2.0.0").toString().replace("Action: delivered", `Action: ${action}`),
    );
    await arrive(house, sink.mails[0]!.from, bytes);
    expect(await house.recipients(submission)).toMatchObject([{ state }]);
  });

  test("of a bad address suppresses further mail to it", async () => {
    await using open_ = await open();
    const { house, sink } = open_;
    await sentMail(house);
    await arrive(house, sink.mails[0]!.from, report("failed", "5.1.1"));
    await expect(house.send({ to: ["bob@theirs.net"] })).rejects.toThrow(/failed for good/);
  });

  test("on what a person sent is recorded, and stays a mail", async () => {
    await using open_ = await open();
    const { house, sink } = open_;
    const { submission } = await sentMail(house, "person");
    expect(await arrive(house, sink.mails[0]!.from, report("failed", "5.2.2"), house.person)).toBe(false);
    expect(await house.recipients(submission, house.person)).toMatchObject([
      { state: "failed", status: "5.2.2" },
    ]);
  });

  test("that comes to the plain address is recognised by the ENVID", async () => {
    await using open_ = await open();
    const { house } = open_;
    const { token } = await sentMail(house);
    const bytes = Buffer.from(
      report("failed", "5.2.2")
        .toString()
        .replace("Reporting-MTA", `Original-Envelope-Id: ${token}\r\nReporting-MTA`),
    );
    expect(await arrive(house, house.agent.address, bytes)).toBe(true);
  });

  test("about a forwarded address applies to the only recipient; with several recipients to none", async () => {
    await using open_ = await open();
    const { house, sink } = open_;
    await sentMail(house);
    expect(await arrive(house, sink.mails[0]!.from, report("failed", "5.1.1", "other@far.net"))).toBe(true);
    await sentMail(house, "agent", ["b1@theirs.net", "b2@theirs.net"]);
    expect(await arrive(house, sink.mails[1]!.from, report("failed", "5.1.1", "other@far.net"))).toBe(false);
  });

  test("that is forged is stored as mail", async () => {
    await using open_ = await open();
    const { house, sink } = open_;
    const { submission } = await sentMail(house);
    const good = sink.mails[0]!.from;
    const forged = good.replace(/.(?=@)/, (letter) => (letter === "0" ? "1" : "0"));
    expect(await arrive(house, forged, report("failed", "5.1.1"))).toBe(false);
    expect(await arrive(house, "ada@ours.org", report("failed", "5.1.1"))).toBe(false);
    expect(await arrive(house, good, report("failed", "5.1.1"), house.person)).toBe(false);
    expect(await arrive(house, good, Buffer.from("Subject: I am away\r\n\r\nBack soon.\r\n"))).toBe(false);
    expect(await house.recipients(submission)).toMatchObject([{ state: "relayed" }]);
  });

  test("that takes a thread too long to read is mail", async () => {
    await using open_ = await open();
    const { house, sink } = open_;
    await sentMail(house);
    using _ = offerThreads("arrival", async () => undefined);
    const bytes = Buffer.concat([report("failed", "5.1.1"), Buffer.alloc(mainBytesMax, "x")]);
    expect(await arrive(house, sink.mails[0]!.from, bytes)).toBe(false);
  });

  test("does not change a recipient that is still in our queue", async () => {
    await using sink = await refuse(450, "4.2.1 busy");
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    const { submission, token } = await sentMail(house, "agent", ["no@theirs.net"]);
    expect(
      await arrive(house, `ada+b-${token}@ours.org`, report("delivered", "2.0.0", "no@theirs.net")),
    ).toBe(false);
    expect(await house.recipients(submission)).toMatchObject([{ state: "queued" }]);
  });
});
