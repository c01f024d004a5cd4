/** The judge of `npm run fuzz:html`: whether the pixels of Chromium and of Firefox show which sentence is visible. */
import { describe, expect, test } from "vitest";
import { isUnknownToBrowsers } from "../../src/formats/css/neutral.ts";
import { createJudge } from "../long/adversary/judge.ts";
import { type Mark, otherDigits, wordsOf } from "../long/adversary/page.ts";
import { usualWindow, type Window } from "../long/adversary/windows.ts";
import { chromiumNote, hasChromium, startBrowser } from "./browser.ts";
import { hasFirefox, startFirefox } from "./firefox.ts";

const marks: readonly Mark[] = [
  { kind: "mark", mark: 0, words: 2 },
  { kind: "mark", mark: 1, words: 2 },
];

/** `$0` and `$1` are two sentences; behind the page, which of them is seen. */
const pages: readonly (readonly [html: string, isFirstSeen: boolean, isSecondSeen: boolean])[] = [
  ["<p>$0</p><p>$1</p>", true, true],
  ["<p>$0</p><p style='color:white'>$1</p>", true, false],
  ["<p style='visibility:hidden'>$0</p><p style='font-size:0'>$1</p>", false, false],
  ["<b>$0</b><b>$1</b>", true, true],
  ["<p style='color:#ddd'>$0</p><p style='color:#fbfbfb'>$1</p>", true, false],
  ["<div style='position:absolute'>$0</div><div style='position:absolute'>$1</div>", true, true],
  ["<p>$0</p><div style='height:3000px'></div><p>$1</p>", true, true],
  ["<p style='margin-left:2000px'>$0</p><p style='margin-left:-2000px'>$1</p>", true, false],
  ["<div style='overflow:auto;height:80px'>$0<p style='margin-top:300px'>$1</div>", true, false],
  ["<div style='overflow:hidden;height:80px'>$0<p style='margin-top:300px'>$1</div>", true, false],
  ["<div style='float:left'>$0</div><p style='position:relative;background:white'>$1</p>", false, true],
  ["<body bgcolor=black><font color=white>$0</font><p>$1</p>", true, false],
  ["<p>$0</p><dialog open style='inset:0;width:100%;height:100%'>$1</dialog>", false, true],
  ["<title>$0</title><!-- $1 -->", false, false],
];

describe.each([
  { name: "Chromium", isThere: hasChromium, start: startBrowser },
  { name: "Firefox", isThere: hasFirefox, start: startFirefox },
])("the judge of the adversary in $name", ({ isThere, start }) => {
  test.skipIf(!isThere)("tells visible sentences from invisible ones", async () => {
    await using browser = await start();
    const judge = await createJudge(browser);
    const write = (html: string, others: readonly number[]): string =>
      html.replace(/\$(\d)/g, (_, mark) => {
        const text = wordsOf(marks[Number(mark)]!).join(" ");
        return others.includes(Number(mark)) ? otherDigits(text) : text;
      });
    const pixels = await judge.seen(
      pages.map(([html]) => ({ write: (others) => write(`<!doctype html>${html}`, others), marks })),
    );
    const told = pages.map(([html], at) => [html, ...pixels[at]!.map((count) => count > 0)]);
    expect(told).toEqual(pages);
  });

  test.skipIf(!isThere)("looks at a page in the window that is asked for", async () => {
    await using browser = await start();
    const judge = await createJudge(browser);
    const html =
      "<!doctype html><style>@media (min-width:1025px){.a{display:none}}@media (min-resolution:2dppx){.b{display:none}}@media (prefers-color-scheme:dark){.c{display:none}}</style>";
    const write = (others: readonly number[]): string => {
      const text = wordsOf(marks[0]!).join(" ");
      return others.length > 0 ? otherDigits(text) : text;
    };
    const question = (name: string) => ({
      write: (others: readonly number[]) => `${html}<p class=${name}>${write(others)}`,
      marks: marks.slice(0, 1),
    });
    const seenIn = async (window: Window) =>
      (await judge.seen(["a", "b", "c"].map(question), window)).map(([pixels]) => pixels! > 0);
    expect(await seenIn(usualWindow)).toEqual([true, true, true]);
    expect(await seenIn({ ...usualWindow, width: 1026 })).toEqual([false, true, true]);
    expect(await seenIn({ ...usualWindow, density: 3 })).toEqual([true, false, true]);
    expect(await seenIn({ ...usualWindow, density: 1.5, scheme: "dark" })).toEqual([true, true, false]);
  });

  test.skipIf(!isThere)("sees no difference between two pictures of the same page", async () => {
    await using browser = await start();
    const judge = await createJudge(browser);
    const pixels = await judge.seen(
      pages.map(([html]) => ({ write: () => `<!doctype html>${html.replaceAll("$", "word ")}`, marks })),
    );
    expect(pixels.flat().filter((count) => count > 0)).toEqual([]);
  });
});

describe.skipIf(!hasChromium)(`Chromium as the judge of the adversary${chromiumNote}`, () => {
  test("every request to a browser fails after one of its pages has crashed", async () => {
    await using browser = await startBrowser();
    const [page, other] = [await browser.openTab(), await browser.openTab()];
    await page.send("Page.navigate", { url: "chrome://crash" });
    await expect(page.send("Page.getLayoutMetrics")).rejects.toThrow("ended");
    await expect(other.send("Page.getLayoutMetrics")).rejects.toThrow("ended");
  });

  test("Chromium knows none of the properties that the renderer takes as unknown to all browsers", async () => {
    await using browser = await startBrowser();
    const tab = await browser.openTab();
    await tab.load("<!doctype html><body>");
    const said = await tab.evaluate<string>(
      "{let names = []; for (const name in document.body.style) names.push(name); names.join(' ')}",
    );
    const names = said
      .split(" ")
      .map((name) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
      .map((name) => name.replace(/^(?:webkit|moz|epub|apple)-/, "-$&"));
    expect(names.length).toBeGreaterThan(500);
    expect(names.filter(isUnknownToBrowsers)).toEqual([]);
  });
});
