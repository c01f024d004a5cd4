/** Writes the tree as octets. Unchanged items are written with the octets that were read. New lines are folded to at most 75 octets
 *  (RFC 5545 section 3.1, RFC 6350 section 3.2), never inside a UTF-8 sequence. */
import { Buffer } from "node:buffer";
import { octetBytes } from "../mime/octets.ts";
import type { Component, ContentStream, Item, Parameter, Property } from "./content-line.ts";

const lineOctetsMax = 75;

interface Writing {
  readonly written: string[];
  /** The line end of the stream's first line, which changed lines get too. */
  readonly lineEnd: string;
}

export function writeContentLines({ items }: Pick<ContentStream, "items">): Buffer {
  const writing: Writing = { written: [], lineEnd: lineEndOf(items) };
  for (const item of items) writeItem(writing, item);
  return octetBytes(writing.written.join(""));
}

function lineEndOf(items: readonly Item[]): string {
  const component = items.find((item): item is Component => item.kind === "component");
  return component?.begin === undefined || !/[^\r]\n$/.test(component.begin) ? "\r\n" : "\n";
}

function writeItem(writing: Writing, item: Item): void {
  if (item.kind === "unread") writeOctets(writing, item.octets);
  else if (item.kind === "property")
    writeOctets(writing, item.octets ?? formatProperty(item, writing.lineEnd));
  else {
    writeOctets(writing, item.begin ?? `BEGIN:${item.name}${writing.lineEnd}`);
    for (const inner of item.items) writeItem(writing, inner);
    writeOctets(writing, item.end ?? `END:${item.name}${writing.lineEnd}`);
  }
}

/** If the line before has no line end (it was the last one of a stream), adds it first. */
function writeOctets(writing: Writing, octets: string): void {
  if (octets === "") return;
  const last = writing.written.at(-1);
  if (last !== undefined && !last.endsWith("\n") && last !== "\xef\xbb\xbf")
    writing.written.push(writing.lineEnd);
  writing.written.push(octets);
}

/** The octets of a property that is new or changed. A line end in the value is written as `\n` (RFC 5545 section 3.3.11). */
function formatProperty(property: Property, lineEnd: string): string {
  const group = property.group === undefined ? "" : `${property.group}.`;
  const parameters = property.parameters.map(formatParameter).join("");
  const value = property.value.replace(/\r\n|\r|\n/g, "\\n").replace(controls, "");
  return fold(`${group}${property.writtenName}${parameters}:${value}`, lineEnd);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\0-\x08\x0b-\x1f\x7f]/g;

function formatParameter({ name, values }: Parameter): string {
  return values.length === 0 ? `;${name}` : `;${name}=${values.map(formatParameterValue).join(",")}`;
}

/** RFC 6868 section 3.1; quoted if it has a delimiter in it. */
function formatParameterValue(value: string): string {
  const encoded = value
    .replace(/\r\n|\r|\n|[\^"]/g, (found) => (found === '"' ? "^'" : found === "^" ? "^^" : "^n"))
    .replace(controls, "");
  return /[,;:]/.test(encoded) ? `"${encoded}"` : encoded;
}

function fold(line: string, lineEnd: string): string {
  const octets = Buffer.from(line, "utf8").toString("latin1");
  if (octets.length <= lineOctetsMax) return octets + lineEnd;
  const lines: string[] = [];
  // A continuation line begins with a space, which counts as one octet of the line.
  for (let start = 0, room = lineOctetsMax; start < octets.length; room = lineOctetsMax - 1) {
    let end = Math.min(start + room, octets.length);
    while (end < octets.length && isInsideCharacter(octets.charCodeAt(end))) end--;
    lines.push(octets.slice(start, end));
    start = end;
  }
  return lines.join(`${lineEnd} `) + lineEnd;
}

function isInsideCharacter(code: number): boolean {
  return (code & 0xc0) === 0x80;
}
