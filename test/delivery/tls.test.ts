/** TLS with other servers: as good as they offer, as good as their policy demands, and with a smarthost as the operator sets. */
import { beforeAll, describe, expect, test, vi } from "vitest";
import { WaypostError } from "#/src/model/errors.ts";
import { type TrustedCertificate, trustCertificate } from "../support/certificates/trusted-certificate.ts";
import type { Zone } from "../support/servers/dns-zone.ts";
import { type SinkOptions, startSink } from "../support/servers/smtp-sink.ts";
import { openDeliveryHouse } from "./delivery-house.ts";
import { startPolicyServer } from "./policy-server.ts";
import { startScriptedServer } from "./scripted-server.ts";

let trusted: TrustedCertificate;
beforeAll(async () => {
  trusted = await trustCertificate(["mx.theirs.net", "mta-sts.theirs.net", "localhost"]);
});

const zone: Zone = {
  "theirs.net": [["MX", [10, "mx.theirs.net"]]],
  "mx.theirs.net": [["A", "127.0.0.1"]],
};

describe("without a policy", () => {
  test.each<[string, SinkOptions, boolean]>([
    ["a certificate that nobody trusts is good enough", {}, true],
    ["a server without STARTTLS gets it in the clear", { server: { hideSTARTTLS: true } }, false],
    [
      "one whose handshake fails gets it in the clear",
      { server: { minVersion: "TLSv1.3", maxVersion: "TLSv1.2", key: "", cert: "" } as never },
      false,
    ],
  ])("%s", async (_, options, isSecure) => {
    await using sink = await startSink(options);
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    await house.send({ to: ["bob@theirs.net"] });
    expect(sink.mails).toMatchObject([{ isSecure }]);
  });

  test("a server that refuses STARTTLS temporarily gets the mail without TLS", async () => {
    await using server = await startScriptedServer({ STARTTLS: "454 4.7.0 not now" });
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${server.port}`] });
    const submission = await house.send({ to: ["bob@theirs.net"] });
    expect(await house.recipients(submission)).toMatchObject([{ state: "relayed" }]);
    expect(server.commands.filter((line) => line.startsWith("MAIL"))).toHaveLength(1);
  });
});

describe("with a policy (MTA-STS)", () => {
  const policyZone: Zone = {
    ...zone,
    "_mta-sts.theirs.net": [["TXT", "v=STSv1; id=1;"]],
    "mta-sts.theirs.net": [["A", "127.0.0.1"]],
  };
  const enforce = "version: STSv1\r\nmode: enforce\r\nmx: mx.theirs.net\r\nmax_age: 604800\r\n";

  test("a server with the certificate of its name gets the mail, and the policy is fetched once", async () => {
    await using sink = await startSink({ server: trusted });
    await using policy = await startPolicyServer(trusted, enforce);
    await using house = await openDeliveryHouse({
      zone: policyZone,
      set: [`outbound.mx_port=${sink.port}`],
      policyPort: policy.port,
    });
    await house.send({ to: ["bob@theirs.net"] });
    await house.advance(60_000);
    await house.send({ to: ["eve@theirs.net"] });
    expect(sink.mails).toMatchObject([{ isSecure: true }, { isSecure: true }]);
    expect(policy.count).toBe(1);
  });

  test.each<[string, string, SinkOptions, string]>([
    ["a certificate that nobody trusts", "queued", {}, enforce],
    ["no STARTTLS", "queued", { server: { hideSTARTTLS: true } }, enforce],
    ["a name that the policy does not have", "queued", {}, enforce.replace("mx.theirs", "other.theirs")],
    [
      "a policy that is being tried only",
      "relayed",
      { server: { hideSTARTTLS: true } },
      enforce.replace("enforce", "testing"),
    ],
  ])("a server with %s leaves the mail %s", async (_, state, options, text) => {
    await using sink = await startSink(options);
    await using policy = await startPolicyServer(trusted, text);
    await using house = await openDeliveryHouse({
      zone: policyZone,
      set: [`outbound.mx_port=${sink.port}`],
      policyPort: policy.port,
    });
    const submission = await house.send({ to: ["bob@theirs.net"] });
    expect(await house.recipients(submission)).toMatchObject([{ state }]);
    expect(sink.mails).toHaveLength(state === "relayed" ? 1 : 0);
  });

  test("a policy that can't be kept, as with a full disk, holds for the mail that it was fetched for", async () => {
    await using sink = await startSink({ server: { hideSTARTTLS: true } });
    await using policy = await startPolicyServer(trusted, enforce);
    await using house = await openDeliveryHouse({
      zone: policyZone,
      set: [`outbound.mx_port=${sink.port}`],
      policyPort: policy.port,
    });
    const full = new WaypostError("upstream_unavailable", "The disk is full.", { reason: "store_full" });
    vi.spyOn(house.dispatch.policies, "keep").mockRejectedValue(full);
    const submission = await house.send({ to: ["bob@theirs.net"] });
    expect(await house.recipients(submission)).toMatchObject([{ state: "queued" }]);
    expect(sink.mails).toHaveLength(0);
  });

  test("a policy that was fetched stays valid when it is hidden later, also after a restart", async () => {
    const records: Record<string, Zone[string]> = { ...policyZone };
    await using sink = await startSink();
    await using policy = await startPolicyServer(trusted, enforce);
    await using house = await openDeliveryHouse({
      zone: records,
      set: [`outbound.mx_port=${sink.port}`],
      policyPort: policy.port,
    });
    await house.send({ to: ["bob@theirs.net"] });
    await house.delivery[Symbol.asyncDispose]();
    expect(await house.dispatch.policies.find("theirs.net")).toMatchObject({
      mode: "enforce",
      mx: ["mx.theirs.net"],
    });
    delete records["_mta-sts.theirs.net"];
    house.start();
    await house.advance(600_000);
    expect(sink.mails).toHaveLength(0);
    expect(policy.count).toBe(1);
  });

  test.each([
    ["a page", "<html>", "text/html"],
    ["something else", "version: STSv2\r\n", "text/plain"],
    ["without end", enforce + "x: y\r\n".repeat(20_000), "text/plain"],
  ])("an answer that is %s is no policy", async (_, text, type) => {
    await using sink = await startSink();
    await using policy = await startPolicyServer(trusted, text, type);
    await using house = await openDeliveryHouse({
      zone: policyZone,
      set: [`outbound.mx_port=${sink.port}`],
      policyPort: policy.port,
    });
    await house.send({ to: ["bob@theirs.net"] });
    expect(sink.mails).toHaveLength(1);
  });
});

describe("a smarthost", () => {
  const withLogin: SinkOptions["server"] = {
    authOptional: false,
    disabledCommands: [],
    allowInsecureAuth: true,
    onAuth(auth, _session, done) {
      if (auth.username === "me" && auth.password === "secret") done(null, { user: "me" });
      else done(Object.assign(new Error("5.7.8 no"), { responseCode: 535 }));
    },
  };

  test.each([
    ["starttls", "localhost", true],
    ["tls", "localhost", true],
    ["none", "127.0.0.1", false],
  ])("gets all mail, over %s, with a login", async (tls, host, isSecure) => {
    await using sink = await startSink({ server: { ...withLogin, ...trusted, secure: tls === "tls" } });
    await using house = await openDeliveryHouse({
      set: [
        `outbound.smarthost_host=${host}`,
        `outbound.smarthost_port=${sink.port}`,
        `outbound.smarthost_tls=${tls}`,
        "outbound.smarthost_user=me",
        "outbound.smarthost_password=secret",
        "outbound.allow_private_addresses=false",
        "outbound.return_path_tags=false",
      ],
    });
    await house.send({ to: ["bob@theirs.net", "eve@far.net"] });
    expect(sink.mails.map(({ to }) => to[0]).toSorted()).toEqual(["bob@theirs.net", "eve@far.net"]);
    expect(sink.mails).toMatchObject([{ isSecure, from: "ada@ours.org" }, { isSecure }]);
  });

  test.each([
    ["is another host", "192.0.2.1"],
    ["may be another host", "relay.theirs.net"],
  ])("that is used without TLS and %s gets no login: the mail waits", async (_, host) => {
    await using sink = await startSink({ server: withLogin });
    await using house = await openDeliveryHouse({
      zone: {
        "relay.theirs.net": [
          ["A", "127.0.0.1"],
          ["A", "192.0.2.1"],
        ],
      },
      set: [
        "dns.servers=192.0.2.53",
        `outbound.smarthost_host=${host}`,
        `outbound.smarthost_port=${sink.port}`,
        "outbound.smarthost_tls=none",
        "outbound.smarthost_user=me",
        "outbound.smarthost_password=secret",
      ],
    });
    const submission = await house.send({ to: ["bob@theirs.net"] });
    expect(await house.recipients(submission)).toMatchObject([{ state: "queued", status: "4.7.0" }]);
    expect(sink.mails).toHaveLength(0);
  });

  test("that refuses the login, or has a certificate for another name, makes the mail wait", async () => {
    await using sink = await startSink({ server: { ...withLogin, ...trusted } });
    for (const set of [
      [
        "outbound.smarthost_host=localhost",
        "outbound.smarthost_user=me",
        "outbound.smarthost_password=wrong",
      ],
      [
        "outbound.smarthost_host=127.0.0.1",
        "outbound.smarthost_user=me",
        "outbound.smarthost_password=secret",
      ],
    ]) {
      await using house = await openDeliveryHouse({ set: [...set, `outbound.smarthost_port=${sink.port}`] });
      const submission = await house.send({ to: ["bob@theirs.net"] });
      expect(await house.recipients(submission)).toMatchObject([{ state: "queued", status: /^4\./ }]);
    }
    expect(sink.mails).toHaveLength(0);
  });
});
