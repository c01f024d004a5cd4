/** The parameters of MAIL and RCPT, and the extensions that the other server must offer for them. */

import { describe, expect, test } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { type SinkOptions, startSink } from "../support/servers/smtp-sink.ts";
import { type DeliveryHouse, openDeliveryHouse, plainText, type SendOptions } from "./delivery-house.ts";

const zone = { "theirs.net": [["A", "127.0.0.1"]] } as const;

async function send(options: SendOptions, server: SinkOptions["server"] = {}) {
  await using stack = new AsyncDisposableStack();
  const sink = stack.use(await startSink({ server: { hideSMTPUTF8: false, ...server } as never }));
  const house: DeliveryHouse = stack.use(
    await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] }),
  );
  const submission = await house.send(options);
  const [recipient] = await house.recipients(submission);
  const opened = stack.move();
  return {
    sink,
    recipient,
    parameters: sink.mails[0]?.parameters,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const wide = plainText.replace("Hello.", "Grüße.");

test("a message of ASCII goes with its size alone", async () => {
  await using sent = await send({ to: ["bob@theirs.net"] }, { size: 1_000_000 });
  expect(sent.parameters).toEqual({ SIZE: String(plainText.length) });
});

describe("a message beyond ASCII", () => {
  test("is 8BITMIME", async () => {
    await using sent = await send({ to: ["bob@theirs.net"], text: wide, bodyType: "8BITMIME" });
    expect(sent.parameters).toMatchObject({ BODY: "8BITMIME" });
    expect(Buffer.from(sent.sink.mails[0]!.text, "latin1").toString()).toContain("Grüße.");
  });

  test("fails where the server takes 7-bit text only", async () => {
    await using sent = await send({ to: ["bob@theirs.net"], text: wide }, { hide8BITMIME: true } as never);
    expect(sent.recipient).toMatchObject({ state: "failed", status: "5.6.3" });
  });

  test("in its header is SMTPUTF8 where the sender said so", async () => {
    const text = plainText.replace("Hello", "Grüße");
    await using sent = await send({ to: ["bob@theirs.net"], text, isSmtputf8: true });
    expect(sent.parameters).toMatchObject({ SMTPUTF8: true });
    await using refused = await send(
      { to: ["bob@theirs.net"], text, isSmtputf8: true },
      { hideSMTPUTF8: true },
    );
    expect(refused.recipient).toMatchObject({ state: "failed", status: "5.6.9" });
  });
});

test("an address beyond ASCII needs SMTPUTF8", async () => {
  await using sent = await send({ to: ["jürgen@theirs.net"] });
  expect(sent.parameters).toMatchObject({ SMTPUTF8: true });
  expect(sent.sink.mails[0]!.to).toEqual(["jürgen@theirs.net"]);
  await using refused = await send({ to: ["jürgen@theirs.net"] }, { hideSMTPUTF8: true });
  expect(refused.recipient).toMatchObject({ state: "failed", status: "5.6.7" });
});

test("a message that is too large for the server is not sent", async () => {
  await using sent = await send({ to: ["bob@theirs.net"] }, { size: 10 });
  expect(sent.recipient).toMatchObject({ state: "failed", status: "5.3.4" });
  expect(sent.sink.mails).toHaveLength(0);
});

test("dots at the beginning of lines arrive unchanged, and bare line ends as CRLF", async () => {
  await using sent = await send({ to: ["bob@theirs.net"], text: "From: ada@ours.org\r\n\r\n.\r\n..a\r\n.b" });
  expect(sent.sink.mails[0]!.text).toBe("From: ada@ours.org\r\n\r\n.\r\n..a\r\n.b\r\n");
});

test("a mail of a domain with keys is signed twice", async () => {
  await using sink = await startSink();
  await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
  const { store } = house.test;
  const { makeDomainKeys } = await import("#/src/accounts/domain-keys.ts");
  await store.write(nobody, "addDomainKeys", {
    name: "ours.org",
    keys: await makeDomainKeys("ours.org", store.clock.now()),
  });
  await house.send({ to: ["bob@theirs.net"] });
  const signatures = sink.mails[0]!.text.match(/^DKIM-Signature: v=1; a=[a-z0-9-]+/gm);
  expect(signatures).toEqual(["DKIM-Signature: v=1; a=rsa-sha256", "DKIM-Signature: v=1; a=ed25519-sha256"]);
  expect(JSON.stringify(house.logLines)).not.toContain("PRIVATE");
});
