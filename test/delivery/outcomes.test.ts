/** The replies of other servers, and the state of the mail after each. */
import { describe, expect, test } from "vitest";
import { type SmtpSink, startSink } from "../support/servers/smtp-sink.ts";
import { openDeliveryHouse, plainText } from "./delivery-house.ts";

const minute = 60_000;
const hour = 60 * minute;

function zoneOf() {
  return {
    "theirs.net": [["MX", [10, "mx.theirs.net"]]],
    "mx.theirs.net": [["A", "127.0.0.1"]],
  } as const;
}

function settingsOf(sink: SmtpSink): string[] {
  return [`outbound.mx_port=${sink.port}`];
}

test("a mail goes over TLS to the server of its domain, under a return path of its own", async () => {
  await using sink = await startSink();
  await using house = await openDeliveryHouse({ zone: zoneOf(), set: settingsOf(sink) });
  const submission = await house.send({ to: ["bob@theirs.net"] });
  expect(sink.mails).toMatchObject([
    {
      from: expect.stringMatching(/^ada\+b-[0-9a-z]{26}@ours\.org$/),
      to: ["bob@theirs.net"],
      isSecure: true,
      text: expect.stringContaining("\r\n\r\nHello.\r\n"),
    },
  ]);
  expect(await house.recipients(submission)).toMatchObject([
    { state: "relayed", status: "2.0.0", host: "mx.theirs.net" },
  ]);
  expect(await house.events()).toEqual(["mail.sent bob@theirs.net sent 2.0.0"]);
  expect(house.logLines).toMatchObject([
    {
      msg: "delivery attempt",
      message: expect.stringMatching(/^message_/),
      domain: "theirs.net",
      tls: true,
      outcomes: ["relayed 2.0.0"],
      replies: [expect.stringMatching(/^250 /)],
    },
  ]);
});

test("recipients of one mail go in one transaction, and each has its own outcome", async () => {
  const replies: Record<string, { code: number; text: string }> = {
    "no@theirs.net": { code: 550, text: "5.1.1 no such user" },
    "later@theirs.net": { code: 451, text: "4.7.1 greylisted" },
  };
  await using sink = await startSink({ onRecipient: (address) => replies[address] });
  await using house = await openDeliveryHouse({ zone: zoneOf(), set: settingsOf(sink) });
  const submission = await house.send({
    to: ["yes@theirs.net", "no@theirs.net", "later@theirs.net", "ja@theirs.net"],
  });
  expect(sink.mails.map(({ to }) => to)).toEqual([["yes@theirs.net", "ja@theirs.net"]]);
  expect(await house.recipients(submission)).toMatchObject([
    { state: "relayed" },
    { state: "failed", status: "5.1.1", reply: expect.stringContaining("no such user") },
    { state: "queued", status: "4.7.1", attemptCount: 1 },
    { state: "relayed" },
  ]);
  delete replies["later@theirs.net"];
  await house.advance(2 * minute);
  expect(sink.mails.map(({ to }) => to)).toEqual([["yes@theirs.net", "ja@theirs.net"], ["later@theirs.net"]]);
  expect(await house.events()).toEqual([
    "mail.sent yes@theirs.net sent 2.0.0",
    "mail.bounced no@theirs.net bounced 5.1.1",
    "mail.sent ja@theirs.net sent 2.0.0",
    "mail.sent later@theirs.net sent 2.0.0",
  ]);
  await expect(house.send({ to: ["NO@theirs.net"] })).rejects.toThrow(/has failed for good before/);
});

test("recipients that were deferred together are tried together", async () => {
  let isBusy = true;
  await using sink = await startSink({
    onRecipient: () => (isBusy ? { code: 450, text: "4.2.1 busy" } : undefined),
  });
  await using house = await openDeliveryHouse({ zone: zoneOf(), set: settingsOf(sink) });
  await house.send({ to: ["a@theirs.net", "b@theirs.net", "c@theirs.net"] });
  isBusy = false;
  for (let seconds = 0; seconds < 90; seconds += 5) await house.advance(5000);
  expect(sink.mails.map((mail) => mail.to.length)).toEqual([3]);
});

