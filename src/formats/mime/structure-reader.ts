/** The MIME structure of a message (RFC 2045, RFC 2046), in one pass over its bytes.
 *
 *  A line that begins with "--" and the boundary of an open multipart ends what is open inside that multipart; of several
 *  boundaries that fit, the longest counts, because a boundary has to match the beginning of the line only (RFC 2046
 *  section 5.1.1). The line end before such a line belongs to it. LF alone ends a line too. Beyond the bounds of
 *  `limits.ts` parts stay bytes of what holds them; no input makes it throw. */
import { mimeDepthMax, mimePartsMax } from "#/src/model/limits.ts";
import { formatEnvelopeFields } from "./envelope.ts";
import { type HeaderField, readHeaderFields } from "./header.ts";
import { skipCfws } from "./lexer.ts";
import { octetBytes } from "./octets.ts";
import { noParameters, type Parameters, parseParameterized } from "./parameters.ts";
import type { MimePart } from "./part.ts";

type OpenPart = { -readonly [K in keyof MimePart]: MimePart[K] } & {
  parts: OpenPart[];
  message: OpenPart | undefined;
};

/** A multipart or a message/rfc822 part that further lines may belong to. */
interface Frame {
  readonly part: OpenPart;
  /** Line ends before the body of the part. */
  readonly firstLine: number;
  /** undefined for a part that holds a message: that ends when what is around it ends. */
  readonly boundary: Uint8Array | undefined;
}

const lineFeed = 10;
const carriageReturn = 13;
const hyphen = 45;

export function parseStructure(bytes: Uint8Array): MimePart {
  return new StructureReader(bytes).read();
}

class StructureReader {
  private readonly bytes: Uint8Array;
  private position = 0;
  /** Line ends before `position`. */
  private line = 0;
  private partCount = 0;
  private readonly frames: Frame[] = [];
  /** The part that body lines belong to now, when it is no frame. */
  private leaf: OpenPart | undefined;
  private leafFirstLine = 0;
  private hasBoundaries = false;
  /** Of the delimiter line found last. */
  private delimiterStart = 0;
  private delimiterFrame = 0;
  private isClosing = false;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  read(): MimePart {
    const top = this.openPart("", true, false);
    while (this.findDelimiter()) {
      this.closeAbove(this.delimiterFrame);
      const frame = this.frames[this.delimiterFrame]!;
      if (this.isClosing) {
        this.leaf = undefined;
        // The epilogue is part of the multipart's bytes, and ends where what is around it ends.
        this.frames[this.delimiterFrame] = { ...frame, boundary: undefined };
        this.hasBoundaries = this.frames.some((each) => each.boundary !== undefined);
        continue;
      }
      const { part } = frame;
      const section =
        part.section === "" ? `${part.parts.length + 1}` : `${part.section}.${part.parts.length + 1}`;
      part.parts.push(this.openPart(section, false, part.subtype === "digest"));
    }
    this.closeAll();
    return top;
  }

  /** Reads the header at the position and opens the part, with every message nested at its beginning. */
  private openPart(section: string, isMessageTop: boolean, isInDigest: boolean): OpenPart {
    this.partCount++;
    const headerStart = this.position;
    const headerEnd = this.skipHeader();
    const fields = readHeaderFields(this.bytes.subarray(headerStart, headerEnd));
    const part = createPart(fields, headerStart, this.position, isInDigest);
    const isMultipart = part.type === "multipart";
    part.section = isMessageTop && !isMultipart ? (section === "" ? "1" : `${section}.1`) : section;
    const canNest = this.frames.length < mimeDepthMax && this.partCount < mimePartsMax;
    const boundary = part.parameters["boundary"];
    if (isMultipart && boundary !== undefined && boundary !== "" && canNest) {
      this.frames.push({ part, firstLine: this.line, boundary: boundaryBytes(boundary) });
      this.hasBoundaries = true;
      this.leaf = undefined;
    } else if (holdsMessage(part) && canNest) {
      this.frames.push({ part, firstLine: this.line, boundary: undefined });
      const nestedStart = this.position;
      part.message = this.openPart(part.section, true, false);
      part.envelope = formatEnvelopeFields(
        readHeaderFields(this.bytes.subarray(nestedStart, part.message.bodyStart)),
      );
    } else {
      this.leaf = part;
      this.leafFirstLine = this.line;
    }
    return part;
  }

  /** Moves past the header and its empty line; answers where its fields end. A delimiter line ends a header too. */
  private skipHeader(): number {
    const { bytes } = this;
    let at = this.position;
    while (at < bytes.length) {
      const first = bytes[at];
      if (first === lineFeed || (first === carriageReturn && bytes[at + 1] === lineFeed)) {
        this.position = at + (first === lineFeed ? 1 : 2);
        this.line++;
        return at;
      }
      if (first === hyphen && this.hasBoundaries && bytes[at + 1] === hyphen && this.matchDelimiter(at))
        break;
      while (at < bytes.length && bytes[at] !== lineFeed) at++;
      if (at < bytes.length) {
        at++;
        this.line++;
      }
    }
    this.position = at;
    return at;
  }

