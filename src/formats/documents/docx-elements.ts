/** Elements of a Word document in which text stands that a person sees, and vocabularies of what is drawn. */
import type { SaxesTagNS } from "saxes";

const holders: ReadonlySet<string> = new Set(
  (
    "document body p r t tbl tr tc sdt sdtContent ins moveTo hyperlink smartTag customXml fldSimple txbxContent drawing pict object " +
    "ruby rt rubyBase bdo dir del moveFrom hdr ftr footnotes footnote endnotes endnote " +
    "br sym noBreakHyphen footnoteReference endnoteReference"
  ).split(" "),
);
const drawings =
  /^(?:http:\/\/schemas\.(?:openxmlformats\.org\/drawingml\/2006|microsoft\.com\/office\/(?:word|drawing)\/20\d\d)\/|http:\/\/purl\.oclc\.org\/ooxml\/drawingml\/|urn:schemas-microsoft-com:(?:vml|office:))/;

/** Of an element of Word. */
export function holdsText(name: string): boolean {
  return holders.has(name);
}

export function isOfDrawing({ uri }: SaxesTagNS): boolean {
  return drawings.test(uri);
}

const signsOfFonts: Readonly<Record<string, ReadonlyMap<number, string>>> = {
  wingdings: new Map([
    [0x6f, "\u2610"],
    [0xa8, "\u2610"],
    [0xfb, "\u2717"],
    [0xfc, "\u2713"],
    [0xfd, "\u2612"],
    [0xfe, "\u2611"],
  ]),
};

/** What `sym` draws (section 17.3.3.30): boxes and marks of forms. */
export function signOf(font: string, digits: string): string | undefined {
  const code = Number.parseInt(digits, 16);
  const name = font.toLowerCase();
  return Object.hasOwn(signsOfFonts, name) ? signsOfFonts[name]!.get(code & 0xff) : undefined;
}

/** Formulas are not read; their letters are told as left out. */
export function isOfMath({ uri, local }: SaxesTagNS): boolean {
  return (
    local === "t" &&
    (uri === "http://schemas.openxmlformats.org/officeDocument/2006/math" ||
      uri === "http://purl.oclc.org/ooxml/officeDocument/math")
  );
}
