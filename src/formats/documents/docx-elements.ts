/** Elements of a Word document in which text stands that a person sees, and vocabularies of what is drawn. */
import type { SaxesTagNS } from "saxes";

const holders: ReadonlySet<string> = new Set(
  (
    "document body p r t tbl tr tc sdt sdtContent ins moveTo hyperlink smartTag customXml fldSimple txbxContent drawing pict object " +
    "ruby rt rubyBase bdo dir del moveFrom"
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
