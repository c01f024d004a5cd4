/** What FETCH asks for (RFC 9051 section 6.4.5, with RFC 3516, 7162, 8474, 8514, 8970).
 *
 *  fetch-att = "ENVELOPE" / "FLAGS" / … / "BODY" [".PEEK"] section ["<" number "." nz-number ">"]
 *            / "PREVIEW" [SP "(" "LAZY" ")"] / "BINARY" [".PEEK"] section-binary [partial] / "BINARY.SIZE" section-binary */
import { createHeaderPicker, type HeaderPicker } from "#/src/formats/mime/header.ts";
import { createListFieldsReader, type ListFieldsReader } from "#/src/mail/list-fields.ts";
import { bad } from "../errors.ts";
import { fetchItemsMax, sectionDepthMax } from "../limits.ts";
import { astringText } from "../wire/strings.ts";
import type { WireReader } from "../wire/wire-reader.ts";

/** Items that are known without the message's bytes, by their name in the response. */
const rowItems = [
  "FLAGS",
  "UID",
  "INTERNALDATE",
  "RFC822.SIZE",
  "ENVELOPE",
  "BODYSTRUCTURE",
  "BODY",
  "MODSEQ",
  "EMAILID",
  "THREADID",
  "SAVEDATE",
] as const;
export type RowItem = (typeof rowItems)[number];

export interface Partial {
  readonly offset: number;
  readonly length: number;
}

export type FetchItem =
  | { readonly kind: "row"; readonly name: RowItem }
  /** A section in transfer encoding; `label` is how the response names it. */
  | {
      readonly kind: "section";
      readonly label: string;
      readonly setsSeen: boolean;
      readonly part: readonly number[];
      readonly text: SectionText | undefined;
      readonly partial: Partial | undefined;
    }
  | {
      readonly kind: "binary";
      readonly label: string;
      readonly setsSeen: boolean;
      readonly part: readonly number[];
      readonly partial: Partial | undefined;
    }
  /** RFC 8970. */
  | { readonly kind: "preview"; readonly label: string }
  | { readonly kind: "binarySize"; readonly label: string; readonly part: readonly number[] };

export type SectionText =
  | { readonly kind: "HEADER" | "TEXT" | "MIME" }
  | {
      readonly kind: "HEADER.FIELDS" | "HEADER.FIELDS.NOT";
      readonly names: readonly string[];
      /** The same out of the stored list fields, if they have all of them. */
      readonly listReader: ListFieldsReader | undefined;
      /** Cuts them out of a header block, as octet strings. */
      readonly picker: HeaderPicker;
    };

const macros: Readonly<Record<string, readonly RowItem[]>> = {
  FAST: ["FLAGS", "INTERNALDATE", "RFC822.SIZE"],
  ALL: ["FLAGS", "INTERNALDATE", "RFC822.SIZE", "ENVELOPE"],
  FULL: ["FLAGS", "INTERNALDATE", "RFC822.SIZE", "ENVELOPE", "BODY"],
};

/** Items of RFC 3501 that are sections under another name. */
const oldSections: Readonly<
  Record<string, { readonly text: SectionText | undefined; readonly setsSeen: boolean }>
> = {
  RFC822: { text: undefined, setsSeen: true },
  "RFC822.HEADER": { text: { kind: "HEADER" }, setsSeen: false },
  "RFC822.TEXT": { text: { kind: "TEXT" }, setsSeen: true },
};

export function readFetchItems(reader: WireReader): FetchItem[] {
  if (reader.peek() === "(") return reader.list(() => readItem(reader), { max: fetchItemsMax });
  for (const [macro, names] of Object.entries(macros))
    if (reader.tryWord(macro)) return names.map((name) => ({ kind: "row", name }));
  return [readItem(reader)];
}

/** What is asked twice is answered once. */
export function eachOnce(items: readonly FetchItem[]): FetchItem[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const label = item.kind === "row" ? item.name : item.label;
    const isNew = !seen.has(label);
    seen.add(label);
    return isNew;
  });
}

