/** Items: the resources of a collection (RFC 4791 section 4.1, RFC 6352 section 5.1). */
import type { AuthorFacts } from "#/src/model/author-facts.ts";
import type { AgentNumber, CollectionNumber, ItemNumber, Modseq } from "#/src/model/numbers.ts";
import type { CollectionKind } from "./collection.ts";

/** Where an item came from, decided when it was written ("Read result" of the interface). */
export interface ItemProvenance {
  readonly source: "dav" | "api" | "import" | "smtp" | "submission";
  /** For an invitation that came by mail: the domain of its author, and whether it was authenticated. */
  readonly fromDomain?: string;
  readonly checks?: Readonly<Record<string, unknown>>;
  /** What was known of that author when the mail was received. */
  readonly author?: AuthorFacts;
}

/** An item without its bytes, for listings. */
export interface Item {
  readonly agent: AgentNumber;
  readonly number: ItemNumber;
  readonly collection: CollectionNumber;
  readonly kind: CollectionKind;
  /** Last segment of its href, if the client chose it; otherwise `event_….ics`, `contact_….vcf`. */
  readonly segment: string | undefined;
  readonly uid: string;
  /** VEVENT, VTODO, VJOURNAL, VFREEBUSY, VAVAILABILITY, VCARD. */
  readonly component: string;
  /** The version of the item; its ETag is this in quotes. */
  readonly modseq: Modseq;
  /** RFC 6638 section 3.2.10; undefined if the item is not a scheduling object. */
  readonly scheduleTag: string | undefined;
  /** Octets. */
  readonly size: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly isAuthenticated: boolean;
  readonly provenance: ItemProvenance;
}

/** An item with the octets that its last writer wrote. */
export interface StoredItem extends Item {
  readonly bytes: Uint8Array;
}

/** A period in which an item has an instance, from the index of occurrences: milliseconds, without the end. */
export interface Candidate {
  readonly item: ItemNumber;
  /** Whether the item has only this instance with exactly this period, so that nothing has to be expanded. */
  readonly isExact: boolean;
  readonly startMs: number;
  readonly endMs: number;
}
