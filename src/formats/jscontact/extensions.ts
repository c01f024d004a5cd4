/** JSPROP: a property of JSContact that vCard does not have (RFC 9555 section 3.2.1), at the place in JSPTR:
 *  JSPROP;JSPTR="phones/p1/example.com:foo":"bar" */
import { makeProperty, type Property, parameterValue } from "../content-lines/content-line.ts";
import { escapeText, unescapeText } from "../vcard/values.ts";
import type { Line } from "./alternatives.ts";
import { isOfKind } from "./contact-schema.ts";
import {
  formatPointer,
  isTooDeep,
  type Json,
  type OpenObject,
  type Path,
  parsePointer,
  put,
  withAt,
} from "./json.ts";
import { parseJsonText } from "./json-text.ts";
import { collections, type ReadUnit, unitKey, unitPathOf } from "./unit.ts";

/** Returns the lines without a valid place or without valid JSON, and those by which a member would not be of its kind: it would hide what other
 *  lines say of it, and they would be lost with the next change. */
export function applyExtensions(units: Map<string, ReadUnit>, lines: readonly Line[]): Line[] {
  const before = new Map(units);
  const left = new Set(lines.filter((line, at) => at >= extensionsMax || !applyExtension(units, line)));
  const byIndex = new Map(lines.map((line) => [line.index, line]));
  for (const [key, unit] of units) {
    const was = before.get(key);
    if (unit.value === was?.value || isOfKind(unit.path, unit.value)) continue;
    if (was !== undefined && !isOfKind(was.path, was.value)) continue;
    if (was === undefined) units.delete(key);
    else units.set(key, was);
    for (const index of unit.lines) if (byIndex.has(index)) left.add(byIndex.get(index)!);
  }
  return lines.filter((line) => left.has(line));
}

/** Bound on JSPROP lines, because each copies its unit; later ones stay lines of the vCard. */
const extensionsMax = 1000;

const ownPlaces = new Set(["@type", "version", "uid", "vCardProps", ""]);

function applyExtension(units: Map<string, ReadUnit>, { index, property }: Line): boolean {
  const pointer = parameterValue(property, "JSPTR");
  // The value is TEXT; some writers do not escape it.
  const parsed = parseJsonText([unescapeText(property.value), property.value]);
  if (pointer === undefined || parsed === undefined || property.group !== undefined) return false;
  const path = parsePointer(pointer);
  if (ownPlaces.has(path[0]!) || path.includes("__proto__")) return false;
  if (path[0] === "localizations") return applyLocalization(units, index, path.slice(1), parsed.value);
  const isWhole = path.length === 1 && collections.has(path[0]!);
  const unitPath = isWhole || pointer === "speakToAs" ? path : unitPathOf(path);
  if (unitPath === undefined) return false;
  const unit = units.get(unitKey(unitPath));
  const inner = path.slice(unitPath.length);
  if (unit === undefined && inner.length > 0 && unitPath[0] !== "speakToAs") return false;
  const value = withAt(unit?.value, inner, parsed.value);
  if (value === undefined) return false;
  const lines = new Set(unit?.lines).add(index);
  units.set(unitKey(unitPath), { path: unitPath, value, localized: unit?.localized ?? new Map(), lines });
  return true;
}

function applyLocalization(units: Map<string, ReadUnit>, index: number, path: Path, value: Json): boolean {
  const [language, pointer, ...more] = path;
  if (language === undefined || more.length > 0) return false;
  const inner = pointer === undefined ? undefined : parsePointer(pointer);
  if (inner !== undefined && isTooDeep(inner)) return false;
  const unitPath = inner === undefined ? undefined : unitPathOf(inner);
  const unit = unitPath === undefined ? undefined : units.get(unitKey(unitPath));
  if (unit === undefined) {
    const own = ["localizations", ...path];
    units.set(unitKey(own), { path: own, value, localized: new Map(), lines: new Set([index]) });
    return true;
  }
  const patch: OpenObject = { ...unit.localized.get(language) };
  put(patch, formatPointer(inner!.slice(unit.path.length)), value);
  units.set(unitKey(unit.path), {
    ...unit,
    localized: new Map(unit.localized).set(language, patch),
    lines: new Set(unit.lines).add(index),
  });
  return true;
}

export function writeExtension(path: Path, value: Json): Property {
  return makeProperty("JSPROP", escapeText(JSON.stringify(value)), [
    { name: "JSPTR", values: [formatPointer(path)] },
  ]);
}
