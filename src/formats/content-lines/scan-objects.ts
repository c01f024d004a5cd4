/** Finds the positions of the objects in a long iCalendar or vCard stream (RFC 5545 section 3.4: a stream has any number of objects)
 *  without keeping its text: a file with a whole calendar may be too large to read at once. Offsets are octets. */
import { isUtf8 } from "node:buffer";
import { WaypostError } from "#/src/model/errors.ts";
import { contentDepthMax, importedLinesMax, scannedComponentsMax } from "#/src/model/limits.ts";

export interface ScannedRange {
  readonly start: number;
  /** The position after its last octet. */
  readonly end: number;
}

/** A component inside an object. */
export interface ScannedComponent extends ScannedRange {
  /** In upper case. */
  readonly name: string;
  /** The values of its UID and TZID properties; undefined if it has none. */
  readonly uid: string | undefined;
  readonly tzid: string | undefined;
}

export interface ScannedObject extends ScannedRange {
  /** VCALENDAR, VCARD. */
  readonly name: string;
  /** Number of the physical line that it begins at, from 1. */
  readonly line: number;
  /** Its own properties, without those of components inside. */
  readonly properties: readonly (ScannedRange & { readonly name: string })[];
  readonly components: readonly ScannedComponent[];
  /** Its END was found. */
  readonly isComplete: boolean;
}

/** Octets of a line that are parsed: enough for BEGIN, END, UID and TZID with their parameters. */
const lineLookedAtMax = 4096;

interface OpenObject {
  readonly name: string;
  readonly start: number;
  readonly line: number;
  readonly properties: { name: string; start: number; end: number }[];
  readonly components: ScannedComponent[];
}

/** The top-level objects, in order; text between them is skipped. Throws `limit_reached` for one with too many
 *  components, and for a file with too many lines. */
