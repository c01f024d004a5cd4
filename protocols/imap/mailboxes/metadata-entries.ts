/** Entries of METADATA (RFC 5464): their names and values on the wire.
 *
 *  entries = entry / "(" entry *(SP entry) ")"        entry-value = entry SP (nstring / literal8) */
import type { MetadataEntry } from "#/src/mail/metadata.ts";
import { bad } from "../errors.ts";
import { metadataNameBytesMax, metadataNamesMax } from "../limits.ts";
import { astringText, stringText } from "../wire/strings.ts";
import type { WireReader } from "../wire/wire-reader.ts";

/** How many levels below the named entry are asked for too (section 4.2.2). */
export type Depth = 0 | 1 | "infinity";

/** /private or /shared and at least one component below it. No component is empty or has wildcards; case does not matter
 *  (section 3.2). */
const entryName = /^\/(?:private|shared)(?:\/[^/*%]+)+$/;
const entryRoot = /^\/(?:private|shared)$/;

/** The name of an entry that SETMETADATA sets. */
export function readEntryName(reader: WireReader): string {
  const name = reader.astring().toLowerCase();
  if (!entryName.test(name) || /[^ -~]/.test(name)) throw bad("An entry is /private/… or /shared/…");
  if (name.length > metadataNameBytesMax) throw bad("Name of the entry is too long");
  return name;
}

/** The names that GETMETADATA asks for; `/private` and `/shared` alone stand for all entries below them. */
export function readEntryNames(reader: WireReader): string[] {
  const read = (): string => {
    const name = reader.astring().toLowerCase();
    if ((!entryName.test(name) && !entryRoot.test(name)) || /[^ -~]/.test(name))
      throw bad("An entry is /private/… or /shared/…");
    return name;
  };
  return reader.peek() === "(" ? reader.list(read, { max: metadataNamesMax }) : [read()];
}

/** undefined for NIL, which removes an entry. */
export function readEntryValue(reader: WireReader): Buffer | undefined {
  if (reader.peek() === "~" || reader.peek() === "{") return reader.messageLiteral();
  const text = reader.nstring();
  return text === undefined ? undefined : Buffer.from(text, "latin1");
}

/** Whether the literal at the end of the text is the value of an entry, not its name. */
export function isValueNext(reader: WireReader): boolean {
  if (!reader.tryOpen()) return false;
  for (;;) {
    readEntryName(reader);
    if (reader.isAtEnd) return false;
    reader.space();
    readEntryValue(reader);
    if (reader.isAtEnd) return true;
    reader.space();
  }
}

/** The entries that were asked for. An entry that does not exist is given as NIL if it was named itself (RFC 9590 section 4). */
export function selectEntries(
  entries: readonly MetadataEntry[],
  names: readonly string[],
  depth: Depth,
): { readonly name: string; readonly value: Uint8Array | undefined }[] {
  const selected = new Map<string, Uint8Array | undefined>();
  const byName = new Map(entries.map(({ name, value }) => [name, value]));
  for (const name of names) {
    if (byName.has(name) || (depth === 0 && !entryRoot.test(name))) selected.set(name, byName.get(name));
    if (depth === 0) continue;
    for (const entry of entries)
      if (entry.name.startsWith(`${name}/`)) {
        const isDirect = !entry.name.includes("/", name.length + 1);
        if (depth === "infinity" || isDirect) selected.set(entry.name, entry.value);
      }
  }
  return [...selected].map(([name, value]) => ({ name, value }));
}

/** `(/private/comment "text" …)`; a value that fits no string is written as a literal8. */
export function entriesText(
  entries: readonly { readonly name: string; readonly value: Uint8Array | undefined }[],
): string {
  const pairs = entries.map(({ name, value }) => `${astringText(name)} ${valueText(value)}`);
  return `(${pairs.join(" ")})`;
}

function valueText(value: Uint8Array | undefined): string {
  if (value === undefined) return "NIL";
  const octets = Buffer.from(value).toString("latin1");
  return value.includes(0) ? `~{${value.byteLength}}\r\n${octets}` : stringText(octets);
}
