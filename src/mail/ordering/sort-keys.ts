/** Sort keys of messages (RFC 5256 section 3, RFC 5957), as values that can be compared directly. */
import { decodeName } from "#/src/formats/mime/encoded-words.ts";
import { type EnvelopeAddress, readEnvelopeHeads } from "#/src/formats/mime/envelope-reader.ts";
import { parseSubject } from "#/src/formats/mime/subject.ts";
import type { MessageFacet, ShownMessage } from "../entries.ts";
import { foldText } from "../search/search-document.ts";

const sortFields = [
  "arrival",
  "cc",
  "date",
  "displayFrom",
  "displayTo",
  "from",
  "size",
  "subject",
  "to",
] as const;
export type SortField = (typeof sortFields)[number];

export interface SortCriterion {
  readonly field: SortField;
  readonly isReverse: boolean;
}

/** Scores by UID that the caller has; the highest comes first. */
export interface ScoreCriterion {
  readonly field: "score";
  readonly scores: ReadonlyMap<number, number>;
  readonly isReverse: boolean;
}

/** The facet of a message that a criterion needs. */
export const facetOf: Readonly<Record<SortField | "score", MessageFacet | undefined>> = {
  arrival: "numbers",
  cc: "envelope",
  date: "sentAt",
  displayFrom: "envelope",
  displayTo: "envelope",
  from: "envelope",
  score: undefined,
  size: "numbers",
  subject: "subject",
  to: "envelope",
};
export const sortFacets = ["numbers", "envelope", "sentAt", "subject"] as const;

export function sortValue(criterion: SortCriterion | ScoreCriterion, message: ShownMessage): string | number {
  const { field } = criterion;
  switch (field) {
    case "score":
      return -(criterion.scores.get(message.uid) ?? 0);
    case "arrival":
      return message.internalDate!;
    case "date":
      return sentTime(message.sentAt, message.internalDate!);
    case "size":
      return message.size!;
    case "subject":
      return collationKey(parseSubject(message.subject!).base);
    case "from":
    case "to":
    case "cc":
      return collationKey(readEnvelopeHeads(message.envelope!)[field]?.mailbox ?? "");
    case "displayFrom":
      return displayKey(readEnvelopeHeads(message.envelope!).from);
    case "displayTo":
      return displayKey(readEnvelopeHeads(message.envelope!).to);
  }
}

/** Sent date in UTC, or when there is none that can be read, when it arrived (RFC 5256 section 2.2). */
export function sentTime(sentAt: number | null | undefined, internalDate: number): number {
  return sentAt ?? internalDate;
}

/** A key that sorts text by i;unicode-casemap (RFC 5051): the octets of the folded text. It is a string with one character for each
 *  octet, because JavaScript compares strings by UTF-16. */
export function collationKey(text: string): string {
  return Buffer.from(foldText(text)).toString("latin1");
}

/** RFC 5957 section 3: the decoded display name, else the address. */
function displayKey(address: EnvelopeAddress | undefined): string {
  if (address === undefined) return "";
  const { name, mailbox = "", host } = address;
  if (name !== undefined && name !== "") return collationKey(decodeName(name));
  return collationKey(host === undefined ? mailbox : `${mailbox}@${host}`);
}
