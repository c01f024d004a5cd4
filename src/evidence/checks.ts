/** The results of the checks of a message's origin. They are found once, when the message arrives, and stored with it. The words of a
 *  result are those of RFC 8601 section 2.7. A domain is the one that the message claims: letters, digits, dots and hyphens. */
export interface Checks extends Readonly<Record<string, unknown>> {
  readonly spf?: { readonly result: string; readonly domain?: string };
  readonly dkim?: readonly DkimCheck[];
  readonly dmarc?: { readonly result: string; readonly domain?: string; readonly policy?: string };
  readonly arc?: { readonly result: string; readonly count?: number; readonly reason?: string };
  readonly iprev?: { readonly result: string; readonly address?: string; readonly name?: string };
  /** Where a signature alone vouches for a message with a Reply-To: whether it signs that too, and if not, whether the field is that of
   *  the list that the message came over. */
  readonly reply_to?: { readonly covered: boolean; readonly list?: true };
  /** Where a signature alone vouches for a message: the fields that say how it is decoded and that the signature leaves out. */
  readonly decoding?: { readonly covered: false; readonly fields: readonly string[] };
  /** Of a filter that the operator has put beside the server. */
  readonly spam?: SpamVerdict;
}

export interface SpamVerdict {
  /** What the filter would do, in its words. */
  readonly action: string;
  readonly score: number;
  readonly isSpam: boolean;
}

export interface DkimCheck {
  readonly result: string;
  readonly domain?: string;
  readonly selector?: string;
  /** Its domain is that of the author, as DMARC compares them. */
  readonly aligned?: boolean;
  /** Of the fields that are shown or that the message is decoded by: those that it signs in every instance. */
  readonly covers?: readonly string[];
  /** Seconds from the time that it names to the arrival of the message. */
  readonly age_s?: number;
  /** Why it was not verified: `body-length` for a signature that leaves a part of the body open (`l=`), `over-limit` for one
   *  beyond what is read. */
  readonly reason?: string;
}

/** What a receiver is asked to do with mail that failed (RFC 9989 section 4.7). */
export type DmarcPolicy = "none" | "quarantine" | "reject";

export interface Evidence {
  readonly checks: Checks;
  /** Addresses of To and Cc, in lower case. */
  readonly addressees?: readonly string[];
  /** Whether the one author of the message is who they say. */
  readonly isAuthenticated: boolean;
  /** Of mail with one author: whether SPF passed for a domain of the author. */
  readonly isSpfAligned?: boolean;
  /** Set when DMARC failed: the wish of the domain that was claimed. */
  readonly failedPolicy?: DmarcPolicy;
}
