/** Internationalized domains that look like another domain (Unicode Technical Standard 39, sections 4 and 5): labels that mix scripts
 *  in ways that no language does, and labels of one script whose letters all look like Latin letters. */
import { domainToUnicode } from "node:url";

const scripts = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Hebrew", /\p{Script=Hebrew}/u],
  ["Arabic", /\p{Script=Arabic}/u],
  ["Devanagari", /\p{Script=Devanagari}/u],
  ["Thai", /\p{Script=Thai}/u],
  ["Georgian", /\p{Script=Georgian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Han", /\p{Script=Han}/u],
  ["Hiragana", /\p{Script=Hiragana}/u],
  ["Katakana", /\p{Script=Katakana}/u],
  ["Hangul", /\p{Script=Hangul}/u],
  ["Bopomofo", /\p{Script=Bopomofo}/u],
] as const;
/** "Highly restrictive" of UTS 39 section 5.2: Latin with the scripts that one writing system uses together. */
const together = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
];
const otherScript = /[^\p{Script=Common}\p{Script=Inherited}]/u;
/** Letters of Cyrillic, Greek, Armenian and Cherokee whose shape is that of a Latin one, as they stand in a lower-case label. */
const twins = /^[аеорсухіјѕһԁԛԝӏгьвкмнтпбзѵүοναρικυτηωχγεβօսոցհզյꭰꭱꭲꮃꮒꮶꮮꮯꮪꭻ0-9-]+$/u;
/** Latin letters outside of what languages write domains with: phonetic and typographic doubles of plain ones. */
const doubles = /[\u0250-\u02af\u1d00-\u1dbf\ua720-\ua7ff\uab30-\uab6f\u0131\u017f]/u;

export function imitatesAnother(domain: string): boolean {
  if (!domain.includes("xn--")) return false;
  const unicode = domainToUnicode(domain);
  return unicode === "" || unicode.split(".").some(isSuspicious);
}

function isSuspicious(label: string): boolean {
  // A label that could not be decoded, or that needs no encoding, is none that a registry gives out.
  if (label.startsWith("xn--")) return true;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\u0000-\u007f]*$/.test(label)) return false;
  const used: string[] = scripts.filter(([, pattern]) => pattern.test(label)).map(([script]) => script);
  const isMixed = used.length > 1 && !together.some((set) => used.every((script) => set.includes(script)));
  const isTwin = !used.includes("Latin") && twins.test(label);
  return isMixed || isTwin || doubles.test(label) || (used.length > 0 && hasUnknown(label));
}

/** Whether letters of a script that the table does not have are mixed with letters of one that it has. */
function hasUnknown(label: string): boolean {
  return [...label].some(
    (character) => otherScript.test(character) && !scripts.some(([, script]) => script.test(character)),
  );
}
