/** A whole daemon delivers to Debian's Postfix, and the tests look at what Postfix has. */

import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { administer } from "../../src/accounts/administration/operations.ts";
import { createMail } from "../../src/mail/mail.ts";
import { atCommandLine, nobody } from "../../src/model/author.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { freePort } from "../support/free-port.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import { hasPostfix, type Postfix, type PostfixOptions, postfixNote, startPostfix } from "./postfix.ts";

const domain = "theirs.net";
const zone = {
  [domain]: [["MX", [10, `mx.${domain}`]]],
  [`mx.${domain}`]: [["A", "127.0.0.1"]],
} as const;

interface Setting extends AsyncDisposable {
  readonly postfix: Postfix;
  readonly daemon: InProcessDaemon;
  /** By the agent, whose mails may go to everybody. Answers the message's id. */
  send(to: readonly string[], subject: string): Promise<string>;
  /** Recipients with their state, once none of them is waiting for its first attempt. */
  recipients(): Promise<readonly { address: string; state: string; status: string; attempts: number }[]>;
  events(): Promise<readonly string[]>;
  /** Everything that waits is tried now. */
  retry(): Promise<void>;
}

async function open(
  onRecipient: (address: string) => string | undefined,
  portOf?: (postfix: Postfix) => Promise<number>,
  more: Partial<PostfixOptions> = {},
): Promise<Setting> {
  // What is open when something fails is closed; else it is the caller's.
  await using stack = new AsyncDisposableStack();
  const port = await freePort();
  const home = { domain: "ours.dev", port };
  const postfix = stack.use(
    await startPostfix({ domain, certificate: testCertificate, onRecipient, home, ...more }),
  );
  const dns = stack.use(await startDnsServer(zone));
  const daemon = stack.use(
    await startInProcessDaemon({
      set: [
        "server.domain=ours.dev",
        "server.hostname=mx.ours.dev",
        `smtp.port=${port}`,
        `dns.servers=${dns.address}`,
        `outbound.mx_port=${(await portOf?.(postfix)) ?? postfix.port}`,
        "outbound.allow_private_addresses=true",
      ],
    }),
  );
  const { store } = daemon.daemon.house;
  const agent = daemon.agents[0]!;
  const number = store.ids.decode(agent.id)!.agent;
  await store.write(nobody, "setSendingPolicy", {
    agent: number,
    policy: "open",
    approver: null,
    allowed: [],
    blocked: [],
    at: store.clock.now(),
  });
  const opened = stack.move();
  return {
    postfix,
    daemon,
    async send(to, subject) {
      const response = await fetch(`${daemon.http.url}/v1/send`, {
        method: "POST",
        headers: { authorization: `Bearer ${agent.token}`, "content-type": "application/json" },
        body: JSON.stringify({ body: { to, subject, text: "Hello.\n" }, idempotency_key: subject }),
      });
      const answer = (await response.json()) as { ref?: string };
      if (answer.ref === undefined) throw new Error(JSON.stringify(answer));
      await daemon.daemon.delivery.whenIdle();
      return answer.ref;
    },
    async recipients() {
      return store.all(
        `select address, state, status, attempt_count as attempts
        from submission_recipient
        order by submission_id, recipient_number`,
      );
    },
    async events() {
      const rows = await store.all<{ event: string; data: string }>(
        "select event, data from change where agent_id = ? and event is not null order by modseq, ordinal",
        number,
      );
      return rows.map(({ event, data }) => {
        const { recipient, outcome } = JSON.parse(data);
        return `${event} ${recipient} ${outcome.status} ${outcome.code}`;
      });
    },
    async retry() {
      const { house } = daemon.daemon;
      const { mails } = (await administer(atCommandLine, house, "queue.list", {})) as {
        mails: { id: string }[];
      };
      for (const { id } of mails) await administer(atCommandLine, house, "queue.retry", { id });
      await daemon.daemon.delivery.whenIdle();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describe.skipIf(!hasPostfix)(`Postfix${postfixNote}`, () => {
  test("accepts several recipients in one transaction over TLS, each with its own outcome", async () => {
    await using setting = await open((address) =>
      address.startsWith("no") ? "550 5.1.1 no such user" : undefined,
    );
    const { postfix } = setting;
    await setting.send(["a@theirs.net", "no1@theirs.net", "b@theirs.net", "no2@theirs.net"], "mixed");
    const mails = await postfix.mails(2);
    expect(mails.map(({ to }) => to).toSorted()).toEqual(["a@theirs.net", "b@theirs.net"]);
    // One connection, one queue file, TLS.
    expect(new Set(mails.map(({ text }) => /id ([0-9A-F]+)/.exec(text)?.[1])).size).toBe(1);
    expect(mails[0]!.text).toMatch(/with ESMTPS id/);
    expect(mails[0]!.text).toMatch(/\(using TLSv1\.[23]/);
    expect(await setting.recipients()).toMatchObject([
      { address: "a@theirs.net", state: "relayed", status: "2.0.0" },
      { address: "no1@theirs.net", state: "failed", status: "5.1.1" },
      { address: "b@theirs.net", state: "relayed", status: "2.0.0" },
      { address: "no2@theirs.net", state: "failed", status: "5.1.1" },
    ]);
    expect(await setting.events()).toEqual([
      "mail.sent a@theirs.net sent 2.0.0",
      "mail.bounced no1@theirs.net bounced 5.1.1",
      "mail.sent b@theirs.net sent 2.0.0",
      "mail.bounced no2@theirs.net bounced 5.1.1",
    ]);
    // All four RCPT came with the same MAIL.
    expect(new Set(postfix.asked.map((attributes) => attributes.get("instance"))).size).toBe(1);
  });

  test("gets the mail once, at the second attempt, when it greylists the first one", async () => {
    const seen = new Set<string>();
    await using setting = await open((address) => {
      if (seen.has(address)) return undefined;
      seen.add(address);
      return "451 4.7.1 greylisted, try again";
    });
    await setting.send(["grey@theirs.net"], "grey");
    expect(await setting.recipients()).toMatchObject([{ state: "queued", status: "4.7.1", attempts: 1 }]);
    await setting.retry();
    expect(await setting.recipients()).toMatchObject([{ state: "relayed", status: "2.0.0", attempts: 2 }]);
    expect(await setting.postfix.mails(1)).toHaveLength(1);
    expect(await setting.events()).toEqual(["mail.sent grey@theirs.net sent 2.0.0"]);
  });

  test("gets no second attempt after a permanent refusal", async () => {
    await using setting = await open(() => "550 5.7.1 not here");
    await setting.send(["x@theirs.net"], "never");
    expect(await setting.recipients()).toMatchObject([{ state: "failed", status: "5.7.1", attempts: 1 }]);
    expect(await setting.events()).toEqual(["mail.bounced x@theirs.net bounced 5.7.1"]);
    expect(await setting.postfix.mails(0)).toHaveLength(0);
  });

  test("gets every mail once although the connection ends before the reply to DATA", async () => {
    let proxy: DyingServer | undefined;
    await using setting = await open(
      () => undefined,
      async (postfix) => {
        proxy = await startDyingServer(postfix.plainPort);
        return proxy.port;
      },
    );
    await using _ = proxy!;
    await setting.send(["a@theirs.net", "b@theirs.net"], "dies");
    expect(proxy!.cutCount).toBe(1);
    expect(await setting.recipients()).toMatchObject([
      { state: "queued", status: "4.4.2" },
      { state: "queued", status: "4.4.2" },
    ]);
    expect(await setting.postfix.mails(0)).toHaveLength(0);
    await setting.retry();
    expect((await setting.postfix.mails(2)).map(({ to }) => to).toSorted()).toEqual([
      "a@theirs.net",
      "b@theirs.net",
    ]);
    expect(await setting.recipients()).toMatchObject([{ state: "relayed" }, { state: "relayed" }]);
    expect(await setting.events()).toEqual([
      "mail.sent a@theirs.net sent 2.0.0",
      "mail.sent b@theirs.net sent 2.0.0",
    ]);
  });

  test("reports a failure after it has accepted the mail, and the report becomes events", async () => {
    await using setting = await open(() => "FILTER error:5.2.2 the mailbox is full");
    await setting.send(["a@theirs.net", "b@theirs.net"], "late");
    for (let tries = 0; tries < 200 && (await setting.events()).length < 4; tries++) await delay(50);
    expect(await setting.events()).toEqual([
      "mail.sent a@theirs.net sent 2.0.0",
      "mail.sent b@theirs.net sent 2.0.0",
      "mail.bounced a@theirs.net bounced 5.2.2",
      "mail.bounced b@theirs.net bounced 5.2.2",
    ]);
    expect(await setting.recipients()).toMatchObject([
      { state: "failed", status: "5.2.2" },
      { state: "failed", status: "5.2.2" },
    ]);
  });

  test.each(["plain", "over TLS"] as const)("takes a mail of an agent once, %s", async (way) => {
    await using setting = await open(
      () => undefined,
      async (postfix) => (way === "plain" ? postfix.plainPort : postfix.port),
    );
    await setting.send(["a@theirs.net"], "once");
    const [mail, ...others] = await setting.postfix.mails(1);
    expect(others).toEqual([]);
    expect(mail!.text).toMatch(way === "plain" ? /with ESMTP id/ : /with ESMTPS id/);
    expect(await setting.recipients()).toMatchObject([{ state: "relayed", status: "2.0.0" }]);
  });

  test.each(["plain", "over TLS"] as const)("gets 250 for its mail, which arrives once, %s", async (way) => {
    const sendsBy = way === "plain" ? "none" : "may";
    await using setting = await open(() => undefined, undefined, { sendsBy });
    const { postfix, daemon } = setting;
    const { address, id } = daemon.agents[0]!;
    const line = "The quick brown fox jumps over the lazy dog.\n";
    const body = line.repeat(5000);
    postfix.send(address, `From: ada@theirs.net\nTo: ${address}\nSubject: hello\n\n${body}`);
    for (let tries = 0; !/status=\w+/.test(postfix.log()) && tries < 400; tries++) await delay(50);
    expect(postfix.log()).toMatch(/to=<[^>]+>, .* status=sent \(250 /);
    expect(/TLS connection established to 127\.0\.0\.1/.test(postfix.log())).toBe(way === "over TLS");
    const { store } = daemon.daemon.house;
    const mail = createMail(store);
    const messages = await mail.listNewestMessages(store.ids.decode(id)!.agent, { limit: 10 });
    expect(messages).toHaveLength(1);
    const bytes = (await mail.readBytes(messages[0]!)).toString("latin1");
    expect(bytes.slice(bytes.indexOf("\r\n\r\n") + 4)).toBe(body.replace(/\n/g, "\r\n"));
  });

  test("gets many mails over few connections", async () => {
    await using setting = await open(() => undefined);
    await Promise.all(Array.from({ length: 20 }, (_, n) => setting.send([`u${n}@theirs.net`], `mail-${n}`)));
    expect((await setting.postfix.mails(20)).map(({ to }) => to).toSorted()).toEqual(
      Array.from({ length: 20 }, (_, n) => `u${n}@theirs.net`).toSorted(),
    );
    const connections = setting.postfix.log().match(/smtpd\[\d+\]: connect from/g)!.length;
    expect(connections).toBeLessThanOrEqual(2 + 5);
  });
});

interface DyingServer extends AsyncDisposable {
  readonly port: number;
  readonly cutCount: number;
}

/** Stands before a server and cuts the first connection when the last line of a message comes, which the server never sees. */
async function startDyingServer(target: number): Promise<DyingServer> {
  const sockets = new Set<net.Socket>();
  let cutCount = 0;
  const proxy = net.createServer((client) => {
    const server = net.connect(target, "127.0.0.1");
    let tail = "";
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on("error", () => {}).on("close", () => sockets.delete(socket));
    }
    server.pipe(client);
    server.on("close", () => client.destroy());
    client.on("close", () => server.destroy());
    client.on("data", (chunk: Buffer) => {
      tail = (tail + chunk.toString("latin1")).slice(-5);
      if (tail !== "\r\n.\r\n" || cutCount > 0) server.write(chunk);
      else {
        cutCount++;
        client.destroy();
      }
    });
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    port: (proxy.address() as AddressInfo).port,
    get cutCount() {
      return cutCount;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, "close");
    },
  };
}
