/** Reports of other servers about our domains, as they arrive: TLS (RFC 8460) and DMARC (RFC 7489 section 7.2). */
import { deflateRawSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { parseStructure } from "#/src/formats/mime/structure.ts";
import { findReports, mayHaveReport } from "#/src/formats/reports/find-reports.ts";
import { readDmarcReport } from "#/src/formats/reports/read-dmarc-report.ts";
import { readTlsReport } from "#/src/formats/reports/read-tls-report.ts";
import { dmarcXml, mailWith, tlsJson } from "./report-mails.ts";

const dmarcReport = {
  kind: "dmarc",
  domain: "ours.org",
  organization: "Far Inc.",
  name: "7",
  beginsAt: Date.UTC(2026, 0, 1),
  passed: 3,
  failed: 2,
  rows: [
    { count: 3, result: "none", address: "192.0.2.1", dkim: "pass", spf: "fail", from: "ours.org" },
    { count: 2, result: "quarantine", address: "192.0.2.2", dkim: "fail", spf: "fail" },
  ],
};
const tlsReport = {
  kind: "tls",
  domain: "ours.org",
  name: "8",
  beginsAt: Date.UTC(2026, 0, 1),
  passed: 5,
  failed: 1,
  rows: [{ count: 1, result: "certificate-expired", host: "mx.ours.org", address: "192.0.2.1" }],
};

function find(type: string, name: string, content: Buffer) {
  const mail = mailWith(type, name, content);
  return findReports(mail, parseStructure(mail));
}

/** An archive of one file. */
function zip(name: string, content: Buffer): Buffer {
  const packed = deflateRawSync(content);
  const header = (signature: number, octets: number, write: (buffer: Buffer) => void) => {
    const buffer = Buffer.alloc(octets);
    buffer.writeUInt32LE(signature);
    write(buffer);
    return buffer;
  };
  const local = header(0x04034b50, 30, (buffer) => buffer.writeUInt16LE(name.length, 26));
  const entry = header(0x02014b50, 46, (buffer) => {
    buffer.writeUInt16LE(8, 10);
    buffer.writeUInt32LE(packed.length, 20);
    buffer.writeUInt16LE(name.length, 28);
  });
  const end = header(0x06054b50, 22, (buffer) => {
    buffer.writeUInt16LE(1, 10);
    buffer.writeUInt32LE(30 + name.length + packed.length, 16);
  });
  return Buffer.concat([local, Buffer.from(name), packed, entry, Buffer.from(name), end]);
}

describe("a mail with a report", () => {
  const name = "far.example!ours.org!1767225600!1767311999";
  test.each([
    ["DMARC, .gz", "application/gzip", `${name}.xml.gz`, gzipSync(dmarcXml), dmarcReport],
    ["DMARC, .zip", "application/zip", `${name}.zip`, zip("r.xml", Buffer.from(dmarcXml)), dmarcReport],
    ["DMARC, plain", "text/xml", `${name}.xml`, Buffer.from(dmarcXml), dmarcReport],
    ["DMARC, as octets", "application/octet-stream", `${name}!1.xml.gz`, gzipSync(dmarcXml), dmarcReport],
    ["TLS, .gz", "application/tlsrpt+gzip", "x.json.gz", gzipSync(tlsJson), tlsReport],
    ["TLS, plain", "application/tlsrpt+json", "x.json", Buffer.from(tlsJson), tlsReport],
  ])("is read: %s", (_, type, fileName, content, report) => {
    expect(find(type, fileName, content)).toMatchObject([report]);
    expect(mayHaveReport(`("${type.split("/")[0]}" "${type.split("/")[1]}")`)).toBe(true);
  });

  test.each([
    ["whose file has no name of a report", "application/gzip", "invoice.xml.gz", gzipSync(dmarcXml)],
    ["that is damaged", "application/gzip", `${name}.xml.gz`, gzipSync(dmarcXml).subarray(0, 80)],
    ["whose archive is damaged", "application/zip", `${name}.zip`, zip("r", Buffer.from("x")).subarray(9)],
    [
      "that unpacks to more than 4 MiB",
      "application/gzip",
      `${name}.xml.gz`,
      gzipSync(Buffer.alloc(5e6, " ")),
    ],
    ["of more than 1 MiB", "text/xml", `${name}.xml`, Buffer.from(dmarcXml.padEnd(1.1e6))],
  ])("has none %s", (_, type, fileName, content) => {
    expect(find(type, fileName, content)).toEqual([]);
  });
});

describe("of a DMARC report", () => {
  test.each([
    ["a document type", dmarcXml.replace("?>", '?><!DOCTYPE x [<!ENTITY a "b">]>')],
    ["elements over 20 inside each other", `<feedback>${"<a>".repeat(21)}${"</a>".repeat(21)}</feedback>`],
    ["over 100,000 elements", `<feedback>${"<a/>".repeat(100_001)}</feedback>`],
    ["a name over 100 characters", dmarcXml.replace("</feedback>", `<${"a".repeat(101)}/></feedback>`)],
    // Each of them inside of 10 long names: their paths together would be many GiB.
    [
      "long names inside each other",
      `<feedback>${`<${"a".repeat(100_000)}>`.repeat(10)}${"<b/>".repeat(99_000)}`,
    ],
    ["an end too early", dmarcXml.slice(0, -10)],
    ["no domain", dmarcXml.replace("Ours.org", "")],
  ])("nothing is read with %s", (_, xml) => {
    expect(readDmarcReport(xml)).toBeUndefined();
  });

  test("names of 100 characters, and elements that are not read, are passed over", () => {
    const strange = `<${"a".repeat(100)}><b>1</b></${"a".repeat(100)}><record><row><more>1</more></row></record>`;
    const found = readDmarcReport(dmarcXml.replace("<policy_published>", `${strange}<policy_published>`));
    expect(found).toMatchObject({ domain: "ours.org", passed: 3, failed: 2, rows: [{}, { count: 3 }, {}] });
  });

  test("500 records are kept, and all are counted", () => {
    const record = /<record>.*?<\/record>/s.exec(dmarcXml)![0];
    const found = readDmarcReport(dmarcXml.replace(record, record.repeat(600)))!;
    expect(found.rows).toHaveLength(500);
    expect(found.passed).toBe(1800);
  });

  test("words are printable and of bounded length", () => {
    const found = readDmarcReport(dmarcXml.replace("Far Inc.", `Far\u202e\n${"x".repeat(2000)}`))!;
    expect(found.organization).toMatch(/^Far x{251}$/);
  });
});

describe("of a TLS report", () => {
  test.each([
    ["no JSON", "{"],
    ["another kind of value", "[1]"],
    ["no time", tlsJson.replace("2026-01-01T00", "x")],
  ])("nothing is read with %s", (_, text) => {
    expect(readTlsReport(text)).toEqual([]);
  });

  test("policies of one domain are one report", () => {
    const report = JSON.parse(tlsJson);
    const [policy] = report.policies;
    const other = { ...policy, policy: { "policy-type": "tlsa", "policy-domain": "OURS.org" } };
    expect(readTlsReport(JSON.stringify({ ...report, policies: [policy, other] }))).toMatchObject([
      { domain: "ours.org", passed: 10, failed: 2, rows: [{}, {}] },
    ]);
  });
});