export async function* scanObjects(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ScannedObject> {
  const scan = new ObjectScan();
  for await (const chunk of chunks) {
    scan.take(chunk);
    yield* scan.found.splice(0);
  }
  scan.end();
  yield* scan.found;
}

class ObjectScan {
  readonly found: ScannedObject[] = [];
  /** Names of the open components, the object first. */
  readonly #open: string[] = [];
  #object: OpenObject | undefined;
  #component: { name: string; start: number; uid: string | undefined; tzid: string | undefined } | undefined;
  /** The current logical line: its beginning, and its position. */
  #text = "";
  #textStart = 0;
  #textLine = 1;
  /** The chunks of the incomplete physical line. */
  #pending: Uint8Array[] = [];
  #pendingStart = 0;
  #pendingLength = 0;
  #offset = 0;
  #line = 1;
  #isEmpty = true;

  take(chunk: Uint8Array): void {
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      if (at === from && this.#pendingLength === 0) this.#emptyLine(this.#offset + at);
      else {
        this.#keep(chunk, from, at + 1);
        this.#physicalLine();
      }
      from = at + 1;
    }
    this.#keep(chunk, from, chunk.length);
    this.#offset += chunk.length;
  }

  end(): void {
    if (this.#pendingLength > 0) this.#physicalLine();
    this.#logicalLine(this.#offset);
    if (this.#object !== undefined) this.#close(this.#offset, false);
  }

  #keep(chunk: Uint8Array, from: number, to: number): void {
    if (this.#pendingLength === 0) this.#pendingStart = this.#offset + from;
    const room = lineLookedAtMax - this.#pendingLength;
    if (room > 0 && to > from) this.#pending.push(chunk.slice(from, Math.min(to, from + room)));
    this.#pendingLength += to - from;
  }

  #emptyLine(start: number): void {
    this.#pendingStart = start;
    this.#begins("");
  }

  #physicalLine(): void {
    const text = textOf(Buffer.concat(this.#pending)).replace(/\r?\n$/, "");
    const isFolded = !this.#isEmpty && (text.startsWith(" ") || text.startsWith("\t"));
    if (isFolded) {
      if (this.#text.length < lineLookedAtMax) this.#text += text.slice(1);
      this.#nextLine();
    } else this.#begins(text);
    this.#pending = [];
    this.#pendingLength = 0;
  }

  /** A logical line begins with this physical one. */
  #begins(text: string): void {
    this.#logicalLine(this.#pendingStart);
    this.#text = this.#pendingStart === 0 ? text.replace(/^\ufeff/, "") : text;
    this.#textStart = this.#pendingStart;
    this.#textLine = this.#line;
    this.#isEmpty = false;
    this.#nextLine();
  }

  #nextLine(): void {
    if (this.#line++ > importedLinesMax)
      throw new WaypostError("invalid", `The file has more than ${importedLinesMax} lines.`, {
        reason: "limit_reached",
      });
  }

  /** `end`: the start of the next line. */
  #logicalLine(end: number): void {
    if (this.#isEmpty) return;
    const name = /^[A-Za-z0-9-]+/.exec(this.#text)?.[0].toUpperCase() ?? "";
    if (name === "BEGIN") this.#begin(textBehindColon(this.#text).toUpperCase());
    else if (name === "END") this.#endOf(textBehindColon(this.#text).toUpperCase(), end);
    else if (name !== "") this.#property(name, end);
    this.#isEmpty = true;
  }

  #begin(name: string): void {
    if (this.#open.length >= contentDepthMax)
      throw new WaypostError("invalid", `Components are nested deeper than ${contentDepthMax}.`, {
        reason: "limit_reached",
      });
    // An object without END ends where the next VCALENDAR begins, because a VCALENDAR has no VCALENDAR inside.
    if (this.#object?.name === name && name === "VCALENDAR") this.#close(this.#textStart, false);
    if (this.#object === undefined)
      this.#object = { name, start: this.#textStart, line: this.#textLine, properties: [], components: [] };
    else if (this.#open.length === 1)
      this.#component = { name, start: this.#textStart, uid: undefined, tzid: undefined };
    this.#open.push(name);
  }

  #endOf(name: string, end: number): void {
    const at = this.#open.lastIndexOf(name);
    if (at === -1) return;
    this.#open.length = at;
    if (at === 1 && this.#component !== undefined) this.#closeComponent(end);
    if (at === 0) this.#close(end, true);
  }

  #closeComponent(end: number): void {
    const { components } = this.#object!;
    if (components.length === scannedComponentsMax)
      throw new WaypostError("invalid", `A calendar has more than ${scannedComponentsMax} components.`, {
        reason: "limit_reached",
      });
    components.push({ ...this.#component!, end });
    this.#component = undefined;
  }

  #close(end: number, isComplete: boolean): void {
    const object = this.#object!;
    if (this.#component !== undefined) this.#closeComponent(end);
    this.found.push({ ...object, end, isComplete });
    this.#object = undefined;
    this.#open.length = 0;
  }

  #property(name: string, end: number): void {
    const depth = this.#open.length;
    if (depth === 2 && this.#component !== undefined) {
      if (name === "UID") this.#component.uid ??= textBehindColon(this.#text);
      if (name === "TZID") this.#component.tzid ??= textBehindColon(this.#text);
    }
    if (depth === 1 && this.#object!.name === "VCALENDAR" && kept.has(name))
      this.#object!.properties.push({ name, start: this.#textStart, end });
  }
}

/** Properties of a calendar whose positions are returned. */
const kept: ReadonlySet<string> = new Set(["VERSION", "PRODID", "CALSCALE", "METHOD"]);

function textBehindColon(text: string): string {
  // A colon in a quoted parameter does not begin the value.
  const colon = /^(?:[^":]|"[^"]*")*:/.exec(text)?.[0].length ?? text.length;
  return text.slice(colon).trim();
}

function textOf(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(buffer) ? buffer.toString("utf8") : buffer.toString("latin1");
}