test("a mail to 250 recipients is sent in transactions of at most 100", async () => {
  await using sink = await startSink();
  await using house = await openDeliveryHouse({
    zone: zoneOf(),
    set: [...settingsOf(sink), "holds.bulk_recipients=1000", "smtp.max_recipients=250"],
  });
  const to = Array.from({ length: 250 }, (_, n) => `u${n}@theirs.net`);
  await house.send({ to });
  expect(sink.mails.map((mail) => mail.to.length)).toEqual([100, 100, 50]);
  expect(new Set(sink.mails.flatMap((mail) => mail.to)).size).toBe(250);
});

test("a server that accepts few recipients in one transaction gets the others immediately after it", async () => {
  let count = 0;
  await using sink = await startSink({
    onRecipient: () => (++count > 3 ? { code: 452, text: "4.5.3 too many recipients" } : undefined),
    onMessage: () => {
      count = 0;
      return undefined;
    },
  });
  await using house = await openDeliveryHouse({ zone: zoneOf(), set: settingsOf(sink) });
  const submission = await house.send({ to: [1, 2, 3, 4, 5, 6, 7].map((n) => `u${n}@theirs.net`) });
  expect(sink.mails.map((mail) => mail.to.length)).toEqual([3, 3, 1]);
  expect((await house.recipients(submission)).map(({ state }) => state)).toEqual(Array(7).fill("relayed"));
});

test("mails to one domain share a connection", async () => {
  await using sink = await startSink();
  await using house = await openDeliveryHouse({
    zone: zoneOf(),
    set: [...settingsOf(sink), "outbound.connections_per_domain=1"],
    isStopped: true,
  });
  for (let n = 0; n < 5; n++) await house.send({ to: [`u${n}@theirs.net`] });
  house.start();
  await house.advance(0);
  expect(sink.mails.map(({ to }) => to[0])).toEqual([0, 1, 2, 3, 4].map((n) => `u${n}@theirs.net`));
  expect(sink.connectionCount).toBe(1);
});

test("a connection ends after a hundred mails, and the next one carries as many", async () => {
  await using sink = await startSink();
  await using house = await openDeliveryHouse({
    zone: zoneOf(),
    set: [
      ...settingsOf(sink),
      "outbound.connections_per_domain=1",
      "limits.sends_per_hour=1000",
      "limits.sends_per_day=1000",
    ],
    isStopped: true,
  });
  // Each has a Message-ID of its own: many of one would be a loop.
  const textOf = (n: number) => plainText.replace("Message-ID: <", `Message-ID: <${n}.`);
  await Promise.all(
    Array.from({ length: 205 }, (_, n) => house.send({ to: [`u${n}@theirs.net`], text: textOf(n) })),
  );
  house.start();
  await house.advance(0);
  expect(sink.mails).toHaveLength(205);
  expect(sink.connectionCount).toBe(3);
});

test("a server that refuses a message still gets the next one over the same connection", async () => {
  await using sink = await startSink({
    onMessage: ({ to }) => (to[0] === "u0@theirs.net" ? { code: 554, text: "5.6.0 not that" } : undefined),
    onSender: (address) => (address.startsWith("pat") ? { code: 550, text: "5.7.1 not you" } : undefined),
  });
  await using house = await openDeliveryHouse({
    zone: zoneOf(),
    set: [...settingsOf(sink), "outbound.connections_per_domain=1"],
    isStopped: true,
  });
  const refused = await house.send({ to: ["u0@theirs.net"] });
  const unwanted = await house.send({ by: "person", to: ["u1@theirs.net"] });
  const taken = await house.send({ to: ["u2@theirs.net"] });
  house.start();
  await house.advance(0);
  expect(await house.recipients(refused)).toMatchObject([{ state: "failed", status: "5.6.0" }]);
  expect(await house.recipients(unwanted, house.person)).toMatchObject([
    { state: "failed", status: "5.7.1" },
  ]);
  expect(await house.recipients(taken)).toMatchObject([{ state: "relayed" }]);
  expect(sink.connectionCount).toBe(1);
});

