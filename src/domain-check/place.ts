import type { Settings } from "#/config/schema.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import type { DomainKeyRow } from "#/storage/rows.ts";

/** What the checks of records know. */
export interface RecordPlace {
  readonly domain: string;
  readonly settings: Settings;
  readonly keys: readonly DomainKeyRow[];
  /** Addresses of the server, from which mail leaves, as others see them. */
  readonly addresses: readonly string[];
  /** Queries the name servers of the domain. */
  readonly resolve: Resolve;
  /** Queries other names, such as those that an SPF record includes. */
  readonly resolveOther: Resolve;
  readonly now: number;
}

/** A tag of a tag-list (RFC 6376 section 3.2); white space may stand in its value. */
export function tagOf(text: string, name: string): string | undefined {
  for (const tag of text.split(";")) {
    const equals = tag.indexOf("=");
    if (tag.slice(0, equals).trim().toLowerCase() === name) return tag.slice(equals + 1).replace(/\s/g, "");
  }
  return undefined;
}

export function plainName(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
