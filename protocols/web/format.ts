/** Times, lengths and sizes as people read them, in the language of the page. */
import type { Language } from "./words/language.ts";

export interface Format {
  readonly language: Language;
  readonly now: number;
  /** When this day has begun. */
  readonly midnight: number;
  /** 13:58, or 1 Dec, 13:58 on another day. */
  moment(at: number): string;
  /** 14:32:00 */
  clock(at: number): string;
  /** 1 December, 13:58 */
  date(at: number): string;
  /** 24 Nov 2026 */
  day(at: number): string;
  /** 34 min, 2 h, 7 days: since then, or until then. */
  length(ms: number): string;
  size(octets: number): string;
  count(number: number): string;
  list(texts: readonly string[]): string;
  plural(count: number, one: string, other: string): string;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const locales = { en: "en-GB", de: "de-DE" } as const satisfies Record<Language, string>;

/** `timeZone`: a name of the IANA database; absent: that of the server. */
export function createFormat(language: Language, now: number, timeZone?: string): Format {
  const locale = locales[language];
  const short = new Intl.DateTimeFormat(locale, { timeZone, hour: "2-digit", minute: "2-digit" });
  const clock = new Intl.DateTimeFormat(locale, { timeZone, timeStyle: "medium" });
  const near = new Intl.DateTimeFormat(locale, {
    timeZone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  const full = new Intl.DateTimeFormat(locale, {
    timeZone,
    day: "numeric",
    month: "long",
    hour: "2-digit",
    minute: "2-digit",
  });
  const day = new Intl.DateTimeFormat(locale, { timeZone, day: "numeric", month: "short", year: "numeric" });
  const numbers = new Intl.NumberFormat(locale);
  const rules = new Intl.PluralRules(locale);
  const unit = (value: number, name: string): string =>
    new Intl.NumberFormat(locale, {
      style: "unit",
      unit: name,
      unitDisplay: name === "day" ? "long" : "short",
      maximumFractionDigits: name === "megabyte" ? 1 : 0,
    }).format(value);
  return {
    language,
    now,
    midnight: midnightOf(now, timeZone),
    moment: (at) => (day.format(at) === day.format(now) ? short.format(at) : near.format(at)),
    clock: (at) => clock.format(at),
    date: (at) => full.format(at),
    day: (at) => day.format(at),
    length(ms) {
      if (ms < hourMs) return unit(Math.max(1, Math.round(ms / minuteMs)), "minute");
      if (ms < dayMs) return unit(Math.round(ms / hourMs), "hour");
      return unit(Math.round(ms / dayMs), "day");
    },
    size: (octets) =>
      octets < 1_000_000
        ? unit(Math.max(1, Math.round(octets / 1000)), "kilobyte")
        : unit(octets / 1_000_000, "megabyte"),
    count: (number) => numbers.format(number),
    list: (texts) => new Intl.ListFormat(locale, { type: "conjunction" }).format(texts),
    plural: (count, one, other) => (rules.select(count) === "one" ? one : other),
  };
}

/** The clock there is read, and taken away: right but on a day on which it is put forward or back. */
function midnightOf(now: number, timeZone: string | undefined): number {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "medium" }).formatToParts(now);
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value ?? 0);
  return now - (now % 1000) - ((of("hour") * 60 + of("minute")) * 60 + of("second")) * 1000;
}
