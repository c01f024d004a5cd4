/** How a part can be read as text, by its media type; if that says nothing, by the extension of its file name. */
import type { MimePart } from "#/src/formats/mime/structure.ts";
import { fileName } from "./body-parts.ts";

export type PartReading = "text" | "html" | "calendar" | "contact" | "pdf" | "docx";

const byType: ReadonlyMap<string, PartReading> = new Map([
  ["text/html", "html"],
  ["application/xhtml+xml", "html"],
  ["text/calendar", "calendar"],
  ["application/ics", "calendar"],
  ["text/vcard", "contact"],
  ["text/x-vcard", "contact"],
  ["text/directory", "contact"],
  ["application/pdf", "pdf"],
  ["application/x-pdf", "pdf"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.ms-word.document.macroenabled.12", "docx"],
  ["message/delivery-status", "text"],
  ["message/global-delivery-status", "text"],
  ["message/disposition-notification", "text"],
  ["text/rfc822-headers", "text"],
]);
const textual = new Set(["json", "xml", "javascript", "pgp-signature", "pgp-keys", "x-yaml", "yaml", "csv"]);
const byEnding: readonly (readonly [string, PartReading])[] = [
  [".pdf", "pdf"],
  [".docx", "docx"],
  [".ics", "calendar"],
  [".vcf", "contact"],
  [".html", "html"],
  [".htm", "html"],
  [".csv", "text"],
  [".txt", "text"],
];
const untyped = new Set([
  "application/octet-stream",
  "application/x-download",
  "application/force-download",
  "text/plain",
]);

/** undefined for what is no text. */
export function readingOf(part: MimePart): PartReading | undefined {
  const type = `${part.type}/${part.subtype}`;
  const known = byType.get(type);
  if (known !== undefined) return known;
  if (untyped.has(type)) {
    const name = fileName(part).toLowerCase();
    const ending = byEnding.find(([end]) => name.endsWith(end));
    // A text that calls itself a page is one; one that calls itself a document is a text.
    if (ending !== undefined && !(part.type === "text" && (ending[1] === "pdf" || ending[1] === "docx")))
      return ending[1];
  }
  if (part.type === "text") return "text";
  const isTextual = textual.has(part.subtype) || /\+(?:json|xml)$/.test(part.subtype);
  return part.type === "application" && isTextual ? "text" : undefined;
}

export function isReadable(part: MimePart): boolean {
  return readingOf(part) !== undefined;
}
