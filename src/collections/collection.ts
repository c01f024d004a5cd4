/** Collections: calendars and addressbooks (RFC 4791 section 4.2, RFC 6352 section 5.2). */

import type { SettableCollection } from "#/src/model/collection-properties.ts";
import type { CollectionKind, CollectionRole } from "#/src/model/collections.ts";
import type { AgentNumber, CollectionNumber, Modseq } from "#/src/model/numbers.ts";
import type { CollectionPropertyRow } from "#/storage/queries/collections/collections.ts";

export { type CollectionKind, type CollectionRole, collectionKinds } from "#/src/model/collections.ts";

/** What a client can set on a collection. */
export interface CollectionProperties extends SettableCollection {
  /** Of a calendar, what it takes (RFC 4791 section 5.2.3): `VEVENT`, `VTODO`, …; undefined for all. Set when it is created. */
  readonly components: readonly string[] | undefined;
}

export interface Collection extends CollectionProperties {
  readonly agent: AgentNumber;
  readonly number: CollectionNumber;
  readonly kind: CollectionKind;
  readonly role: CollectionRole | undefined;
  /** Last segment of its href, if the client chose it; otherwise its id. */
  readonly segment: string | undefined;
  /** MODSEQ of the last change of its properties: its version. */
  readonly propertiesModseq: Modseq;
  /** MODSEQ of the last change of its properties or its items: ctag and sync-token. */
  readonly modseq: Modseq;
  readonly itemCount: number;
  readonly byteCount: number;
  readonly createdAt: number;
  /** The time of the last change of the collection or its items. */
  readonly updatedAt: number;
}

/** A dead property (RFC 4918 section 4): the XML of its element as the client set it. */
export type DeadProperty = CollectionPropertyRow;
