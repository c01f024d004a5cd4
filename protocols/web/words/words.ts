/** The catalogue of messages: every sentence of the pages, once for each language. */
import { english, type Words } from "./english.ts";
import { german } from "./german.ts";
import { type Language, languages } from "./language.ts";

export type { Words } from "./english.ts";
export { type Language, languages } from "./language.ts";

const catalogues: Readonly<Record<Language, Words>> = { en: english, de: german };

export function wordsOf(language: Language): Words {
  return catalogues[language];
}

export function isLanguage(text: string | undefined): text is Language {
  return (languages as readonly (string | undefined)[]).includes(text);
}

/** The first language of Accept-Language (RFC 9110 section 12.5.4) that there is; English without one. */
export function acceptedLanguage(field: string): Language {
  const wishes = field
    .slice(0, 200)
    .split(",")
    .map((wish) => {
      const [tag = "", quality = "q=1"] = wish.split(";").map((part) => part.trim());
      return { tag: tag.slice(0, 2).toLowerCase(), weight: Number(/^q=([\d.]+)$/.exec(quality)?.[1] ?? 0) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  return wishes.map(({ tag }) => tag).find(isLanguage) ?? "en";
}
