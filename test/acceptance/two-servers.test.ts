/** One Waypost sends mail to another: it finds the server in the DNS and uses TLS, and the other one verifies the signatures. Reports of
 *  the other one come back. */

import SMTPConnection from "nodemailer/lib/smtp-connection";
import { expect, test } from "vitest";
import { administer } from "#/src/accounts/administration/operations.ts";
import type { DnsRecord } from "#/src/accounts/dns-records.ts";
import { atCommandLine, nobody } from "#/src/model/author.ts";
import { composeReport } from "#/src/outbound/reports.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import { zoneOfRecords } from "../support/servers/dns-zone.ts";

async function eventsOf({ daemon, agents }: InProcessDaemon): Promise<string[]> {
  const { store } = daemon.house;
  const rows = await store.all<{ event: string; data: string }>(
    "select event, data from change where agent_id = ? and event is not null order by modseq, ordinal",
    store.ids.decode(agents[0]!.id)!.agent,
  );
  return rows.map(({ event, data }) => {
    const { recipient, outcome } = JSON.parse(data);
    return `${event} ${recipient ?? ""} ${outcome?.code ?? ""}`.trim();
  });
}

function deliverTo(port: number, recipient: string, message: Buffer): Promise<void> {
  const connection = new SMTPConnection({ host: "127.0.0.1", port, ignoreTLS: true });
  return new Promise((resolve, reject) => {
    connection.on("error", reject);
    connection.connect(() =>
      connection.send({ from: false, to: recipient }, message, (error) => {
        connection.quit();
        if (error === null) resolve();
        else reject(error);
      }),
    );
  });
}

test("a mail between two servers is signed and authenticated, and bounces are events", async () => {
  const port = await freePort();
  await using theirNames = await startDnsServer({
    "theirs.dev": [["MX", [10, "mx.theirs.dev"]]],
    "mx.theirs.dev": [["A", "127.0.0.1"]],
  });
  await using ours = await startInProcessDaemon({
    set: [
      "server.domain=ours.dev",
      "server.hostname=mx.ours.dev",
      `outbound.mx_port=${port}`,
      "outbound.allow_private_addresses=true",
      `dns.servers=${theirNames.address}`,
    ],
  });
  const { house, delivery } = ours.daemon;
  const { records } = await administer(atCommandLine, house, "domain.show", { name: "ours.dev" });
  await using ourNames = await startDnsServer({
    ...zoneOfRecords(records as DnsRecord[]),
    "mx.ours.dev": [["A", "127.0.0.1"]],
  });
  await using theirs = await startInProcessDaemon({
    set: [
      "server.domain=theirs.dev",
      "server.hostname=mx.theirs.dev",
      `smtp.port=${port}`,
      `dns.servers=${ourNames.address}`,
    ],
  });
  const sender = ours.agents[0]!;
  await house.store.write(nobody, "setSendingPolicy", {
    agent: house.store.ids.decode(sender.id)!.agent,
    policy: "open",
    approver: null,
    allowed: [],
    blocked: [],
    at: Date.now(),
  });

  const response = await fetch(`${ours.http.url}/v1/send`, {
    method: "POST",
    headers: { authorization: `Bearer ${sender.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      body: { to: [theirs.agents[0]!.address, "nobody@theirs.dev"], subject: "Hello", text: "Hello.\n" },
      idempotency_key: "one",
    }),
  });
  expect(await response.json()).toMatchObject({ state: "queued" });
  await delivery.whenIdle();

  expect(await eventsOf(ours)).toEqual([
    `mail.sent ${theirs.agents[0]!.address} 2.6.0`,
    "mail.bounced nobody@theirs.dev 5.1.1",
  ]);
  const received = await theirs.daemon.house.store.get<{ trace: Uint8Array; authenticated: number }>(
    "select trace, authenticated from message order by received_at desc",
  );
  const trace = Buffer.from(received!.trace).toString();
  expect(received!.authenticated).toBe(1);
  expect(trace.match(/dkim=pass/g)).toHaveLength(2);
  expect(trace).toMatch(/dmarc=pass/);
  expect(trace).toMatch(/with ESMTPS id/);

  const returnPath = /^Return-Path: <(.+)>/.exec(trace)![1]!;
  const report = composeReport({
    hostname: "mx.theirs.dev",
    sender: returnPath,
    envid: null,
    ret: null,
    recipients: [{ address: theirs.agents[0]!.address, orcpt: null, action: "failed", status: "5.2.2" }],
    arrivedAt: 0,
    at: 0,
    expiresAt: 0,
    message: Buffer.from("Subject: Hello\r\n\r\n"),
  });
  await deliverTo(ours.smtp.port, returnPath, report);
  expect((await eventsOf(ours)).at(-1)).toBe(`mail.bounced ${theirs.agents[0]!.address} 5.2.2`);
  // A report that somebody else wrote is a mail like any other.
  await deliverTo(ours.smtp.port, sender.address, report);
  expect((await eventsOf(ours)).at(-1)).toBe("mail.received");
});
