/** REQUIRETLS and TLS-Required (RFC 8689) with other servers. Mail that requires TLS goes only to servers that have proven their identity
 *  and require TLS of the next server, or comes back at once. Mail that does not require TLS may go without. */
import { createHash, X509Certificate } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { testCertificate } from "../support/certificates/certificate.ts";
import { type TrustedCertificate, trustCertificate } from "../support/certificates/trusted-certificate.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import type { Zone, ZoneRecord } from "../support/servers/dns-zone.ts";
import { type SinkOptions, startSink } from "../support/servers/smtp-sink.ts";
import { openDeliveryHouse, plainText, type SendOptions } from "./delivery-house.ts";
import { startPolicyServer } from "./policy-server.ts";
import { startScriptedServer } from "./scripted-server.ts";

let trusted: TrustedCertificate;
beforeAll(async () => {
  trusted = await trustCertificate(["mx.theirs.net", "mta-sts.theirs.net", "plain.net", "localhost"]);
});

const enforce = "version: STSv1\r\nmode: enforce\r\nmx: mx.theirs.net\r\nmax_age: 604800\r\n";
const zone: Zone = {
  "theirs.net": [["MX", [10, "mx.theirs.net"]]],
  "mx.theirs.net": [["A", "127.0.0.1"]],
  "plain.net": [["A", "127.0.0.1"]],
};
const stsZone: Zone = {
  ...zone,
  "_mta-sts.theirs.net": [["TXT", "v=STSv1; id=1;"]],
  "mta-sts.theirs.net": [["A", "127.0.0.1"]],
};

const required: Partial<SendOptions> = { isTlsRequired: true };
const notRequired: Partial<SendOptions> = { text: `TLS-Required: No\r\n${plainText}` };

const withoutTls = { disabledCommands: ["AUTH", "STARTTLS"] };

interface World {
  readonly zone?: Zone;
  readonly policy?: string;
  /** Instead of a server that offers REQUIRETLS, with a certificate for its name. */
  readonly server?: SinkOptions["server"];
  readonly onConnect?: SinkOptions["onConnect"];
  readonly set?: readonly string[];
  /** Records for the server; its domain is signed. */
  readonly records?: readonly ZoneRecord[];
}

