/** Reports of other servers about a domain: about TLS of the mail that they delivered to it (RFC 8460), and about mail that they
 *  received with its name (DMARC aggregate reports, RFC 7489 section 7.2). */

export type ReportKind = "tls" | "dmarc";

export interface ReceivedReport {
  readonly kind: ReportKind;
  /** The domain of the report, in lower case. */
  readonly domain: string;
  /** The reporter, as it names itself. */
  readonly organization: string;
  /** The reporter's name for the report. */
  readonly name: string;
  readonly beginsAt: number;
  readonly endsAt: number;
  /** Sessions with TLS, or messages that passed DMARC; and those that did not. */
  readonly passed: number;
  readonly failed: number;
  readonly rows: readonly ReportRow[];
}

/** Sessions that failed in one way, or messages from one address with the same results. */
export interface ReportRow {
  readonly count: number;
  /** RFC 8460 section 4.3, or the disposition of the messages: none, quarantine, reject. */
  readonly result: string;
  /** Address of the server that sent. */
  readonly address?: string;
  /** Host name of the receiving server. */
  readonly host?: string;
  /** For DMARC: the results of SPF and DKIM, aligned with the From domain. */
  readonly spf?: string;
  readonly dkim?: string;
  readonly from?: string;
}

/** Bound on the characters of each text from a report. */
const wordCharactersMax = 255;

/** Untrusted text as one printable line of bounded length. */
export function reportWord(text: unknown): string {
  return typeof text === "string"
    ? text
        .slice(0, 4 * wordCharactersMax)
        .replace(/[\p{C}\s]+/gu, " ")
        .trim()
        .slice(0, wordCharactersMax)
    : "";
}

export function reportCount(value: unknown): number {
  const count = Math.trunc(Number(value));
  return count > 0 && count <= 1e12 ? count : 0;
}
