/** Honest HTML: pages of newsletter generators (`test/templates`), in which no word is in doubt, usual constructs, windows, and real mail. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";
import { corpusNote, hasCorpus, htmlOf, listCorpusMessages } from "#/test/support/corpus.ts";
import { visibleWords } from "#/test/support/visible-words.ts";

const made = new URL("../templates/made/", import.meta.url);
const sentences: Readonly<Record<string, readonly string[]>> = {
  "mjml-dark": [
    "Your invoice of January is ready.",
    "42.50 Euro",
    "Pay the invoice",
    "Questions are answered by the office",
  ],
  "mjml-interactive": [
    "Newest",
    "Answers to your questions",
    "When does the parcel come?",
    "Below the questions stands a paragraph",
    "The last words of the shop stand here.",
  ],
  "mjml-newsletter": [
    "The lighthouse opens again",
    "Plan a visit",
    "Dear neighbours of the harbour,",
    "Photograph of the pier",
    "repairs of nets every Tuesday",
    "the choir of the sailors",
    "Tuesday wind",
    "Members travel at half price",
    "Show the card at the gate",
    "Become a member",
    "every half hour",
    "Old town",
    "Thank you for reading to the end",
    "Harbour on Facebook",
    "You get this letter since you asked for it.",
    "Leave the list",
  ],
  "react-code": [
    "Confirm the address",
    "QXF-T4B",
    "waypost login --code",
    "What next",
    "one cell",
    "other cell",
  ],
  "react-tailwind": ["Join the crew of the boat", "The captain invited you", "Come on board", "do nothing."],
  "react-welcome": [
    "Welcome, Dana",
    "You can borrow six books",
    "Open the catalogue",
    "Opening hours",
    "from nine to six",
    "Write to us",
  ],
  "foundation-news": [
    "Letter of the mill",
    "Hello miller,",
    "The water wheel turns again",
    "Order flour",
    "Dark, for bread",
    "Spelt flour",
    "Bring a bag",
    "Telephone 030 123 456",
    "The way to us",
    "Privacy",
    "Thank you",
    "Second of two",
    "Shown on wide screens alone",
  ],
};

test("each page that is kept has its sentences listed", () => {
  const pages = readdirSync(made).map((file) => file.replace(/(?:-inlined)?\.html$/, ""));
  expect(Object.keys(sentences)).toEqual(expect.arrayContaining(pages));
});

/** Foundation's style sheet is not kept here: its pages are there after `npm --prefix test/templates run make`. */
test.each([
  ...Object.entries(sentences),
  ["foundation-news-inlined", sentences["foundation-news"]!] as const,
])("%s is given whole, and nothing of it is in doubt", (name, expected) => {
  const file = new URL(`${name}.html`, made);
  if (!existsSync(file)) {
    expect(name).toMatch(/^foundation-/);
    return;
  }
  for (const form of htmlForms) {
    const { text, removed, isOverLimit } = renderHtml(readFileSync(file, "utf8"), form);
    expect(isOverLimit).toBe(false);
    expect(removed.filter(([what]) => what === "doubtful")).toEqual([]);
    const words = text.replace(/<[^>]*>/g, "").replace(/[\s\\*]+/g, " ");
    expect(expected.filter((sentence) => !words.includes(sentence))).toEqual([]);
  }
});

test.skipIf(!hasCorpus)(`at most two words in a hundred of real mail is in doubt${corpusNote}`, () => {
  const parts = new Set(listCorpusMessages().flatMap(({ bytes }) => htmlOf(bytes)));
  let [given, doubtful] = [0, 0];
  for (const html of parts) {
    const words = visibleWords(html);
    given += words.given;
    doubtful +=
      words.doubtful.size === 0 ? 0 : [...words.doubtful.values()].reduce((sum, one) => sum + one, 0);
  }
  expect(parts.size).toBeGreaterThan(200);
  expect(doubtful / (given + doubtful)).toBeLessThan(0.02);
});

/** How today's mail and pages are built, each with the reason why its text is proven visible. */
test.each([
  [
    "a clearfix paints nothing",
    "<style>.c::after{content:'';display:table;clear:both}</style><div class=c>words</div>",
  ],
  ["a shadow of letters lies below them", '<p style="text-shadow:0 1px 0 white">words</p>'],
  [
    "a pale shadow of a card mixes into what is behind",
    '<div style="box-shadow:0 2px 3px rgba(0,0,0,.16)">words</div>',
  ],
  [
    "a button grows with its line",
    '<a href="#" style="display:inline-block;padding:12px 24px;background:#1b7f4b;color:#fff">words</a>',
  ],
  [
    "names of other programs are inert",
    '<table style="-premailer-width:100%" width=600><tr><td>words</table>',
  ],
  [
    "a column in a line is as wide as its words ask",
    '<div style="max-width:600px"><div style="display:inline-block;width:50%">words</div></div>',
  ],
  ["lines keep clear of a float", '<div style="float:left;width:200px">words</div>'],
  ["a box that cuts off grows downwards", '<div style="overflow:hidden;border-radius:6px">words</div>'],
  ["what is relative is in its place", '<div style="position:relative;background:#eee">words</div>'],
])("%s", (_, html) => {
  for (const form of htmlForms) expect(renderHtml(`<!doctype html>${html}`, form).text).toContain("words");
});

test.each([
  ["in a wide window", "@media (min-width: 1025px)"],
  ["in a narrow window", "@media (max-width: 800px)"],
  ["in a tall window", "@media (orientation: portrait)"],
  ["with a dense screen", "@media (min-resolution: 2dppx)"],
  ["in the dark", "@media (prefers-color-scheme: dark)"],
])("text that is hidden %s is in doubt", (_, condition) => {
  const text = renderHtml(`<!doctype html><style>${condition}{p{display:none}}</style><p>words</p>`, "text");
  expect(text.text).not.toContain("words");
  expect(text.removed).toContainEqual(["doubtful", 1, "depends-on-window"]);
});

test.each(["@media (min-device-memory: 4)", "@supports (display: grid)"])(
  "text that a condition may hide which says nothing of the window is in doubt for another reason: %s",
  (condition) => {
    const text = renderHtml(
      `<!doctype html><style>${condition}{p{display:none}}</style><p>words</p>`,
      "text",
    );
    expect(text.removed).toContainEqual(["doubtful", 1, "rule-may-apply"]);
  },
);

test.each([
  "<style>p{display:none}@media (prefers-color-scheme:light){p{display:block}}</style>",
  '<style media="(prefers-color-scheme: dark)">p{display:none}</style>',
])("text that only a light window shows is in doubt: %s", (style) => {
  expect(renderHtml(`<!doctype html>${style}<p>words</p>`, "text").text).not.toContain("words");
});

test("colours of the light scheme are those of the page", () => {
  const style = "<style>@media (prefers-color-scheme:light){p{color:#fff;background:#000}}</style>";
  expect(renderHtml(`<!doctype html>${style}<p>words</p>`, "text").text).toBe("words");
});

test("text that is hidden on no desk is given", () => {
  const style =
    "@media (max-width: 600px){p{display:none}} @media (prefers-color-scheme: dark){p{color:#eee}}";
  expect(renderHtml(`<!doctype html><style>${style}</style><p>words</p>`, "text").text).toBe("words");
});
