/** Reads a DMARC aggregate report (RFC 7489 section 7.2 and appendix C). A document type declaration is refused, so there are no
 *  entities but the five of XML. Elements are told by their local names, as reporters differ in the namespace. */
import { SaxesParser } from "saxes";
import { type ReceivedReport, type ReportRow, reportCount, reportWord } from "./received-report.ts";

const elementsMax = 100_000;
const depthMax = 20;
/** Characters of the name of an element: the longest that the schema has is 18. */
const nameCharactersMax = 100;
/** Bound on the depth of elements that are read: `record.row.policy_evaluated.spf` below `feedback` is the deepest. */
const readDepthMax = 5;
/** Bound on the records that are kept; all of them are counted. */
const rowsMax = 500;
const textCharactersMax = 1000;

/** The elements that are read; others are not kept. */
const wordsOfRecord = new Set([
  "record.row.count",
  "record.row.source_ip",
  "record.row.policy_evaluated.disposition",
  "record.row.policy_evaluated.spf",
  "record.row.policy_evaluated.dkim",
  "record.identifiers.header_from",
]);
const wordsOfHead = new Set([
  "policy_published.domain",
  "report_metadata.report_id",
  "report_metadata.org_name",
  "report_metadata.date_range.begin",
  "report_metadata.date_range.end",
]);

/** undefined if the text is not such a report. */
export function readDmarcReport(xml: string): ReceivedReport | undefined {
  // The parser would read a whole declaration before it tells of it.
  if (xml.includes("<!DOCTYPE")) return undefined;
  const head = new Map<string, string>();
  const rows: ReportRow[] = [];
  let [passed, failed, elementCount] = [0, 0, 0];
  let record = new Map<string, string>();
  let text = "";
  const path: string[] = [];
  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on("opentag", ({ local }) => {
    if (++elementCount > elementsMax || path.length >= depthMax || local.length > nameCharactersMax)
      throw new SyntaxError("The report is too large.");
    path.push(local);
    text = "";
    if (local === "record") record = new Map();
  });
  parser.on("text", (piece) => {
    if (text.length < textCharactersMax) text += piece;
  });
  parser.on("closetag", () => {
    const at = path.length > readDepthMax ? "" : path.slice(1).join(".");
    path.pop();
    const value = reportWord(text);
    text = "";
    if (at === "record") closeRecord();
    else if (wordsOfRecord.has(at)) record.set(at.slice("record.".length), value);
    else if (wordsOfHead.has(at) && !head.has(at)) head.set(at, value);
  });
  try {
    parser.write(xml).close();
  } catch (error) {
    // The parser throws Error for what is not well-formed; other kinds are faults of ours.
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    return undefined;
  }
  return reportOf(head, { passed, failed, rows });

  function closeRecord(): void {
    const count = reportCount(record.get("row.count"));
    const spf = record.get("row.policy_evaluated.spf") ?? "";
    const dkim = record.get("row.policy_evaluated.dkim") ?? "";
    if (spf === "pass" || dkim === "pass") passed += count;
    else failed += count;
    if (rows.length >= rowsMax) return;
    rows.push({
      count,
      result: record.get("row.policy_evaluated.disposition") ?? "",
      address: record.get("row.source_ip") ?? "",
      spf,
      dkim,
      from: record.get("identifiers.header_from") ?? "",
    });
  }
}

function reportOf(
  head: ReadonlyMap<string, string>,
  counts: Pick<ReceivedReport, "passed" | "failed" | "rows">,
): ReceivedReport | undefined {
  const domain = head.get("policy_published.domain")?.toLowerCase() ?? "";
  const name = head.get("report_metadata.report_id") ?? "";
  const beginsAt = secondsOf(head.get("report_metadata.date_range.begin"));
  const endsAt = secondsOf(head.get("report_metadata.date_range.end"));
  if (domain === "" || name === "" || beginsAt === undefined || endsAt === undefined) return undefined;
  const organization = head.get("report_metadata.org_name") ?? "";
  return { kind: "dmarc", domain, organization, name, beginsAt, endsAt, ...counts };
}

/** Of seconds since 1970. */
function secondsOf(text: string | undefined): number | undefined {
  return /^\d{1,12}$/.test(text ?? "") ? Number(text) * 1000 : undefined;
}
