/** The reports in a mail. A TLS report is a part of its own media type (RFC 8460 section 6.4). A DMARC report is recognized by
 *  its file name, `receiver!domain!begin!end.xml`, as .gz or in .zip (RFC 7489 section 7.2.1.1); both have at most one file. */
import { gunzipSync } from "node:zlib";
import { readOnlyZipEntry } from "../documents/zip.ts";
import { type MimePart, walkParts } from "../mime/structure.ts";
import { decodeTransfer } from "../mime/transfer-encoding.ts";
import { readDmarcReport } from "./read-dmarc-report.ts";
import { readTlsReport } from "./read-tls-report.ts";
import type { ReceivedReport } from "./received-report.ts";

/** Bounds on the octets of a packed part and of the unpacked report: the largest real ones have some hundred KiB and 2 MiB. */
const packedBytesMax = 1024 * 1024;
const reportBytesMax = 4 * 1024 * 1024;
/** Bound on the parts that are checked. */
const partsMax = 50;
const fileName =
  /^[^!/]{1,255}![^!/]{1,255}!\d{1,12}!\d{1,12}(?:![^!/]{1,255})?\.(xml|json|zip|gz)(?:\.gz)?$/i;
const possiblePart =
  /"application" "(?:tlsrpt\+|x-?gzip|gzip|x-?zip|zip|x-zip-compressed|xml|octet-stream|json)|"text" "xml"/i;

/** A quick test of whether a message may have a report, without reading its structure. */
export function mayHaveReport(bodyStructure: string): boolean {
  return possiblePart.test(bodyStructure);
}

/** Empty for mail without a report that can be read. */
export function findReports(bytes: Uint8Array, top: MimePart): ReceivedReport[] {
  for (const part of walkParts(top).slice(0, partsMax)) {
    const kind = kindOf(part);
    if (kind === undefined) continue;
    const end = Math.min(part.bodyEnd, part.bodyStart + 2 * packedBytesMax);
    const packed = decodeTransfer(bytes.subarray(part.bodyStart, end), part.encoding);
    const report = packed.length > packedBytesMax ? undefined : unpack(packed);
    if (report === undefined) continue;
    const text = report.toString("utf8").replace(/^\ufeff/, "");
    if (kind === "tls") return readTlsReport(text);
    const found = readDmarcReport(text);
    return found === undefined ? [] : [found];
  }
  return [];
}

function kindOf({ type, subtype, parameters, dispositionParameters }: MimePart): "tls" | "dmarc" | undefined {
  if (type === "application" && (subtype === "tlsrpt+gzip" || subtype === "tlsrpt+json")) return "tls";
  const name = dispositionParameters.filename ?? parameters.name ?? "";
  if (!fileName.test(name)) return undefined;
  return /\.json(?:\.gz)?$/i.test(name) ? "tls" : "dmarc";
}

/** Detects the compression by the first octets, because names and media types are often wrong. */
function unpack(packed: Buffer): Buffer | undefined {
  if (packed[0] === 0x1f && packed[1] === 0x8b) {
    try {
      return gunzipSync(packed, { maxOutputLength: reportBytesMax });
    } catch {
      // zlib throws for damaged or too large data: neither is a report.
      return undefined;
    }
  }
  if (packed[0] === 0x50 && packed[1] === 0x4b) {
    const entry = readOnlyZipEntry(packed, reportBytesMax);
    return entry === "over-limit" ? undefined : entry;
  }
  return packed;
}