  /** Moves past the next delimiter line of an open multipart, counting lines; false at the end of the bytes. */
  private findDelimiter(): boolean {
    const { bytes, hasBoundaries } = this;
    const length = bytes.length;
    let at = this.position;
    let line = this.line;
    while (at < length) {
      if (hasBoundaries && bytes[at] === hyphen && bytes[at + 1] === hyphen && this.matchDelimiter(at)) {
        // Parts beyond the bound are bytes of the last one.
        if (this.isClosing || this.partCount < mimePartsMax) {
          this.delimiterStart = at;
          this.line = line;
          while (at < length && bytes[at] !== lineFeed) at++;
          this.position = Math.min(at + 1, length);
          return true;
        }
      }
      while (at < length && bytes[at] !== lineFeed) at++;
      if (at < length) {
        at++;
        line++;
      }
    }
    this.position = length;
    this.line = line;
    return false;
  }

  private matchDelimiter(lineStart: number): boolean {
    const { bytes, frames } = this;
    const start = lineStart + 2;
    let longest = -1;
    for (let index = frames.length - 1; index >= 0; index--) {
      const { boundary } = frames[index]!;
      if (boundary === undefined || boundary.length <= longest || !startsWith(bytes, start, boundary))
        continue;
      longest = boundary.length;
      this.delimiterFrame = index;
    }
    if (longest === -1) return false;
    this.isClosing = bytes[start + longest] === hyphen && bytes[start + longest + 1] === hyphen;
    return true;
  }

  /** Ends everything inside the frame at the delimiter line, and counts that line. */
  private closeAbove(frameIndex: number): void {
    const { bytes } = this;
    let end = this.delimiterStart;
    let line = this.line;
    if (end > 0 && bytes[end - 1] === lineFeed) {
      end--;
      line--;
      if (end > 0 && bytes[end - 1] === carriageReturn) end--;
    }
    this.seal(end, line, frameIndex + 1);
    if (bytes[this.position - 1] === lineFeed) this.line++;
  }

  private closeAll(): void {
    this.seal(this.bytes.length, this.line, 0);
  }

  private seal(end: number, line: number, frameCount: number): void {
    if (this.leaf !== undefined) sealPart(this.leaf, end, line - this.leafFirstLine);
    this.leaf = undefined;
    while (this.frames.length > frameCount) {
      const frame = this.frames.pop()!;
      sealPart(frame.part, end, line - frame.firstLine);
    }
    this.hasBoundaries = this.frames.some((frame) => frame.boundary !== undefined);
  }
}

function sealPart(part: OpenPart, end: number, lines: number): void {
  part.bodyEnd = Math.max(part.bodyStart, end);
  part.lines = Math.max(0, lines);
}

function startsWith(bytes: Uint8Array, start: number, prefix: Uint8Array): boolean {
  if (start + prefix.length > bytes.length) return false;
  for (let index = 0; index < prefix.length; index++)
    if (bytes[start + index] !== prefix[index]) return false;
  return true;
}

function boundaryBytes(boundary: string): Uint8Array {
  return octetBytes(boundary);
}

const identityEncodings = new Set(["7bit", "8bit", "binary"]);

/** RFC 2046 section 5.2.1 allows identity encodings alone for message/rfc822; RFC 6532 section 3.7 others for
 *  message/global, which then stays a part without structure. */
function holdsMessage(part: MimePart): boolean {
  return (
    part.type === "message" &&
    (part.subtype === "rfc822" || part.subtype === "global") &&
    identityEncodings.has(part.encoding)
  );
}

function createPart(
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
    // The first field of a name counts, as everywhere else.
    if (!name.startsWith("content-")) continue;
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
        part.location ??= value.replace(/\s+/g, "");
        break;
    }
  }
  return part;
}

const mediaType = /^([^\s/;,"]+)\s*\/\s*([^\s/;,"]+)$/;

/** A Content-Type without a slash means the default (RFC 2045 section 5.2). */
function readContentType(part: OpenPart, octets: string): void {
  const { value, parameters } = parseParameterized(octets);
  const match = mediaType.exec(value);
  if (match === null) {
    if (value === "text") [part.type, part.subtype, part.parameters] = ["text", "plain", parameters];
    return;
  }
  part.type = match[1]!;
  part.subtype = match[2]!;
  part.parameters = parameters;
}

function readDisposition(part: OpenPart, octets: string): void {
  const { value, parameters } = parseParameterized(octets);
  const type = readToken(value);
  if (type === undefined && parameters === noParameters) return;
  part.disposition = type ?? "attachment";
  part.dispositionParameters = parameters as Parameters;
}

function readToken(octets: string): string | undefined {
  const token = /^[^\s;(),"]+/.exec(octets.slice(skipCfws(octets, 0)))?.[0];
  return token?.toLowerCase();
}

const languagesMax = 100;

/** RFC 3282 section 2. */
function readLanguages(octets: string): string[] | undefined {
  const languages = octets.slice(0, 4000).match(/[A-Za-z0-9-]+/g);
  return languages === null ? undefined : languages.slice(0, languagesMax);
}
