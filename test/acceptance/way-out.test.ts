/** A mail that an agent sends over `/v1`: it is in Sent over IMAP under the same id, it reaches a mailbox here and another server, and
 *  events report it. */
import { ImapFlow } from "imapflow";
import { expect, it } from "vitest";
import { callDaemon, connectToDaemon } from "#/src/daemon/private-client.ts";
import { openWatch, postJson } from "../support/clients/events.ts";
import { startInProcessDaemon } from "../support/daemon.ts";
import { startSink } from "../support/servers/smtp-sink.ts";

it("a mail is in Sent with its id, arrives here and at another server with the same octets, and has its events", async () => {
  await using sink = await startSink();
  await using daemon = await startInProcessDaemon({
    agents: 2,
    set: [
      "dns.servers=none",
      "outbound.smarthost_host=127.0.0.1",
      `outbound.smarthost_port=${sink.port}`,
      "outbound.smarthost_tls=none",
    ],
  });
  const [ada, bob] = [daemon.agents[0]!, daemon.agents[1]!];
  const operator = (await connectToDaemon(daemon.data))!;
  const policy = { owner: ada.address, holdPolicy: "open" };
  await callDaemon(operator, { operation: "agent.update", input: policy });
  const { cursor } = await postJson(daemon.http.url, "wait", ada.token, {});
  const watch = await openWatch(daemon.http.url, ada.token, { cursor });
  const sent = await postJson(daemon.http.url, "send", ada.token, {
    body: {
      to: [bob.address, "Mel <mel@far.example>"],
      bcc: ["kit@far.example"],
      subject: "Grüße",
      text: "Hi.\n.\nFrom here.\n",
    },
  });
  const events = await watch.take(4);
  await watch.close();
  expect(events.map(({ type, recipient }) => `${type} ${recipient}`).toSorted()).toEqual([
    `mail.delivered ${bob.address}`,
    `mail.sent ${bob.address}`,
    "mail.sent kit@far.example",
    "mail.sent mel@far.example",
  ]);
  expect(new Set(events.map(({ message }) => message))).toEqual(new Set([sent.ref]));

  const read = async (login: typeof ada, folder: string) => {
    const client = new ImapFlow({
      host: daemon.imap.host,
      port: daemon.imap.port,
      secure: false,
      doSTARTTLS: false,
      auth: { user: login.address, pass: login.password },
      logger: false,
    });
    await client.connect();
    await client.mailboxOpen(folder);
    const message = await client.fetchOne("*", { source: true, emailId: true, flags: true });
    await client.logout();
    if (message === false) throw new Error(`There is nothing in ${folder}`);
    return { ...message, text: message.source!.toString("latin1") };
  };
  const copy = await read(ada, "Sent");
  expect(copy.emailId).toBe(sent.ref);
  expect(copy.flags).toEqual(new Set(["\\Seen"]));
  const bytes = copy.text.replace(/^Bcc: kit@far\.example\r\n/, "");
  expect(bytes).not.toBe(copy.text);
  const arrived = await read(bob, "INBOX");
  expect(arrived.text).toBe(`Return-Path: <${ada.address}>\r\nDelivered-To: ${bob.address}\r\n${bytes}`);
  await expect.poll(() => sink.mails.length).toBe(1);
  const [there] = sink.mails;
  expect(there!.to).toEqual(["mel@far.example", "kit@far.example"]);
  expect(there!.from).toMatch(/^[^@+]+\+b-[0-9a-z]{26}@/);
  expect(there!.text.endsWith(bytes)).toBe(true);
});
