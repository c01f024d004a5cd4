/** The MIME structure of a message (RFC 2045, RFC 2046), in one pass over its bytes.
 *
 *  A line that begins with "--" and the boundary of an open multipart ends the open parts inside that multipart. If several
 *  boundaries match, the longest is used, because a boundary has to match the beginning of the line only (RFC 2046
 *  section 5.1.1). The line end before such a line belongs to it. LF alone ends a line too. Beyond the bounds of
 *  `limits.ts` a part stays unparsed, as bytes of its parent. No input makes it throw. */
import { noteReading } from "#/src/model/foreign-text.ts";
import { mimeDepthMax, mimePartsMax } from "#/src/model/limits.ts";
import { findBoundary, type OpenBoundaries, sortBoundaries } from "./delimiters.ts";
import { formatEnvelopeFields } from "./envelope.ts";
import { readHeaderFields } from "./header.ts";
import { LineFeeds } from "./line-feeds.ts";
import { octetBytes, trimOctets } from "./octets.ts";
import type { MimePart } from "./part.ts";
import { createPart, type OpenPart } from "./part-header.ts";

/** A multipart or a message/rfc822 part that further lines may belong to. */
interface Frame {
  readonly part: OpenPart;
  /** Line ends before the body of the part. */
  readonly firstLine: number;
  /** undefined for a part that holds a message, and for a multipart after its closing delimiter: such a part ends when
   *  its parent ends. */
  boundary: Uint8Array | undefined;
}

/** State of the reader. */
interface Scan {
  readonly bytes: Uint8Array;
  readonly lineFeeds: LineFeeds;
  position: number;
  /** Line ends before `position`. */
  line: number;
  partCount: number;
  readonly frames: Frame[];
  /** The boundaries of the frames. */
  boundaries: OpenBoundaries;
  /** The part that body lines belong to now, unless it is a frame. */
  leaf: OpenPart | undefined;
  leafFirstLine: number;
  /** The delimiter line matched last: its start, the frame it belongs to, and whether it is the closing one. */
  delimiterStart: number;
  delimiterFrame: number;
  isClosing: boolean;
}

const lineFeed = 10;
const carriageReturn = 13;
const hyphen = 45;
const colon = 58;
const space = 32;
const tab = 9;

export function parseStructure(bytes: Uint8Array): MimePart {
  noteReading("structure", bytes.length);
  const scan: Scan = {
    bytes,
    lineFeeds: new LineFeeds(bytes),
    position: 0,
    line: 0,
    partCount: 0,
    frames: [],
    boundaries: [],
    leaf: undefined,
    leafFirstLine: 0,
    delimiterStart: 0,
    delimiterFrame: 0,
    isClosing: false,
  };
  const top = openPart(scan, "", true, false);
  while (findDelimiter(scan)) {
    closeAbove(scan, scan.delimiterFrame);
    const frame = scan.frames[scan.delimiterFrame]!;
    if (scan.isClosing) {
      // The epilogue is part of the multipart's bytes.
      frame.boundary = undefined;
      updateBoundaries(scan);
      continue;
    }
    const { part } = frame;
    const section =
      part.section === "" ? `${part.parts.length + 1}` : `${part.section}.${part.parts.length + 1}`;
    part.parts.push(openPart(scan, section, false, part.subtype === "digest"));
  }
  seal(scan, bytes.length, scan.line, 0);
  return top;
}

/** Reads the header at the position and opens the part, and the message that begins with its body. */
function openPart(scan: Scan, section: string, isMessageTop: boolean, isInDigest: boolean): OpenPart {
  scan.partCount++;
  const headerStart = scan.position;
  // A part that begins with text has no header: a sender left out the empty line (RFC 2046 section 5.1.1 demands it).
  const headerEnd = isMessageTop || hasHeader(scan) ? skipHeader(scan) : headerStart;
  const fields = readHeaderFields(scan.bytes.subarray(headerStart, headerEnd), "content-");
  const part = createPart(fields, headerStart, scan.position, isInDigest);
  const isMultipart = part.type === "multipart";
  part.section = isMessageTop && !isMultipart ? (section === "" ? "1" : `${section}.1`) : section;
  const canNest = scan.frames.length < mimeDepthMax && scan.partCount < mimePartsMax;
  // Trailing space of a boundary is padding that gateways add (RFC 2046 section 5.1.1).
  const boundary = isMultipart ? trimOctets(part.parameters.boundary ?? "") : "";
  if (boundary !== "" && canNest) {
    scan.frames.push({ part, firstLine: scan.line, boundary: octetBytes(boundary) });
    updateBoundaries(scan);
    scan.leaf = undefined;
  } else if (holdsMessage(part) && canNest) {
    scan.frames.push({ part, firstLine: scan.line, boundary: undefined });
    const message = openPart(scan, part.section, true, false);
    part.message = message;
    const header = scan.bytes.subarray(message.headerStart, message.bodyStart);
    part.envelope = formatEnvelopeFields(readHeaderFields(header));
  } else {
    scan.leaf = part;
    scan.leafFirstLine = scan.line;
  }
  return part;
}

