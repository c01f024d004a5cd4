/** What other servers report of a domain: TLS of mail that they brought to it (RFC 8460), and mail that they got in its name (DMARC
 *  aggregate reports, RFC 7489 section 7.2). */

export type ReportKind = "tls" | "dmarc";

export interface ReceivedReport {
  readonly kind: ReportKind;
  /** The domain that the report is about, in lower case. */
  readonly domain: string;
  /** Who reports, in its own words. */
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
  /** RFC 8460 section 4.3, or what was done with the messages: none, quarantine, reject. */
  readonly result: string;
  /** Address of the server that sent. */
  readonly address?: string;
  /** Name of the server that was connected to. */
  readonly host?: string;
  /** Of DMARC: whether each passed, aligned with the author. */
  readonly spf?: string;
  readonly dkim?: string;
  readonly from?: string;
}

/** Characters of each word that a report brings. */
const wordCharactersMax = 255;

/** Text of a stranger as one printable word of bounded length. */
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
