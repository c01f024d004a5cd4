/** Whether a signature covers the fields that are shown and those that say how the message is decoded (RFC 6376 section 5.4).
 *
 *  A signature covers as many fields of a name as its `h=` contains that name, counted from the last field. Readers show the first
 *  field. So a field that somebody adds on top of a signed message would be believed, unless the fields are counted. */
import type { HeaderField } from "#/src/formats/mime/header.ts";

/** Fields that must be signed if they exist. */
const signedFields = ["from", "subject", "date", "to", "cc", "sender", "message-id"];

/** Fields that signers may leave out; an unsigned one may occur at most once. */
const otherFields = [
  "reply-to",
  "bcc",
  "in-reply-to",
  "references",
  "list-id",
  "auto-submitted",
  "precedence",
  "mime-version",
  "content-type",
  "content-transfer-encoding",
  "content-disposition",
  "content-id",
  "content-description",
  "content-language",
  "content-location",
  "content-md5",
];

export interface Coverage {
  /** Names of the shown fields that are there and that are signed in every instance. */
  readonly covers: readonly string[];
  /** Whether the signature speaks for what is shown: nothing was put beside what it signs. */
  readonly isComplete: boolean;
}

/** `signedNames`: the names of `h=`, in lower case. */
export function coverageOf(fields: readonly HeaderField[], signedNames: readonly string[]): Coverage {
  const present = countNames(fields.map(({ name }) => name));
  const signed = countNames(signedNames);
  const isSigned = (name: string): boolean => (present.get(name) ?? 0) <= (signed.get(name) ?? 0);
  const isLeftOut = (name: string): boolean => !signed.has(name) && present.get(name) === 1;
  return {
    covers: [...signedFields, ...otherFields].filter((name) => present.has(name) && isSigned(name)),
    isComplete:
      signedFields.every(isSigned) && otherFields.every((name) => isSigned(name) || isLeftOut(name)),
  };
}

function countNames(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