const fieldNameMax = 998;

/** Whether the part at the position begins with an empty line, a header field (RFC 5322 section 2.2), or its own end. */
function hasHeader(scan: Scan): boolean {
  const { bytes, position: start } = scan;
  const first = bytes[start];
  if (first === undefined || first === lineFeed || first === carriageReturn) return true;
  if (first === hyphen && bytes[start + 1] === hyphen && matchDelimiter(scan, start)) return true;
  const end = Math.min(bytes.length, start + fieldNameMax);
  let at = start;
  while (at < end && bytes[at]! > space && bytes[at]! < 127 && bytes[at] !== colon) at++;
  while (at > start && at < end && (bytes[at] === space || bytes[at] === tab)) at++;
  return at > start && bytes[at] === colon;
}

/** Moves past the header and its empty line; returns the end of its fields. A delimiter line also ends a header. */
function skipHeader(scan: Scan): number {
  const { bytes } = scan;
  let at = scan.position;
  while (at < bytes.length) {
    const first = bytes[at];
    if (first === lineFeed || (first === carriageReturn && bytes[at + 1] === lineFeed)) {
      scan.position = at + (first === lineFeed ? 1 : 2);
      scan.line++;
      return at;
    }
    if (first === hyphen && bytes[at + 1] === hyphen && matchDelimiter(scan, at)) break;
    at = scan.lineFeeds.nextFrom(at);
    if (at < bytes.length) {
      at++;
      scan.line++;
    }
  }
  scan.position = at;
  return at;
}

/** Moves past the next delimiter line of an open multipart, counting lines; false at the end of the bytes. */
function findDelimiter(scan: Scan): boolean {
  const { bytes, lineFeeds } = scan;
  const length = bytes.length;
  let at = scan.position;
  let line = scan.line;
  while (at < length) {
    if (bytes[at] === hyphen && bytes[at + 1] === hyphen && matchDelimiter(scan, at)) {
      // Parts beyond the bound are bytes of the last one.
      if (scan.isClosing || scan.partCount < mimePartsMax) {
        scan.delimiterStart = at;
        scan.line = line;
        at = lineFeeds.nextFrom(at);
        scan.position = Math.min(at + 1, length);
        return true;
      }
    }
    at = lineFeeds.nextFrom(at);
    if (at < length) {
      at++;
      line++;
    }
  }
  scan.position = length;
  scan.line = line;
  return false;
}

function matchDelimiter(scan: Scan, lineStart: number): boolean {
  const { bytes, boundaries } = scan;
  if (boundaries.length === 0) return false;
  const delimiter = findBoundary(boundaries, bytes, lineStart + 2);
  if (delimiter === undefined) return false;
  scan.delimiterFrame = delimiter.frame;
  scan.isClosing = bytes[delimiter.end] === hyphen && bytes[delimiter.end + 1] === hyphen;
  return true;
}

/** Ends all parts inside the frame at the delimiter line, and counts that line. */
function closeAbove(scan: Scan, frameIndex: number): void {
  const { bytes } = scan;
  let end = scan.delimiterStart;
  let line = scan.line;
  if (end > 0 && bytes[end - 1] === lineFeed) {
    end--;
    line--;
    if (end > 0 && bytes[end - 1] === carriageReturn) end--;
  }
  seal(scan, end, line, frameIndex + 1);
  if (bytes[scan.position - 1] === lineFeed) scan.line++;
}

/** Ends the leaf and all but the outermost `frameCount` frames; `line` is the number of line ends before `end`. */
function seal(scan: Scan, end: number, line: number, frameCount: number): void {
  // A part without a body ends after its header. That may be after the line end that belongs to the delimiter.
  let reached = end;
  if (scan.leaf !== undefined) reached = sealPart(scan.leaf, reached, line - scan.leafFirstLine);
  scan.leaf = undefined;
  if (scan.frames.length === frameCount) return;
  while (scan.frames.length > frameCount) {
    const frame = scan.frames.pop()!;
    reached = sealPart(frame.part, reached, line - frame.firstLine);
  }
  updateBoundaries(scan);
}

function updateBoundaries(scan: Scan): void {
  scan.boundaries = sortBoundaries(scan.frames.map((frame) => frame.boundary));
}

/** Returns the end of the part. */
function sealPart(part: OpenPart, end: number, lines: number): number {
  part.bodyEnd = Math.max(part.bodyStart, end);
  part.lines = Math.max(0, lines);
  return part.bodyEnd;
}

const identityEncodings = new Set(["7bit", "8bit", "binary"]);

/** RFC 2046 section 5.2.1 allows only identity encodings for message/rfc822. RFC 6532 section 3.7 allows others for
 *  message/global; such a part has no structure here. */
function holdsMessage(part: MimePart): boolean {
  return (
    part.type === "message" &&
    (part.subtype === "rfc822" || part.subtype === "global") &&
    identityEncodings.has(part.encoding)
  );
}
