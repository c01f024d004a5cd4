/** The SMTP conversation itself, with servers that follow a script or break the rules. */
import { expect, test } from "vitest";
import { openDeliveryHouse } from "./delivery-house.ts";
import { startScriptedServer } from "./scripted-server.ts";

const zone = { "theirs.net": [["A", "127.0.0.1"]] } as const;
const plain = "250-mx.theirs.net\r\n250-8BITMIME\r\n250 SIZE 1000000";

test("the envelope and DATA go in one piece to a server that offers PIPELINING", async () => {
  await using server = await startScriptedServer({
    EHLO: `${plain}\r\n250 PIPELINING`.replace("250 SIZE", "250-SIZE"),
  });
  await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${server.port}`] });
  await house.send({ to: ["a@theirs.net", "b@theirs.net"] });
  const envelope = server.chunks.find((chunk) => chunk.startsWith("MAIL FROM:"))!;
  expect(envelope.split("\r\n")).toEqual([
    expect.stringMatching(/^MAIL FROM:<ada\+b-.{26}@ours\.org> SIZE=\d+$/),
    "RCPT TO:<a@theirs.net>",
    "RCPT TO:<b@theirs.net>",
    "DATA",
    "",
  ]);
  expect(server.commands[0]).toBe("EHLO mx.ours.org");
});

test("and one by one to any other", async () => {
  await using server = await startScriptedServer({ EHLO: plain });
  await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${server.port}`] });
  const submission = await house.send({ to: ["a@theirs.net", "b@theirs.net"] });
  expect(server.chunks.filter((chunk) => /^(?:MAIL|RCPT|DATA)/.test(chunk))).toHaveLength(4);
  expect(await house.recipients(submission)).toMatchObject([{ state: "relayed" }, { state: "relayed" }]);
});

test("a server without EHLO is greeted with HELO", async () => {
  await using server = await startScriptedServer({ EHLO: "500 what" });
  await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${server.port}`] });
  const submission = await house.send({ to: ["a@theirs.net"] });
  expect(server.commands).toContain("HELO mx.ours.org");
  expect(await house.recipients(submission)).toMatchObject([{ state: "relayed", status: "2.0.0" }]);
});

test.each<[string, Record<string, string>, string, string]>([
  ["refuses everybody at the door for now", { GREETING: "421 4.3.2 busy" }, "queued", "4.3.2"],
  ["refuses everybody at the door, today at least", { GREETING: "554 5.7.1 blocked" }, "queued", "4.7.1"],
  ["takes no mail at all (RFC 7504)", { GREETING: "521 5.3.2 no mail here" }, "failed", "5.3.2"],
  ["refuses the sender", { MAIL: "550 5.7.1 not you" }, "failed", "5.7.1"],
  ["refuses the sender for now", { MAIL: "451 4.7.1 wait" }, "queued", "4.7.1"],
  ["refuses DATA", { DATA: "554 5.5.1 no" }, "failed", "5.5.1"],
  ["refuses the message", { MESSAGE: "552 5.3.4 too large" }, "failed", "5.3.4"],
  ["refuses the message for now", { MESSAGE: "452 4.3.1 full" }, "queued", "4.3.1"],
  ["says 421 after the message", { MESSAGE: "421 4.3.2 closing" }, "queued", "4.3.2"],
  ["hangs up at the door", { GREETING: "DIE" }, "queued", "4.4.1"],
  ["hangs up at RCPT", { RCPT: "DIE" }, "queued", "4.4.1"],
  ["hangs up after the message", { MESSAGE: "DIE" }, "queued", "4.4.2"],
  ["is no mail server", { GREETING: "HTTP/1.1 400 Bad Request" }, "queued", "4.4.1"],
  ["answers without an end", { GREETING: "220-hello\r\n".repeat(20_000) }, "queued", "4.4.1"],
  ["says a line without an end", { EHLO: "2".repeat(200_000) }, "queued", "4.4.1"],
  ["answers what is no reply", { RCPT: "yes" }, "queued", "4.4.1"],
])("a server that %s", async (_, replies, state, status) => {
  await using server = await startScriptedServer({ EHLO: plain, ...replies });
  await using house = await openDeliveryHouse({
    zone,
    set: [`outbound.mx_port=${server.port}`],
  });
  const submission = await house.send({ to: ["a@theirs.net"] });
  expect(await house.recipients(submission)).toMatchObject([{ state, status, attemptCount: 1 }]);
});
