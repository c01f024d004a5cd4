/** Reads the MIME fields of a part (RFC 2045, RFC 2183, RFC 1864, RFC 3282, RFC 2557). Where a field occurs more than once, the
 *  first is used. */
import type { HeaderField } from "./header.ts";
import { skipCfws } from "./lexer.ts";
import { noParameters, parseParameterized } from "./parameters.ts";
import type { MimePart } from "./part.ts";

/** A part while it is being read. */
export type OpenPart = { -readonly [K in keyof MimePart]: MimePart[K] } & {
  parts: OpenPart[];
  message: OpenPart | undefined;
};

/** A part with an empty body and no section number, from its "content-" fields. */
export function createPart(
  fields: readonly HeaderField[],
  headerStart: number,
  bodyStart: number,
  isInDigest: boolean,
): OpenPart {
  const part: OpenPart = {
    section: "",
    // RFC 2045 section 5.2; inside a digest RFC 2046 section 5.1.5.
    type: isInDigest ? "message" : "text",
    subtype: isInDigest ? "rfc822" : "plain",
    parameters: noParameters,
    encoding: "7bit",
    disposition: undefined,
    dispositionParameters: noParameters,
    contentId: undefined,
    description: undefined,
    md5: undefined,
    language: undefined,
    location: undefined,
    headerStart,
    bodyStart,
    bodyEnd: bodyStart,
    lines: 0,
    parts: [],
    message: undefined,
    envelope: undefined,
  };
  let hasType = false;
  let hasEncoding = false;
  for (const { name, value } of fields) {
    switch (name) {
      case "content-type":
        if (!hasType) readContentType(part, value);
        hasType = true;
        break;
      case "content-transfer-encoding":
        if (!hasEncoding) part.encoding = readToken(value) ?? "7bit";
        hasEncoding = true;
        break;
      case "content-disposition":
        if (part.disposition === undefined) readDisposition(part, value);
        break;
      case "content-id":
        part.contentId ??= value;
        break;
      case "content-description":
        part.description ??= value;
        break;
      case "content-md5":
        part.md5 ??= value;
        break;
      case "content-language":
        part.language ??= readLanguages(value);
        break;
      case "content-location":
        // RFC 2557 section 4.4.1: white space is from folding a long URI.
        part.location ??= value.replace(/[ \t]+/g, "");
        break;
    }
  }
  return part;
}

const mediaType = /^([^ \t/;,"]+)[ \t]*\/[ \t]*([^ \t/;,"]+)/;

/** A Content-Type without a slash means the default type (RFC 2045 section 5.2), except the "text" of RFC 1049. */
function readContentType(part: OpenPart, octets: string): void {
  const { value, parameters } = parseParameterized(octets);
  const match = mediaType.exec(value);
  if (match === null) {
    if (value !== "text") return;
    part.type = "text";
    part.subtype = "plain";
  } else {
    part.type = match[1]!;
    part.subtype = match[2]!;
  }
  part.parameters = parameters;
}

/** A disposition with parameters but without a name is an attachment (RFC 2183 section 2.8). */
function readDisposition(part: OpenPart, octets: string): void {
  const { value, parameters } = parseParameterized(octets);
  const type = readToken(value);
  if (type === undefined && parameters === noParameters) return;
  part.disposition = type ?? "attachment";
  part.dispositionParameters = parameters;
}

const token = /^[^ \t;(),"]+/;

function readToken(octets: string): string | undefined {
  return token.exec(octets.slice(skipCfws(octets, 0)))?.[0].toLowerCase();
}

const languagesMax = 100;
const languagesLengthMax = 4000;

/** Language tags of RFC 3282. */
function readLanguages(octets: string): string[] | undefined {
  const languages = octets.slice(0, languagesLengthMax).match(/[A-Za-z0-9-]+/g);
  return languages === null ? undefined : languages.slice(0, languagesMax);
}
