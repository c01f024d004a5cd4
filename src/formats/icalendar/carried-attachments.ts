/** Managed attachments (RFC 8607) in an exported file. Their bytes are inline in the ATTACH (RFC 5545 section 3.1.3) in the place of
 *  the URL, which works only on this server. MANAGED-ID is kept, so that an import makes managed attachments of them again.
 *  Other programs read a normal inline ATTACH. Work is linear in the octets. */
import {
  changeProperty,
  type Parameter,
  type Property,
  parameterValue,
} from "../content-lines/content-line.ts";
import { readContentLines } from "../content-lines/read-content-lines.ts";
import { unfoldedOctets } from "../content-lines/unfold.ts";
import { writeContentLines } from "../content-lines/write-content-lines.ts";

const carrier: readonly Parameter[] = [
  { name: "ENCODING", values: ["BASE64"] },
  { name: "VALUE", values: ["BINARY"] },
];
const lineOctets = 75;
/** Bound on the parameters of one ATTACH: a file name of 255 characters, encoded and folded, and the other parameters. */
const headOctetsMax = 8192;

/** A piece of an object: octets as they are, or the ATTACH of a managed attachment. */
export type ManagedPiece =
  | { readonly octets: Buffer }
  | { readonly managedId: string; readonly line: Buffer };

/** The octets of an object, and between them each ATTACH that names a managed attachment. */
export function* splitAtManaged(bytes: Uint8Array): Generator<ManagedPiece> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let done = 0;
  for (const { start, end } of attachLines(text)) {
    const line = text.subarray(start, end);
    const property = readHead(line);
    const managedId = property && parameterValue(property, "MANAGED-ID");
    if (managedId === undefined || managedId === "" || isCarried(property!)) continue;
    yield { octets: text.subarray(done, start) };
    yield { managedId, line };
    done = end;
  }
  yield { octets: text.subarray(done) };
}

/** The ATTACH with the bytes in it. */
export function carryAttachment(line: Buffer, bytes: Buffer): Buffer {
  const property = readHead(line)!;
  const parameters = [...property.parameters.filter(isKept), ...carrier];
  const head = unfoldedOctets(writeLine(changeProperty(property, { parameters, value: "" }))).trimEnd();
  const text = `${head}${bytes.toString("base64")}`;
  const lines = [text.slice(0, lineOctets)];
  // A continuation line begins with a space, which counts as one octet of the line.
  for (let at = lineOctets; at < text.length; at += lineOctets - 1)
    lines.push(text.slice(at, at + lineOctets - 1));
  return Buffer.from(`${lines.join("\r\n ")}\r\n`, "latin1");
}

export interface CarriedAttachment {
  readonly managedId: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** The URL and parameters that replace inline bytes in the stored object. */
export interface PlacedAttach {
  readonly managedId: string;
  readonly url: string;
}

/** The object with URLs from `place` instead of inline bytes; undefined if it has no managed attachment with inline bytes. */
export async function takeCarried(
  bytes: Buffer,
  place: (attachment: CarriedAttachment) => Promise<PlacedAttach>,
): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let done = 0;
  for (const { start, end } of attachLines(bytes)) {
    const line = bytes.subarray(start, end);
    const property = readHead(line);
    if (property === undefined || !isCarried(property)) continue;
    const attachment = {
      managedId: parameterValue(property, "MANAGED-ID") ?? "",
      name: parameterValue(property, "FILENAME") ?? "attachment",
      type: parameterValue(property, "FMTTYPE") ?? "application/octet-stream",
      // The decoder skips white space in base64, so folds may stay.
      bytes: Buffer.from(line.toString("latin1", headEndOf(line)! + 1), "base64"),
    };
    if (attachment.managedId === "") continue;
    const { managedId, url } = await place(attachment);
    const parameters = property.parameters
      .filter(isKept)
      .map((one) => (one.name === "MANAGED-ID" ? { ...one, values: [managedId] } : one));
    pieces.push(bytes.subarray(done, start), writeLine(changeProperty(property, { parameters, value: url })));
    done = end;
  }
  if (done === 0) return undefined;
  return Buffer.concat([...pieces, bytes.subarray(done)]);
}

function isKept({ name }: Parameter): boolean {
  return name !== "ENCODING" && name !== "VALUE";
}

function isCarried(property: Property): boolean {
  return parameterValue(property, "VALUE")?.toUpperCase() === "BINARY";
}

function writeLine(property: Property): Buffer {
  return writeContentLines({ items: [property] });
}

/** Logical lines that are an ATTACH with parameters; `end` is the position after the line end. */
function* attachLines(text: Buffer): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = lineEndOf(text, start);
    const isCandidate = (text[start]! | 0x20) === 0x61;
    if (
      isCandidate &&
      attach.test(unfoldedOctets(text.subarray(start, Math.min(end, start + nameOctetsMax))))
    )
      yield { start, end };
  }
}

const attach = /^ATTACH;/i;
/** Bound on a property name with a fold after each letter. */
const nameOctetsMax = 64;

/** The position after the logical line (with its folds) that begins at `start`. */
function lineEndOf(text: Buffer, start: number): number {
  let at = text.indexOf(10, start);
  while (at !== -1 && (text[at + 1] === 0x20 || text[at + 1] === 0x09)) at = text.indexOf(10, at + 1);
  return at === -1 ? text.length : at + 1;
}

/** Position of the colon before the value. */
function headEndOf(line: Buffer): number | undefined {
  let isQuoted = false;
  for (let at = 0; at < Math.min(line.length, headOctetsMax); at++)
    if (line[at] === 0x22) isQuoted = !isQuoted;
    else if (line[at] === 0x3a && !isQuoted) return at;
  return undefined;
}

/** The property without its value. */
function readHead(line: Buffer): Property | undefined {
  const end = headEndOf(line);
  if (end === undefined) return undefined;
  const head = `${unfoldedOctets(line.subarray(0, end))}:\r\n`;
  const [property] = readContentLines(Buffer.from(head, "latin1")).items;
  return property?.kind === "property" ? property : undefined;
}