describe("a connection that ends", () => {
  test("after the message leaves it in the queue, and it arrives once", async () => {
    let count = 0;
    await using sink = await startSink({ onMessage: () => (++count === 1 ? "die" : undefined) });
    await using house = await openDeliveryHouse({ zone: zoneOf(), set: settingsOf(sink) });
    const submission = await house.send({ to: ["bob@theirs.net"] });
    expect(await house.recipients(submission)).toMatchObject([{ state: "queued", status: "4.4.2" }]);
    await house.advance(2 * minute);
    await house.advance(hour);
    expect(sink.mails).toHaveLength(1);
    expect(count).toBe(2);
    expect(await house.recipients(submission)).toMatchObject([{ state: "relayed", attemptCount: 2 }]);
  });

  test("with 421 before the message sends it to the next server", async () => {
    await using sink = await startSink({
      onConnect: (count) => (count === 1 ? { code: 421, text: "4.3.2 closing" } : undefined),
    });
    await using house = await openDeliveryHouse({
      zone: {
        "theirs.net": [
          ["MX", [10, "a.theirs.net"]],
          ["MX", [20, "b.theirs.net"]],
        ],
        "a.theirs.net": [["A", "127.0.0.1"]],
        "b.theirs.net": [["A", "127.0.0.2"]],
      },
      set: settingsOf(sink),
    });
    // The sink listens on 127.0.0.1 only: the second server cannot be reached, and the first one is asked again later.
    const submission = await house.send({ to: ["bob@theirs.net"] });
    expect(await house.recipients(submission)).toMatchObject([{ state: "queued", status: "4.3.2" }]);
    await house.advance(2 * minute);
    expect(sink.mails).toHaveLength(1);
  });

  test("after no reply at all counts as one attempt", async () => {
    await using sink = await startSink({ server: { onRcptTo: () => {} } });
    await using house = await openDeliveryHouse({
      zone: zoneOf(),
      set: [...settingsOf(sink), "outbound.reply_timeout_ms=100"],
    });
    const submission = await house.send({ to: ["bob@theirs.net"] });
    expect(await house.recipients(submission)).toMatchObject([
      { state: "queued", status: "4.4.1", attemptCount: 1 },
    ]);
  });
});

test("attempts are made at longer and longer intervals, and end after five days", async () => {
  let count = 0;
  await using sink = await startSink({
    onRecipient: () => {
      count++;
      return { code: 450, text: "4.2.0 busy" };
    },
  });
  await using house = await openDeliveryHouse({ zone: zoneOf(), set: settingsOf(sink) });
  const submission = await house.send({ to: ["bob@theirs.net"] });
  const counts: number[] = [];
  for (let hours = 0; hours < 122; hours++) {
    if (hours % 24 === 0) counts.push(count);
    await house.advance(hour);
  }
  expect(await house.recipients(submission)).toMatchObject([{ state: "failed", status: "4.4.7" }]);
  expect(await house.events()).toEqual([
    "mail.delayed bob@theirs.net delayed 4.2.0",
    "mail.bounced bob@theirs.net bounced 4.4.7",
  ]);
  const daily = counts.map((value, day) => value - (counts[day - 1] ?? 0)).slice(2);
  for (const tries of daily) expect(tries).toBeGreaterThan(7);
  for (const tries of daily) expect(tries).toBeLessThan(20);
});

test("mail in the queue when the runner stops is delivered by the next runner", async () => {
  await using sink = await startSink();
  await using house = await openDeliveryHouse({ zone: zoneOf(), set: settingsOf(sink) });
  await house.delivery[Symbol.asyncDispose]();
  await house.send({ to: ["bob@theirs.net"] });
  expect(sink.mails).toHaveLength(0);
  house.start();
  await house.advance(0);
  expect(sink.mails).toHaveLength(1);
});
