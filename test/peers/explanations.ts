/** Where Waypost's ENVELOPE and BODYSTRUCTURE differ from another server's on purpose: by the rule that explains it. */
import { Buffer } from "node:buffer";
import { decodeWords } from "../../src/formats/mime/encoded-words.ts";
import { type Difference, differences, type FlatStructure } from "./flat-structure.ts";

export interface Explanation {
  /** The section that Waypost follows. */
  readonly rfc: string;
  readonly why: string;
  explains(difference: Difference, structures: Structures): boolean;
}

/** Everything that the two servers say of a message. */
export interface Structures {
  readonly ours: FlatStructure;
  readonly theirs: FlatStructure;
}

export const common: readonly Explanation[] = [
  {
    rfc: "RFC 5322 section 2.2.3",
    why: "unfolding takes the line end away and nothing else; white space around a value is not of it",
    explains: ({ ours, theirs }) => isText(ours, theirs) && folded(ours) === folded(theirs),
  },
  {
    rfc: "RFC 2231 section 4",
    why: "a parameter that is not ASCII has its one standard form, whether it came so, as an encoded word or as it is",
    explains: ({ field, ours, theirs }) =>
      /^(?:parameters|disposition)\./.test(field) && decoded(ours) === decoded(theirs),
  },
  {
    rfc: "RFC 2045 section 5.2",
    why: "a type without a subtype, and none at all, is text/plain; text without a charset is US-ASCII",
    explains: ({ field, ours, theirs }) =>
      ((field === "type" || field === "subtype") &&
        (theirs === "" || theirs === null) &&
        /^(?:text|plain)$/.test(`${ours}`)) ||
      (field === "parameters.charset" && theirs === null && ours === "us-ascii"),
  },
  {
    rfc: "RFC 2046 section 5.1.1",
    why: "the line end before a delimiter belongs to the delimiter, also behind the end of an inner multipart",
    explains: ({ field, ours, theirs }) =>
      typeof ours === "number" &&
      ((field === "size" && theirs === ours + 2) || (field === "lines" && theirs === ours + 1)),
  },
];

function isText(...values: Difference["ours"][]): boolean {
  return values.every((value) => typeof value === "string" || value === null);
}

export function folded(value: Difference["ours"]): string {
  return `${value ?? ""}`.replace(/\s+/g, " ").trim();
}

/** A parameter's value without its encoding. */
function decoded(value: Difference["ours"]): string {
  const text = Buffer.from(`${value ?? ""}`, "latin1").toString();
  const [, charset, octets] = /^([\w-]*)'[\w-]*'(.*)$/.exec(text) ?? [];
  if (octets === undefined) return folded(decodeWords(text));
  const plain = octets.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return folded(new TextDecoder(charset || "us-ascii").decode(Buffer.from(plain, "latin1")));
}

/** Differences that nothing explains, as sentences. */
export function unexplained(
  file: string,
  structures: Structures,
  rules: readonly Explanation[],
  used: Set<Explanation>,
): string[] {
  const left = differences(structures.ours, structures.theirs).filter((difference) => {
    const rule = rules.find((one) => one.explains(difference, structures));
    if (rule !== undefined) used.add(rule);
    return rule === undefined;
  });
  return left.map(
    ({ name, ours, theirs }) =>
      `${file}: ${name} is ${JSON.stringify(ours)} here, ${JSON.stringify(theirs)} there`,
  );
}
