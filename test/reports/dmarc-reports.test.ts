/** DMARC aggregate reports to other domains (RFC 7489 section 7.2): what is counted for incoming mail, and the daily report as its receiver
 *  reads it. */
import { createTransport } from "nodemailer";
import { describe, expect, test } from "vitest";
import type { Evidence } from "#/src/evidence/checks.ts";
import { parseStructure } from "#/src/formats/mime/structure.ts";
import { findReports } from "#/src/formats/reports/find-reports.ts";
import { nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { createReportCounts, dayOf } from "#/src/reports/report-counts.ts";
import { sendDueReports } from "#/src/reports/send-reports.ts";
import { dmarcDetail } from "#/src/reports/write-dmarc-report.ts";
import { listAgents } from "#/storage/queries/accounts/agents.ts";
import { listCountedDomains, listReportCounts } from "#/storage/queries/accounts/domain-reports.ts";
import { openDeliveryHouse } from "../delivery/delivery-house.ts";
import { startInProcessDaemon } from "../support/daemon.ts";
import { startDnsServer } from "../support/servers/dns-server.ts";
import { type Zone, zoneResolve } from "../support/servers/dns-zone.ts";
import { startSink } from "../support/servers/smtp-sink.ts";

const dayMs = 86_400_000;

test("mail is counted by its results of SPF and DKIM, and by its disposition", async () => {
  await using names = await startDnsServer({
    "far.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
    "_dmarc.far.example": [["TXT", "v=DMARC1; p=reject; rua=mailto:d@far.example"]],
    "bare.example": [["TXT", "v=spf1 ip4:127.0.0.1 -all"]],
  });
  await using daemon = await startInProcessDaemon({ set: [`dns.servers=${names.address}`] });
  const { address } = daemon.agents[0]!;
  const transport = createTransport({ ...daemon.smtp, secure: false, tls: { rejectUnauthorized: false } });
  const deliver = (envelopeFrom: string, from: string) =>
    transport.sendMail({
      envelope: { from: envelopeFrom, to: [address] },
      raw: `From: ${from}\r\nSubject: x\r\n\r\nHello.\r\n`,
    });
  await deliver("a@far.example", "a@far.example");
  await deliver("b@far.example", "b@far.example");
  await deliver("a@bare.example", "a@far.example");
  await deliver("a@bare.example", "a@bare.example");
  transport.close();
  const { store, reportCounts } = daemon.daemon.house;
  await reportCounts.flush();
  const day = dayOf(store.clock.now());
  // The day may have changed meanwhile.
  const rowsOf = (domain: string) =>
    Promise.all(
      [day - 1, day].map((one) => listReportCounts(store, { kind: "dmarc", day: one, domain, limit: 10 })),
    );
  const countsOf = async (domain: string) =>
    (await rowsOf(domain))
      .flat()
      .map(({ detail, count }) => ({ ...JSON.parse(detail), count }))
      .toSorted((a, b) => b.count - a.count);
  expect(await countsOf("bare.example")).toEqual([]);
  expect(await countsOf("far.example")).toMatchObject([
    { address: "127.0.0.1", disposition: "none", spf: "pass", dkim: "fail", count: 2 },
    {
      disposition: "quarantine",
      spf: "fail",
      spfResult: { domain: "bare.example", result: "pass" },
      count: 1,
    },
  ]);
});

describe("when the day is over", () => {
  const zone: Zone = {
    "theirs.net": [["MX", [10, "mx.theirs.net"]]],
    "mx.theirs.net": [["A", "127.0.0.1"]],
    "_dmarc.theirs.net": [["TXT", "v=DMARC1; p=quarantine; rua=mailto:d@theirs.net!10m"]],
  };
  const evidence: Evidence = {
    checks: {
      spf: { result: "fail", domain: "elsewhere.net" },
      dkim: [{ result: "pass", domain: "theirs.net", selector: "s1", aligned: true }],
      dmarc: { result: "pass", domain: "news.theirs.net", policy: "quarantine" },
    },
    isAuthenticated: true,
    isSpfAligned: false,
  };

  async function report(records: Zone, set: readonly string[] = [], isPaused = false) {
    await using sink = await startSink();
    await using house = await openDeliveryHouse({
      zone: records,
      set: [`outbound.mx_port=${sink.port}`, ...set],
    });
    const { store, clock } = house.test;
    const counts = createReportCounts(store);
    const seen = dmarcDetail(evidence, { address: "192.0.2.1", disposition: "none" })!;
    counts.note("dmarc", seen.domain, seen.detail);
    counts.note("dmarc", seen.domain, seen.detail);
    await counts.flush();
    clock.advance(dayMs);
    const rooms = {
      store,
      settings: house.settings,
      outbound: house.outbound,
      resolve: zoneResolve(records),
    };
    const setState = async (state: "active" | "paused") => {
      for (const { agent } of await listAgents(store))
        await store.write(nobody, "setAgentState", { agent, state, by: "operator", at: clock.now() });
    };
    if (isPaused) await setState("paused");
    const count = await sendDueReports(rooms);
    if (isPaused) await setState("active");
    house.delivery.wake();
    await house.delivery.whenIdle();
    const again = await sendDueReports(rooms);
    house.delivery.wake();
    await house.delivery.whenIdle();
    const traces = await Promise.all(
      ["entry", "send_time"].map((table) => store.column(`select agent_id from ${table}`)),
    );
    return { count, again, mails: sink.mails, traces };
  }

  test("a report is sent once to the address of the record of the organizational domain, and can be read", async () => {
    const { count, again, mails } = await report(zone);
    expect([count, again]).toEqual([1, 0]);
    expect(mails).toMatchObject([{ to: ["d@theirs.net"] }]);
    const bytes = Buffer.from(mails[0]!.text, "latin1");
    expect(findReports(bytes, parseStructure(bytes))).toMatchObject([
      {
        kind: "dmarc",
        domain: "theirs.net",
        organization: "ours.org",
        passed: 2,
        failed: 0,
        rows: [
          {
            count: 2,
            result: "none",
            address: "192.0.2.1",
            dkim: "pass",
            spf: "fail",
            from: "news.theirs.net",
          },
        ],
      },
    ]);
  });

  test("a report goes to five addresses at most", async () => {
    const many = Array.from({ length: 7 }, (_, count) => `mailto:r${count}@theirs.net`).join(",");
    const { mails } = await report({
      ...zone,
      "_dmarc.theirs.net": [["TXT", `v=DMARC1; p=none; rua=${many}`]],
    });
    expect(mails.flatMap(({ to }) => to).toSorted()).toEqual(
      [0, 1, 2, 3, 4].map((count) => `r${count}@theirs.net`),
    );
  });

  test.each([
    [3, 1],
    [4, 0],
  ])("of counts of %i days ago %i reports are sent, and none is kept", async (days, sent) => {
    await using house = await openDeliveryHouse({ zone, isStopped: true });
    const { store, clock } = house.test;
    const counts = createReportCounts(store);
    const seen = dmarcDetail(evidence, { address: "192.0.2.1", disposition: "none" })!;
    counts.note("dmarc", seen.domain, seen.detail);
    await counts.flush();
    clock.advance(days * dayMs);
    const rooms = { store, settings: house.settings, outbound: house.outbound, resolve: zoneResolve(zone) };
    expect(await sendDueReports(rooms)).toBe(sent);
    expect(await listCountedDomains(store, "dmarc", dayOf(clock.now()) + 1, 9)).toEqual([]);
  });

  const outside = {
    "_dmarc.theirs.net": [["TXT", "v=DMARC1; p=none; rua=mailto:d@other.net"]],
  } satisfies Zone;
  test("a report is in no folder of its sender, and does not count as mail of the sender", async () => {
    expect(await report(zone)).toMatchObject({ count: 1, traces: [[], []] });
  });

  test.each([
    ["rate_limited", 1],
    ["paused", 1],
    ["upstream_unavailable", 1],
    ["policy_refused", 0],
    ["invalid", 0],
  ] as const)("of a report that is refused as %s, %i are sent later", async (code, later) => {
    await using house = await openDeliveryHouse({ zone, isStopped: true });
    const { store, clock } = house.test;
    const counts = createReportCounts(store);
    const seen = dmarcDetail(evidence, { address: "192.0.2.1", disposition: "none" })!;
    counts.note("dmarc", seen.domain, seen.detail);
    await counts.flush();
    clock.advance(dayMs);
    const rooms = { store, settings: house.settings, resolve: zoneResolve(zone) };
    const refusing = { submit: () => Promise.reject(new WaypostError(code, "refused")) };
    await sendDueReports({ ...rooms, outbound: refusing });
    expect(await sendDueReports({ ...rooms, outbound: house.outbound })).toBe(later);
  });

  test("a report waits while its sender is paused", async () => {
    const { count, again, mails } = await report(zone, [], true);
    expect([count, again]).toEqual([0, 1]);
    expect(mails).toHaveLength(1);
  });

  test.each<[number, string, Zone, string[]]>([
    [0, "the domain asks for none", { ...zone, "_dmarc.theirs.net": [["TXT", "v=DMARC1; p=none"]] }, []],
    [0, "another domain has not said that it takes it", { ...zone, ...outside }, []],
    [
      1,
      "another domain has said that it takes it",
      { ...zone, ...outside, "theirs.net._report._dmarc.other.net": [["TXT", "v=DMARC1"]] },
      [],
    ],
    [0, "the operator wants none", zone, ["reports.send_dmarc=false"]],
  ])("%i reports leave where %s", async (count, _, records, set) => {
    expect(await report(records, set)).toMatchObject({ count, again: 0 });
  });
});

test("a sender with many names cannot fill the disk: 100,000 rows are written in a day", async () => {
  let count = 0;
  let now = Date.UTC(2030, 0, 1);
  const counts = createReportCounts({
    clock: { now: () => now },
    write: (async (_by: unknown, _name: string, { counts: rows }: { counts: unknown[] }) => {
      count += rows.length;
    }) as never,
  });
  const noteMany = async (): Promise<void> => {
    for (let minute = 0; minute < 12; minute++) {
      for (let name = 0; name < 11_000; name++) counts.note("dmarc", `${minute}-${name}.net`, {});
      await counts.flush();
    }
  };
  await noteMany();
  expect(count).toBe(100_000);
  now += dayMs;
  await noteMany();
  expect(count).toBe(200_000);
});
