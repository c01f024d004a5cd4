import type { HeaderField } from "#/src/formats/mime/header.ts";
import { idsOfField } from "#/src/formats/mime/header-values.ts";
import { threadReferencesMax } from "#/src/model/limits.ts";

/** The identifiers for THREAD=REFERENCES: the message's own one, "" if it has none, and those it refers to, the oldest first. */
export interface ReferenceIds {
  readonly own: string;
  readonly references: readonly string[];
}

/** RFC 5256 section 3, step 1: the ids of References, or if it has none, the first of In-Reply-To. Of a long list the first and the last
 *  ones are used. */
export function referenceIdsOf(fields: readonly HeaderField[]): ReferenceIds {
  const idsOf = (name: string): string[] =>
    fields
      .filter((field) => field.name === name)
      .slice(0, 1)
      .flatMap(idsOfField)
      .map(normalId)
      .filter(isKept);
  const named = [...new Set(idsOf("references"))];
  const all = named.length > 0 ? named : idsOf("in-reply-to").slice(0, 1);
  const half = threadReferencesMax / 2;
  const references = all.length <= threadReferencesMax ? all : [...all.slice(0, half), ...all.slice(-half)];
  return { own: idsOf("message-id")[0] ?? "", references };
}

/** The text that is stored in the column. */
export function formatReferenceIds({ own, references }: ReferenceIds): string {
  return [own, ...references].join(" ");
}

export function parseReferenceIds(text: string): ReferenceIds {
  const [own = "", ...references] = text.split(" ");
  return { own, references };
}

/** Octets of one identifier; no line of a header is longer (RFC 5322 section 2.1.1). */
const idBytesMax = 998;

function isKept(id: string): boolean {
  return id !== "" && id.length <= idBytesMax;
}

/** <"abc"@d> is <abc@d> (RFC 5256 section 3, "Message IDs"). Without what a column may not hold. */
function normalId(id: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  const plain = id.replace(/[\u0000-\u0020\u007f]+/g, "");
  return plain.replace(/^"((?:[^"\\]|\\.)*)"(?=@)/, (_match, quoted: string) =>
    quoted.replace(/\\(.)/g, "$1"),
  );
}
