/** Debian's Exim and a whole daemon send mail to each other, plain and over TLS. Exim uses CHUNKING wherever a server offers it, and without TLS it
 *  pipelines the last chunk and QUIT and ends its side of the connection. */
import { describe, expect, test } from "vitest";
import { createMail } from "../../src/mail/mail.ts";
import { atCommandLine } from "../../src/model/author.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { startInProcessDaemon } from "../support/daemon.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import { eximNote, hasExim, sendByExim, startExim } from "./exim.ts";

describe.skipIf(!hasExim)(`Exim${eximNote}`, () => {
  test.each([
    ["that fits one chunk", 1, "plain"],
    ["that fits one chunk", 1, "over TLS"],
    ["of many chunks", 8000, "plain"],
    ["of many chunks", 8000, "over TLS"],
  ] as const)(
    "gets 250 for a message %s (%i lines, %s), which arrives once and as it was written",
    async (_, count, way) => {
      await using server = await startInProcessDaemon({
        set: ["server.domain=ours.dev", "server.hostname=mx.ours.dev"],
      });
      const body = Array.from(
        { length: count },
        (__, line) => `${line % 7 === 0 ? "." : ""}line ${line}\n`,
      ).join("");
      const { address } = server.agents[0]!;
      const log = await sendByExim({
        port: server.smtp.port,
        recipient: address,
        message: `From: ada@theirs.net\nTo: ${address}\nSubject: chunks\n\n${body}`,
        isTls: way === "over TLS",
      });
      // K: the message was sent by BDAT.
      expect(log).toMatch(
        way === "plain" ? / => \S+ (?!.* X=TLS).* K .*C="250 / : / => \S+ .* X=TLS\S* .* K .*C="250 /,
      );
      expect(log).toContain("Completed");
      const { store } = server.daemon.house;
      const mail = createMail(store);
      const { agent } = store.ids.decode(server.agents[0]!.id)!;
      const messages = await mail.listNewestMessages(agent, { limit: 10 });
      expect(messages).toHaveLength(1);
      const bytes = (await mail.readBytes(messages[0]!)).toString("latin1");
      expect(bytes.slice(bytes.indexOf("\r\n\r\n") + 4)).toBe(body.replace(/\n/g, "\r\n"));
    },
  );

  test.each(["plain", "over TLS"] as const)("takes a mail of an agent once, %s", async (way) => {
    await using exim = await startExim(way === "over TLS", testCertificate);
    await using dns = await startDnsServer({
      "theirs.net": [["MX", [10, "mx.theirs.net"]]],
      "mx.theirs.net": [["A", "127.0.0.1"]],
    });
    await using server = await startInProcessDaemon({
      set: [
        ...["server.domain=ours.dev", "server.hostname=mx.ours.dev", `dns.servers=${dns.address}`],
        ...[`outbound.mx_port=${exim.port}`, "outbound.allow_private_addresses=true"],
      ],
    });
    const { store } = server.daemon.house;
    const agent = server.agents[0]!;
    await store.write(atCommandLine, "setSendingPolicy", {
      agent: store.ids.decode(agent.id)!.agent,
      policy: "open",
      approver: null,
      allowed: [],
      blocked: [],
      at: store.clock.now(),
    });
    const response = await fetch(`${server.http.url}/v1/send`, {
      method: "POST",
      headers: { authorization: `Bearer ${agent.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        body: { to: ["ada@theirs.net"], subject: "hello", text: "Hello.\n" },
        idempotency_key: "1",
      }),
    });
    expect(response.status).toBe(200);
    await server.daemon.delivery.whenIdle();
    const arrived = await exim.arrivals(1);
    expect(arrived).toHaveLength(1);
    expect(arrived[0]).toMatch(way === "plain" ? / P=esmtp (?!.*X=TLS)/ : / P=esmtps X=TLS/);
    expect(await store.all("select state, status from submission_recipient")).toMatchObject([
      { state: "relayed", status: "2.0.0" },
    ]);
  });
});