function readItem(reader: WireReader): FetchItem {
  const name = reader.itemName();
  if (reader.peek() === "[") {
    if (name === "BODY" || name === "BODY.PEEK") return readSection(reader, name === "BODY");
    if (name === "BINARY" || name === "BINARY.PEEK") {
      const part = readBinaryPart(reader);
      const partial = tryPartial(reader);
      return {
        kind: "binary",
        label: `BINARY[${part.join(".")}]${partialLabel(partial)}`,
        setsSeen: name === "BINARY",
        part,
        partial,
      };
    }
    if (name === "BINARY.SIZE") {
      const part = readBinaryPart(reader);
      return { kind: "binarySize", label: `BINARY.SIZE[${part.join(".")}]`, part };
    }
    throw bad("Unknown FETCH item");
  }
  if (name === "PREVIEW") {
    // Previews are made at once, so that those who can do without get them too (RFC 8970 section 3.1).
    reader.tryText(" (LAZY)");
    return { kind: "preview", label: name };
  }
  const old = oldSections[name];
  if (old !== undefined)
    return {
      kind: "section",
      label: name,
      setsSeen: old.setsSeen,
      part: [],
      text: old.text,
      partial: undefined,
    };
  const row = rowItems.find((item) => item === name);
  if (row === undefined) throw bad("Unknown FETCH item");
  return { kind: "row", name: row };
}

function readSection(reader: WireReader, setsSeen: boolean): FetchItem {
  reader.character("[");
  const part: number[] = [];
  let text: SectionText | undefined;
  while (reader.peek() !== "]") {
    if (/\d/.test(reader.peek())) {
      if (part.length >= sectionDepthMax) throw bad("Section number is too deep", "LIMIT");
      part.push(reader.nonZeroNumber());
      if (reader.tryCharacter(".")) {
        if (reader.peek() === "]") throw bad("Malformed section");
        continue;
      }
    } else text = readSectionText(reader, part);
    break;
  }
  reader.character("]");
  const partial = tryPartial(reader);
  return {
    kind: "section",
    label: `BODY[${sectionLabel(part, text)}]${partialLabel(partial)}`,
    setsSeen,
    part,
    text,
    partial,
  };
}

function readSectionText(reader: WireReader, part: readonly number[]): SectionText {
  const kind = reader.itemName();
  switch (kind) {
    case "MIME":
      if (part.length === 0) throw bad("MIME needs a section number");
      return { kind };
    case "HEADER":
    case "TEXT":
      return { kind };
    case "HEADER.FIELDS":
    case "HEADER.FIELDS.NOT": {
      reader.space();
      const names = reader.list(() => reader.astring(), { max: 1000 });
      const listed = new Set(names.map((name) => name.toLowerCase()));
      return {
        kind,
        names,
        listReader: kind === "HEADER.FIELDS" ? createListFieldsReader(names) : undefined,
        picker: createHeaderPicker((name) => listed.has(name) === (kind === "HEADER.FIELDS")),
      };
    }
    default:
      throw bad("Unknown section");
  }
}

function readBinaryPart(reader: WireReader): number[] {
  reader.character("[");
  const part: number[] = [];
  if (reader.peek() !== "]")
    do {
      if (part.length >= sectionDepthMax) throw bad("Section number is too deep", "LIMIT");
      part.push(reader.nonZeroNumber());
    } while (reader.tryCharacter("."));
  reader.character("]");
  return part;
}

function tryPartial(reader: WireReader): Partial | undefined {
  if (!reader.tryCharacter("<")) return undefined;
  const offset = reader.number();
  reader.character(".");
  const length = reader.nonZeroNumber();
  reader.character(">");
  return { offset, length };
}

/** Responses name only where a partial starts. */
function partialLabel(partial: Partial | undefined): string {
  return partial === undefined ? "" : `<${partial.offset}>`;
}

function sectionLabel(part: readonly number[], text: SectionText | undefined): string {
  const path = part.join(".");
  if (text === undefined) return path;
  const dot = path === "" ? "" : ".";
  const names = "names" in text ? ` (${text.names.map(astringText).join(" ")})` : "";
  return `${path}${dot}${text.kind}${names}`;
}
