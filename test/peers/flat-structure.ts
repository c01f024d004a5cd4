/** ENVELOPE and BODYSTRUCTURE as a list of named values, so that those of two servers can be compared value by value. */
import type { WireValue } from "../formats/wire-list.ts";

/** `envelope.subject`, `1.2.parameters.charset`: the part's section number, then the name of the value. */
export type FlatStructure = ReadonlyMap<string, string | number | null>;

const envelopeNames = [
  "date",
  "subject",
  "from",
  "sender",
  "reply-to",
  "to",
  "cc",
  "bcc",
  "in-reply-to",
  "message-id",
];
const addressNames = ["name", "route", "mailbox", "host"];

export function flatten(envelope: WireValue, structure: WireValue): FlatStructure {
  const flat = new Map<string, string | number | null>();
  addEnvelope(flat, "", envelope);
  addPart(flat, "", structure, true);
  return flat;
}

type Flat = Map<string, string | number | null>;

function addEnvelope(flat: Flat, prefix: string, envelope: WireValue): void {
  for (const [index, name] of envelopeNames.entries()) {
    const value = asList(envelope)[index] ?? null;
    if (!Array.isArray(value)) flat.set(`${prefix}envelope.${name}`, value);
    else
      for (const [number, address] of value.entries())
        for (const [at, part] of addressNames.entries())
          flat.set(`${prefix}envelope.${name}.${number}.${part}`, asValue(asList(address)[at]));
  }
}

function addPart(flat: Flat, section: string, part: WireValue, isTop: boolean): void {
  const values = asList(part);
  const count = values.findIndex((value) => !Array.isArray(value));
  const prefix = section === "" ? "" : `${section}.`;
  if (count > 0) {
    for (let index = 0; index < count; index++) addPart(flat, `${prefix}${index + 1}`, values[index]!, false);
    flat.set(`${prefix}parts`, count);
    flat.set(`${prefix}type`, "multipart");
    flat.set(`${prefix}subtype`, lower(values[count]));
    addParameters(flat, `${prefix}parameters`, values[count + 1]);
    addExtension(flat, prefix, values.slice(count + 2));
    return;
  }
  const own = isTop || prefix === "" ? `${prefix}1.` : prefix;
  const [type, subtype, parameters, id, description, encoding, size, ...rest] = values;
  flat.set(`${own}type`, lower(type));
  flat.set(`${own}subtype`, lower(subtype));
  addParameters(flat, `${own}parameters`, parameters);
  flat.set(`${own}id`, asValue(id));
  flat.set(`${own}description`, asValue(description));
  flat.set(`${own}encoding`, lower(encoding));
  flat.set(`${own}size`, asValue(size));
  if (lower(type) === "text") flat.set(`${own}lines`, asValue(rest.shift()));
  else if (lower(type) === "message" && Array.isArray(rest[0]) && Array.isArray(rest[1])) {
    addEnvelope(flat, own, rest[0]);
    addPart(flat, own.slice(0, -1), rest[1], true);
    flat.set(`${own}lines`, asValue(rest[2]));
    rest.splice(0, 3);
  }
  flat.set(`${own}md5`, asValue(rest.shift()));
  addExtension(flat, own, rest);
}

function addExtension(
  flat: Flat,
  prefix: string,
  [disposition, language, location]: readonly WireValue[],
): void {
  const [name, parameters] = asList(disposition);
  flat.set(`${prefix}disposition`, lower(name));
  addParameters(flat, `${prefix}disposition`, parameters);
  flat.set(`${prefix}language`, Array.isArray(language) ? language.join(",") : asValue(language));
  flat.set(`${prefix}location`, asValue(location));
}

/** In whatever order they stand. */
function addParameters(flat: Flat, prefix: string, parameters: WireValue | undefined): void {
  const values = asList(parameters);
  for (let index = 0; index + 1 < values.length; index += 2)
    // "name*" is "name" in another encoding (RFC 2231 section 4).
    flat.set(`${prefix}.${lower(values[index])?.replace(/\*$/, "")}`, asValue(values[index + 1]));
}

function asList(value: WireValue | undefined): WireValue[] {
  return Array.isArray(value) ? value : [];
}

function asValue(value: WireValue | undefined): string | number | null {
  return value === undefined || Array.isArray(value) ? null : value;
}

function lower(value: WireValue | undefined): string | null {
  return typeof value === "string" ? value.toLowerCase() : null;
}

export interface Difference {
  readonly name: string;
  /** Without section and number: "subject", "to.mailbox", "parameters.charset". */
  readonly field: string;
  readonly ours: string | number | null;
  readonly theirs: string | number | null;
}

export function differences(ours: FlatStructure, theirs: FlatStructure): Difference[] {
  const found: Difference[] = [];
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    const [mine, other] = [ours.get(name) ?? null, theirs.get(name) ?? null];
    if (mine !== other) found.push({ name, field: fieldOf(name), ours: mine, theirs: other });
  }
  return found;
}

function fieldOf(name: string): string {
  return name
    .replace(/^(?:\d+\.)*/, "")
    .replace(/^envelope\./, "")
    .replace(/\.\d+\./, ".");
}
