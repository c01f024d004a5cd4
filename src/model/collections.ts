/** Kinds of collections: calendars and addressbooks (RFC 4791 section 4.2, RFC 6352 section 5.2). */
export const collectionKinds = ["calendar", "addressbook"] as const;
export type CollectionKind = (typeof collectionKinds)[number];

/** default: items that are created without naming a collection are put there; it cannot be deleted. inbox: the scheduling inbox
 *  (RFC 6638 section 2.2), a calendar collection that `/v1` does not show. */
export type CollectionRole = "default" | "inbox";

/** Last segments of hrefs in a calendar home that are reserved for the server (RFC 6638 section 2). */
export const schedulingSegments = { inbox: "inbox", outbox: "outbox" } as const;
