/** The zone file of a domain has what only a signed zone needs: a TLSA record that senders with DANE accept the server's certificate by. */
import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { defaultSettings } from "#/config/schema.ts";
import { findDaneMismatch } from "#/protocols/delivery/dane-match.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { secureRecords } from "#/src/domain-check/secure-records.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { testCertificate } from "../support/certificates/certificate.ts";
import { openTestStore } from "../support/store.ts";

const host = "mail.ours.dev";

/** A resolver that knows the DS records of some zones. */
function zones(...signed: readonly string[]) {
  return async (name: string, type: string): Promise<unknown[]> => {
    if (type === "DS" && signed.includes(name)) return [{}];
    throw Object.assign(new Error("none"), { code: "ENOTFOUND" });
  };
}

it("is offered where the zone of the host or one above it is signed, and matches the certificate", async () => {
  const [record, ...others] = await secureRecords(host, testCertificate.cert, zones("ours.dev"));
  expect([record?.name, record?.type, others]).toEqual([`_25._tcp.${host}`, "TLSA", []]);
  const [usage, selector, matchingType, hex] = record!.value.split(" ");
  const numbers = [usage, selector, matchingType].map(Number) as [number, number, number];
  const records = [
    {
      usage: numbers[0],
      selector: numbers[1],
      matchingType: numbers[2],
      certificate: Buffer.from(hex!, "hex"),
    },
  ];
  const chain = [new X509Certificate(testCertificate.cert)];
  expect(numbers).toEqual([3, 1, 1]);
  expect(findDaneMismatch(chain, { base: host, names: [host], records }, Date.now())).toBeUndefined();
});

it("is not offered where nothing is signed, or nobody answers", async () => {
  expect(await secureRecords(host, testCertificate.cert, zones("other.dev"))).toEqual([]);
  const silent = async () => Promise.reject(Object.assign(new Error("late"), { code: "ETIMEOUT" }));
  expect(await secureRecords(host, testCertificate.cert, silent)).toEqual([]);
});

it("stands in the zone file beside CAA and the SRV records of imaps and submissions", async () => {
  await using opened = await openTestStore();
  const { store } = opened;
  const settings = defaultSettings();
  const rooms = {
    store,
    settings: {
      ...settings,
      server: { ...settings.server, hostname: host },
      acme: { ...settings.acme, enabled: true },
      imaps: { ...settings.imaps, port: 993 },
      submissions: { ...settings.submissions, port: 465 },
    },
    domainChecks: {
      check: async () => ({ ok: true }),
      findUnpublished: async () => [],
      listSecureRecords: () => secureRecords(host, testCertificate.cert, zones("ours.dev")),
    },
  };
  const run = (name: string, input: object) => administer(atCommandLine, rooms, name, input);
  await run("account.create", { name: "main" });
  await run("domain.add", { name: "ours.dev" });
  const { zone } = (await run("domain.zone", { name: "ours.dev" })) as { zone: string };
  expect(zone).toMatch(/^_25\._tcp\.mail\.ours\.dev\. 3600 IN TLSA 3 1 1 [0-9a-f]{64}$/m);
  expect(zone).toContain('mail.ours.dev. 3600 IN CAA 0 issue "letsencrypt.org"');
  expect(zone).toContain("_imaps._tcp.ours.dev. 3600 IN SRV 0 1 993 mail.ours.dev.");
  expect(zone).toContain("_submissions._tcp.ours.dev. 3600 IN SRV 0 1 465 mail.ours.dev.");
});
