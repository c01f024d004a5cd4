/** Characters that nobody sees stay only where the standard gives them an effect: in mails, and in calendars and contacts alike. */
import { describe, expect, it } from "vitest";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import { calendarText, contactText } from "#/src/formats/text/content-lines.ts";

const of = (point: number): string => String.fromCodePoint(point);
const none = (): void => {};

/** Between two Latin letters none of them has an effect. */
const invisible: readonly (readonly [name: string, character: string])[] = [
  ["soft hyphen", "\u00ad"],
  ["combining grapheme joiner", "\u034f"],
  ["Arabic letter mark", "\u061c"],
  ["Hangul choseong filler", "\u115f"],
  ["Hangul jungseong filler", "\u1160"],
  ["Khmer inherent vowel", "\u17b4"],
  ["Mongolian variation selector", "\u180b"],
  ["Mongolian vowel separator", "\u180e"],
  ["zero width space", "\u200b"],
  ["zero width non-joiner", "\u200c"],
  ["zero width joiner", "\u200d"],
  ["left-to-right mark", "\u200e"],
  ["right-to-left mark", "\u200f"],
  ["right-to-left override", "\u202e"],
  ["word joiner", "\u2060"],
  ["function application", "\u2061"],
  ["invisible times", "\u2062"],
  ["invisible separator", "\u2063"],
  ["invisible plus", "\u2064"],
  ["left-to-right isolate", "\u2066"],
  ["inhibit symmetric swapping", "\u206a"],
  ["Braille blank", "\u2800"],
  ["Hangul filler", "\u3164"],
  ["variation selector 1", "\ufe00"],
  ["variation selector 16", "\ufe0f"],
  ["byte order mark", "\ufeff"],
  ["halfwidth Hangul filler", "\uffa0"],
  ["interlinear annotation anchor", "\ufff9"],
  ["object replacement", "\ufffc"],
  ["Egyptian joiner", of(0x13430)],
  ["Khitan filler", of(0x16fe4)],
  ["shorthand overlap", of(0x1bca0)],
  ["null notehead", of(0x1d159)],
  ["begin beam", of(0x1d173)],
  ["language tag", of(0xe0001)],
  ["tag letter", of(0xe0041)],
  ["variation selector 17", of(0xe0100)],
  ["variation selector 256", of(0xe01ef)],
  ["private plane", of(0xf0041)],
  ["noncharacter", "\ufdd0"],
];

describe("between Latin letters, dropped and told", () => {
  it.each(invisible)("%s", (_, character) => {
    let told = 0;
    expect(
      cleanText(`a${character}b`, (__, count) => {
        told += count;
      }),
    ).toBe("ab");
    expect(told).toBe(1);
  });

  it("in calendars and contacts too", () => {
    for (const [name, character] of invisible) {
      const event = `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:a${character}b\r\nEND:VEVENT\r\nEND:VCALENDAR`;
      expect([name, calendarText(event, none)]).toEqual([name, "Summary: ab"]);
      expect([name, contactText(`BEGIN:VCARD\r\nFN:a${character}b\r\nEND:VCARD`, none)]).toEqual([
        name,
        "Name: ab",
      ]);
    }
  });
});

describe("where the standard gives them no effect", () => {
  it.each([
    ["a non-joiner after a letter that joins nothing", "کار\u200cها", "کارها"],
    ["a non-joiner before a blank", "می\u200c خواهم", "می خواهم"],
    ["a joiner between letters that are not joined", "کار\u200dها", "کارها"],
    ["a selector after a digit that is no key", "1\ufe0f2\ufe0e", "12"],
    ["selectors that no ideograph has", `葛${of(0xe01d0)}城`, "葛城"],
    ["a selector before its base", "\ufe0f✈", "✈"],
    ["a joiner after a Latin letter before an emoji", "a\u200d👧", "a👧"],
  ])("%s goes", (_, text, cleaned) => {
    expect(cleanText(text, none)).toBe(cleaned);
  });

  it.each([
    ["Persian", "می\u200cخواهم کتاب\u200cها"],
    ["an abbreviation", "ه\u200d ."],
    ["Hindi", "क्\u200dष"],
    ["Malayalam at the end of a word", "ന്\u200d "],
    ["a family", "👩\u200d👧"],
    ["a key", "1\ufe0f\u20e3"],
    ["an ideograph", `葛${of(0xe0100)}城`],
  ])("and stay where they have one: %s", (_, text) => {
    expect(cleanText(text, none)).toBe(text);
  });
});