/** A sink that stands for all servers, and a house that sends to it. */
async function openWorld({ zone: names = zone, policy, server, onConnect, set = [], records }: World = {}) {
  await using stack = new AsyncDisposableStack();
  const sink = stack.use(
    await startSink({
      server: { ...trusted, hideREQUIRETLS: false, ...server },
      ...(onConnect && { onConnect }),
    }),
  );
  const policies = policy === undefined ? undefined : await startPolicyServer(trusted, policy);
  if (policies !== undefined) stack.use(policies);
  const signed: Zone = { ...names, [`_${sink.port}._tcp.mx.theirs.net`]: records ?? [] };
  const dns = records && stack.use(await startDnsServer(signed, { signed: Object.keys(signed) }));
  const house = stack.use(
    await openDeliveryHouse({
      zone: policy === undefined ? names : stsZone,
      set: [`outbound.mx_port=${sink.port}`, ...set],
      ...(policies === undefined ? {} : { policyPort: policies.port }),
      ...(dns === undefined ? {} : { secureServer: dns.address }),
    }),
  );
  const opened = stack.move();
  return {
    sink,
    house,
    async send(wish: Partial<SendOptions>, to = "bob@theirs.net") {
      const submission = await house.send({ to: [to], ...wish });
      const [recipient] = await house.recipients(submission);
      return { state: recipient!.state, status: recipient!.status };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const digest = createHash("sha256")
  .update(new X509Certificate(testCertificate.cert).publicKey.export({ type: "spki", format: "der" }))
  .digest();
const tlsa = (certificate: Buffer): ZoneRecord => [
  "TLSA",
  { usage: 3, selector: 1, matchingType: 1, certificate },
];

describe("mail with REQUIRETLS", () => {
  test.each<[string, World, string?]>([
    ["the domain's policy names, with the certificate of its name", { policy: enforce }],
    ["a policy that is tried only names", { policy: enforce.replace("enforce", "testing") }],
    [
      "its TLSA records name, whatever authority gave the certificate",
      { records: [tlsa(digest)], server: testCertificate },
    ],
    ["a signed MX record names, with the certificate of its name", { records: [] }],
    ["has the name that the sender wrote", {}, "bob@plain.net"],
  ])("goes on with it to a server that %s", async (_, options, to) => {
    await using world = await openWorld(options);
    expect(await world.send(required, to)).toMatchObject({ state: "relayed" });
    expect(world.sink.mails).toMatchObject([{ isSecure: true, parameters: { REQUIRETLS: true } }]);
  });

  test.each<[string, World, string]>([
    ["nothing but an unsigned MX record names", {}, "5.7.30"],
    ["does not offer it", { policy: enforce, server: { hideREQUIRETLS: true } }, "5.7.30"],
    ["has no STARTTLS", { policy: enforce, server: withoutTls }, "5.7.10"],
    ["shows a certificate that nobody trusts", { policy: enforce, server: testCertificate }, "5.7.10"],
    ["shows another certificate than its TLSA records name", { records: [tlsa(Buffer.alloc(32))] }, "5.7.10"],
    [
      "has only TLSA records of no use and a certificate that nobody trusts",
      { records: [tlsa(Buffer.alloc(31))], server: testCertificate },
      "5.7.10",
    ],
  ])("fails at once at a server that %s", async (_, options, status) => {
    await using world = await openWorld(options);
    expect(await world.send(required)).toEqual({ state: "failed", status });
    expect(world.sink.mails).toEqual([]);
  });

  test("skips a server that does not offer it, and uses the next one", async () => {
    const two: Zone = {
      "theirs.net": [
        ["MX", [10, "mx0.theirs.net"]],
        ["MX", [20, "mx.theirs.net"]],
      ],
      "mx0.theirs.net": [["A", "127.0.0.2"]],
      "mx.theirs.net": [["A", "127.0.0.1"]],
    };
    await using world = await openWorld({ zone: two, records: [] });
    const server = { ...(await trustCertificate(["mx0.theirs.net"])), hideREQUIRETLS: true };
    await using first = await startSink({ host: "127.0.0.2", port: world.sink.port, server });
    expect(await world.send(required)).toMatchObject({ state: "relayed" });
    expect([first.connectionCount, first.mails.length, world.sink.mails.length]).toEqual([1, 0, 1]);
  });

  test("waits while a server refuses TLS temporarily", async () => {
    await using server = await startScriptedServer({ STARTTLS: "454 4.7.0 not now" });
    await using world = await openWorld({ policy: enforce, set: [`outbound.mx_port=${server.port}`] });
    expect(await world.send(required)).toMatchObject({ state: "queued" });
  });

  test("waits while a server cannot be reached", async () => {
    await using world = await openWorld({
      policy: enforce,
      onConnect: () => ({ code: 421, text: "busy" }),
    });
    expect(await world.send(required)).toMatchObject({ state: "queued" });
  });

  test("does not use an open connection whose server is not authenticated, and leaves it to other mail", async () => {
    await using world = await openWorld();
    expect(await world.send({})).toMatchObject({ state: "relayed" });
    expect(await world.send(required)).toMatchObject({ state: "failed", status: "5.7.30" });
    expect(await world.send({})).toMatchObject({ state: "relayed" });
    expect(world.sink.mails.map(({ parameters }) => parameters.REQUIRETLS)).toEqual([undefined, undefined]);
  });

  test("uses an open connection whose server is authenticated", async () => {
    await using world = await openWorld({ policy: enforce });
    await world.send({});
    await world.send(required);
    expect(world.sink.mails).toMatchObject([
      { connection: 1 },
      { connection: 1, parameters: { REQUIRETLS: true } },
    ]);
    expect(world.sink.mails[0]!.parameters).not.toHaveProperty("REQUIRETLS");
  });

  test("with the null reverse path is sent without the requirement, so that a notification is not lost", async () => {
    await using world = await openWorld();
    expect(await world.send({ ...required, from: "" })).toMatchObject({ state: "relayed" });
  });

  test("is returned to a person with its header alone, whatever RET says", async () => {
    await using world = await openWorld({ set: ["submission.enabled=false"] });
    await world.house.send({
      by: "person",
      to: ["bob@theirs.net"],
      ...required,
      ret: "FULL",
      text: `${plainText}Secret.\r\n`,
    });
    const [letter] = await world.house.letters();
    expect(letter).toContain("Status: 5.7.30");
    expect(letter).toContain("Subject: Hello");
    expect(letter).not.toContain("Secret.");
  });

  test.each([
    ["a smarthost that offers it", "starttls", { hideREQUIRETLS: false }, { state: "relayed" }],
    [
      "a smarthost that does not",
      "starttls",
      { hideREQUIRETLS: true },
      { state: "failed", status: "5.7.30" },
    ],
    ["a smarthost that is used without TLS", "none", {}, { state: "failed", status: "5.7.10" }],
  ])("with %s", async (_, tls, server, expected) => {
    await using sink = await startSink({ server: { ...trusted, ...server } });
    await using house = await openDeliveryHouse({
      set: [
        "outbound.smarthost_host=localhost",
        `outbound.smarthost_port=${sink.port}`,
        `outbound.smarthost_tls=${tls}`,
      ],
    });
    const submission = await house.send({ to: ["bob@theirs.net"], ...required });
    expect(await house.recipients(submission)).toMatchObject([expected]);
  });
});

describe("mail with TLS-Required: No", () => {
  test.each<[string, World]>([
    ["whose policy wants TLS", { policy: enforce, server: withoutTls }],
    ["whose policy has other servers", { policy: enforce.replace("mx.theirs", "other.theirs") }],
    ["whose TLSA records name another certificate", { records: [tlsa(Buffer.alloc(32))] }],
  ])("goes to a server %s", async (_, options) => {
    await using world = await openWorld(options);
    expect(await world.send(notRequired)).toMatchObject({ state: "relayed" });
    expect(await world.send({})).toMatchObject({ state: "queued" });
    expect(world.sink.mails).toHaveLength(1);
  });

  test("still uses TLS where the server offers it", async () => {
    await using world = await openWorld();
    await world.send(notRequired);
    expect(world.sink.mails).toMatchObject([{ isSecure: true }]);
  });

  test("and REQUIRETLS needs TLS", async () => {
    await using world = await openWorld();
    expect(await world.send({ ...notRequired, ...required })).toMatchObject({ state: "failed" });
  });
});
