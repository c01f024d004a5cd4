/** TLS reports to other domains (RFC 8460): what is counted for outgoing mail, and the daily report as its receiver reads it. */
import { beforeAll, describe, expect, test } from "vitest";
import { parseStructure } from "#/src/formats/mime/structure.ts";
import { findReports } from "#/src/formats/reports/find-reports.ts";
import { createReportCounts } from "#/src/reports/report-counts.ts";
import { sendDueReports } from "#/src/reports/send-reports.ts";
import { tlsDetail } from "#/src/reports/write-tls-report.ts";
import { type DeliveryHouse, openDeliveryHouse } from "../delivery/delivery-house.ts";
import { makeCertificate } from "../support/certificates/made-certificate.ts";
import { type TrustedCertificate, trustCertificate } from "../support/certificates/trusted-certificate.ts";
import { type Zone, zoneResolve } from "../support/servers/dns-zone.ts";
import { type SinkOptions, startSink } from "../support/servers/smtp-sink.ts";

const dayMs = 86_400_000;
const wish = "v=TLSRPTv1; rua=mailto:tls@theirs.net,https://theirs.net/r,mailto:copy%40x@theirs.net";
const zone: Zone = {
  "theirs.net": [["MX", [10, "mx.theirs.net"]]],
  "mx.theirs.net": [["A", "127.0.0.1"]],
  "_smtp._tls.theirs.net": [["TXT", wish]],
};

let trusted: TrustedCertificate;
beforeAll(async () => {
  trusted = await trustCertificate(["mx.theirs.net"]);
});

async function expire(): Promise<SinkOptions> {
  return { server: await makeCertificate("ec", { from: -3, to: -1 }, "mx.theirs.net") };
}

describe("of a session", () => {
  test.each<[string, string, () => SinkOptions | Promise<SinkOptions>, boolean]>([
    ["success", "without a policy any certificate is good", () => ({}), false],
    [
      "starttls-not-supported",
      "without TLS",
      () => ({ server: { disabledCommands: ["AUTH", "STARTTLS"] } }),
      false,
    ],
    ["success", "with a policy and the certificate of its name", () => ({ server: trusted }), true],
    ["certificate-expired", "with a policy and an old certificate", expire, true],
    ["certificate-not-trusted", "with a policy and a certificate of nobody", () => ({}), true],
  ])("%s is counted %s", async (result, _, options, hasPolicy) => {
    await using sink = await startSink(await options());
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    if (hasPolicy) await keepPolicy(house);
    await house.send({ to: ["bob@theirs.net"] });
    expect(sink.mails).toHaveLength(1);
    expect(house.sessions).toMatchObject([
      {
        result,
        host: "mx.theirs.net",
        policy: { domain: "theirs.net", type: hasPolicy ? "sts" : "no-policy-found" },
      },
    ]);
  });

  test("a failure is counted also when its policy stops the mail", async () => {
    await using sink = await startSink();
    await using house = await openDeliveryHouse({ zone, set: [`outbound.mx_port=${sink.port}`] });
    await keepPolicy(house, "enforce");
    await house.send({ to: ["bob@theirs.net"] });
    expect(sink.mails).toHaveLength(0);
    expect(house.sessions).toMatchObject([{ result: "certificate-not-trusted" }]);
  });
});

async function keepPolicy(house: DeliveryHouse, mode = "testing"): Promise<void> {
  const expiresAt = house.test.clock.now() + dayMs;
  await house.dispatch.policies.keep({
    domain: "theirs.net",
    id: "1",
    mode,
    mx: ["mx.theirs.net"],
    expiresAt,
  });
}

describe("when the day is over", () => {
  async function report({ domain = "theirs.net", records = zone, set = [] as string[] } = {}) {
    await using sink = await startSink();
    await using house = await openDeliveryHouse({
      zone: records,
      set: [`outbound.mx_port=${sink.port}`, ...set],
    });
    const { store, clock } = house.test;
    const counts = createReportCounts(store);
    const policy = { domain, type: "sts", strings: ["mode: testing"], hosts: ["mx.theirs.net"] } as const;
    const session = { policy, host: "mx.theirs.net", address: "192.0.2.1", localAddress: "192.0.2.9" };
    for (const result of ["success", "success", "certificate-expired"] as const)
      counts.note("tls", domain, tlsDetail({ ...session, result }));
    await counts.flush();
    counts.note("tls", domain, tlsDetail({ ...session, result: "success" }));
    await counts.flush();
    const rooms = {
      store,
      settings: house.settings,
      outbound: house.outbound,
      resolve: zoneResolve(records),
    };
    const early = await sendDueReports(rooms);
    clock.advance(dayMs);
    const count = await sendDueReports(rooms);
    house.delivery.wake();
    await house.delivery.whenIdle();
    return { early, count, again: await sendDueReports(rooms), mails: sink.mails };
  }

  test("a report goes to five addresses at most", async () => {
    const many = Array.from({ length: 7 }, (_, count) => `mailto:r${count}@theirs.net`).join(",");
    const records: Zone = { ...zone, "_smtp._tls.theirs.net": [["TXT", `v=TLSRPTv1; rua=${many}`]] };
    const { mails } = await report({ records });
    expect(mails.flatMap(({ to }) => to).toSorted()).toEqual(
      [0, 1, 2, 3, 4].map((count) => `r${count}@theirs.net`),
    );
  });

  test("a report is sent once, and its receiver can read it", async () => {
    const { early, count, again, mails } = await report();
    expect([early, count, again]).toEqual([0, 1, 0]);
    expect(mails).toHaveLength(1);
    const [{ text, to }] = mails as [(typeof mails)[0]];
    expect(to).toEqual(["tls@theirs.net"]);
    expect(text).toMatch(/^From: <postmaster@ours\.org>\r?$/m);
    expect(text).toMatch(/^TLS-Report-Domain: theirs\.net\r?$/m);
    const bytes = Buffer.from(text, "latin1");
    expect(findReports(bytes, parseStructure(bytes))).toMatchObject([
      {
        kind: "tls",
        domain: "theirs.net",
        organization: "ours.org",
        passed: 3,
        failed: 1,
        rows: [{ count: 1, result: "certificate-expired", host: "mx.theirs.net", address: "192.0.2.9" }],
      },
    ]);
  });

  test.each<[string, Parameters<typeof report>[0]]>([
    ["a domain that does not ask for it", { records: { ...zone, "_smtp._tls.theirs.net": [] } }],
    [
      "a domain that asks twice",
      {
        records: {
          ...zone,
          "_smtp._tls.theirs.net": [
            ["TXT", wish],
            ["TXT", wish],
          ],
        },
      },
    ],
    ["a domain, where the operator wants none", { set: ["reports.send_tls=false"] }],
  ])("none leaves to %s", async (_, options) => {
    expect(await report(options)).toMatchObject({ count: 0, again: 0, mails: [] });
  });
});
