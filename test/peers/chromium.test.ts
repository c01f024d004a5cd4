/** The text that Chromium draws, compared with the text that our renderer gives, for the same HTML. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { renderHtml } from "../../src/formats/html/render-html.ts";
import { hiddenCases, shownCases } from "../formats/html-cases.ts";
import {
  corpusNote,
  hasCorpus,
  htmlOf,
  listAttackMessages,
  listCorpusMessages,
  listInjectionMessages,
} from "../support/corpus.ts";
import { chromiumNote, hasChromium } from "./browser.ts";
import { type Chromium, type DrawnText, startChromium } from "./chromium.ts";

/** Text that is drawn and left out on purpose: form controls, letters of drawings, and what stands for something that is not
 *  loaded. */
const leftOut = /^(?:svg|option|select|textarea|noscript|object)/;
/** Letters too small to read, and such that only their number is seen, leave marks in the picture. */
const illegible = /font-size:0\.1em|text-security/;
/** Turned, clipped or moved text leaves other rectangles than those that the browser tells. */
const notMeasured = /rotate\(45deg\)|inset\(10%\)|margin-top:-60px/;

/** Signs without a shape, a word of which the first letter alone is seen, text to which a box has to be scrolled. */
const drawnOtherwise = /^n(?:147|175|202)-/;

/** The renderer's own marks: what stands for doubt, and what is seen and is no text. */
const ownMark = /\[(?:\d+ passages? left out|picture|drawing|field|button|before|after): [^\]]*\]/g;

function fold(text: string): string {
  return text.replace(/[\s\p{Default_Ignorable_Code_Point}\p{Cc}\p{Co}]+/gu, "");
}

function isLeftOut({ inside }: DrawnText): boolean {
  return inside.some((element) => leftOut.test(element));
}

/** Beginnings of texts that only one of both has. What is drawn may be left out where the renderer reports doubt. */
async function differences(chromium: Chromium, html: string): Promise<string[]> {
  const drawn = await chromium.draw(html);
  const { text, removed } = renderHtml(html, "text");
  const isInDoubt = removed.some(([what]) => what === "doubtful");
  const ours = fold(text);
  const seen = fold(
    drawn
      .filter(({ isSeen }) => isSeen)
      .map((one) => one.text)
      .join(""),
  );
  const lost = drawn.filter(
    (one) => !isInDoubt && one.isSeen && !isLeftOut(one) && !ours.includes(fold(one.text).slice(0, 60)),
  );
  // Addresses of links stand behind their lines, and lists have marks.
  const words = text
    .replaceAll(ownMark, " ")
    .replaceAll(/ ?<[^<>]*>/g, " ")
    .split(/\s+/)
    .map(fold);
  const added = words.filter(
    (word) => word.length > 2 && !/^[>*-]+$|^\d+\.$/.test(word) && !seen.includes(word),
  );
  return [
    ...lost.map((one) => `lost: ${one.text.trim().slice(0, 60)}`),
    ...added.map((word) => `added: ${word}`),
  ];
}

function listHtml(): { readonly name: string; readonly html: string }[] {
  return [...listInjectionMessages(), ...listAttackMessages("html"), ...listCorpusMessages()].flatMap(
    ({ file, bytes }) => htmlOf(bytes).map((html) => ({ name: file, html })),
  );
}

function listTemplates(): { readonly name: string; readonly html: string }[] {
  const made = new URL("../templates/made/", import.meta.url);
  return readdirSync(made).map((name) => ({ name, html: readFileSync(new URL(name, made), "utf8") }));
}

describe.skipIf(!hasChromium)(`Chromium${chromiumNote}`, () => {
  test.skipIf(!hasCorpus)(
    `shows exactly the text that the renderer gives for every mail, but for what is in doubt${corpusNote}`,
    async () => {
      await using chromium = await startChromium();
      const found: string[] = [];
      for (const { name, html } of listHtml())
        for (const difference of await differences(chromium, html)) found.push(`${name}: ${difference}`);
      expect(found).toEqual([]);
    },
  );

  test.skipIf(!hasCorpus)(
    `shows exactly the text that the renderer gives for hostile mail, but for what is in doubt${corpusNote}`,
    async () => {
      await using chromium = await startChromium();
      const found: string[] = [];
      for (const { file, bytes } of listInjectionMessages("injection-2"))
        for (const html of drawnOtherwise.test(file) ? [] : htmlOf(bytes))
          for (const difference of await differences(chromium, html)) found.push(`${file}: ${difference}`);
      expect(found).toEqual([]);
    },
  );

  test("shows exactly the text that the renderer gives for pages of newsletter generators", async () => {
    await using chromium = await startChromium();
    const found: string[] = [];
    for (const { name, html } of listTemplates())
      for (const difference of await differences(chromium, html)) found.push(`${name}: ${difference}`);
    expect(found).toEqual([]);
  });

  test("shows or hides the text of each case as the renderer's tests say", async () => {
    await using chromium = await startChromium();
    const wrong: string[] = [];
    for (const [cases, isShown] of [
      [hiddenCases, false],
      [shownCases, true],
    ] as const)
      for (const html of cases) {
        const drawn = await chromium.draw(`<!doctype html>${html}<p>end`);
        const isSeen = drawn.some((one) => one.isSeen && one.text.includes("SECRET") && !isLeftOut(one));
        if (isSeen !== isShown && !illegible.test(html) && !notMeasured.test(html)) wrong.push(html);
      }
    expect(wrong).toEqual([]);
  });
});
