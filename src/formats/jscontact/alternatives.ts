/** Finds the lines that are translations of each other (RFC 6350 section 5.4 and 5.1, RFC 9555 section 2.3.11): lines with the same
 *  ALTID or PROP-ID, or FN and N, which occur once in each language. */
import { type Property, parameterValue } from "../content-lines/content-line.ts";
import { unescapeText } from "../vcard/values.ts";

export interface Line {
  /** Among the items of the card. */
  readonly index: number;
  /** The property in version 4.0. */
  readonly property: Property;
}

export interface Alternatives {
  readonly language: string | undefined;
  /** For a line in the main language: its lines in other languages. */
  readonly byMain: ReadonlyMap<Line, ReadonlyMap<string, readonly Line[]>>;
  /** For a main line: the line with its phonetic values. */
  readonly phoneticOf: ReadonlyMap<Line, Line>;
  /** Lines that belong to another line. */
  readonly isAttached: (line: Line) => boolean;
}

export function findAlternatives(lines: readonly Line[]): Alternatives {
  const stated = lines.find(({ property }) => property.name === "LANGUAGE");
  const groups = groupLines(lines);
  const language =
    stated === undefined ? dominantLanguage(lines, groups) : unescapeText(stated.property.value).trim();
  const byMain = new Map<Line, Map<string, Line[]>>();
  const phoneticOf = new Map<Line, Line>();
  const attached = new Set<Line>();
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const main = mainOf(group, language);
    const mainLanguage = (languageOf(main) ?? language)?.toLowerCase();
    for (const line of group) {
      if (line === main) continue;
      const other = languageOf(line);
      const isMainLanguage = other === undefined || other.toLowerCase() === mainLanguage;
      if (isPhonetic(line) && isMainLanguage && !phoneticOf.has(main)) {
        phoneticOf.set(main, line);
        attached.add(line);
      } else if (!isMainLanguage) {
        const languages = byMain.get(main) ?? new Map<string, Line[]>();
        const before = languages.get(other) ?? [];
        if (before.some((earlier) => isPhonetic(earlier) === isPhonetic(line))) continue;
        languages.set(other, [...before, line]);
        byMain.set(main, languages);
        attached.add(line);
      }
    }
  }
  return { language, byMain, phoneticOf, isAttached: (line) => attached.has(line) };
}

export function isPhonetic({ property }: Line): boolean {
  return parameterValue(property, "PHONETIC") !== undefined;
}

function languageOf({ property }: Line): string | undefined {
  return parameterValue(property, "LANGUAGE");
}

const notLocalized = new Set(["MEMBER", "RELATED", "JSPROP", "LANGUAGE", "UID", "X-ABLABEL"]);

function groupLines(lines: readonly Line[]): Map<string, Line[]> {
  const groups = new Map<string, Line[]>();
  for (const line of lines) {
    const { property } = line;
    if (notLocalized.has(property.name)) continue;
    const alternative = parameterValue(property, "ALTID") ?? parameterValue(property, "ALT-ID");
    const id = parameterValue(property, "PROP-ID");
    const isSingle = property.name === "FN" || property.name === "N";
    if (alternative === undefined && id === undefined && !isSingle) continue;
    const key = `${property.name} ${isSingle ? "" : id === undefined ? `altid ${alternative}` : `id ${id}`}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  return groups;
}

function mainOf(group: readonly Line[], language: string | undefined): Line {
  const plain = group.filter((line) => !isPhonetic(line));
  const isOf = (line: Line) => languageOf(line)?.toLowerCase() === language?.toLowerCase();
  return plain.find((line) => languageOf(line) === undefined) ?? plain.find(isOf) ?? plain[0] ?? group[0]!;
}

/** The main language if the card has no LANGUAGE property and all lines of an alternative have one: the most frequent. */
function dominantLanguage(
  lines: readonly Line[],
  groups: ReadonlyMap<string, readonly Line[]>,
): string | undefined {
  const isAlternative = ({ property }: Line) =>
    property.parameters.some(({ name }) => name === "ALTID" || name === "ALT-ID");
  const isNamed = [...groups.values()].some(
    (group) => group.some(isAlternative) && group.every((line) => languageOf(line) !== undefined),
  );
  if (!isNamed) return undefined;
  const counts = new Map<string, { readonly language: string; count: number }>();
  for (const line of lines) {
    const language = languageOf(line);
    if (language === undefined) continue;
    const counted = counts.get(language.toLowerCase());
    if (counted === undefined) counts.set(language.toLowerCase(), { language, count: 1 });
    else counted.count++;
  }
  const [first, ...others] = counts.values();
  return others.reduce((most, each) => (each.count > most!.count ? each : most), first)?.language;
}
