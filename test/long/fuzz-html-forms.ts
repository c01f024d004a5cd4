/** Seeded random fuzzing of the HTML renderer. Each document has a visible text and a hidden one. The hidden one is hidden in a way
 *  that works in any context, and written in one of many equivalent forms: spaces, case, character references, comments and escapes in
 *  CSS, `!important`, rules instead of attributes, elements around it, inherited values. No rendering may have the hidden text. Every
 *  rendering must have the visible text, or say that something is in doubt. Other documents are only broken: rendering them must end
 *  within the renderer's own time limit.
 *  `node test/long/fuzz-html-forms.ts [--minutes N] [--seed S]` */
import { parseArgs } from "node:util";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";
import { hiddenCases, shownCases } from "../formats/html-cases.ts";
import { type Dice, diceOf } from "./imap-productions.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, seed: { type: "string" } },
});
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const endsAt = Date.now() + Number(values.minutes) * 60_000;
/** The renderer stops after 400 ms, plus the step that it is in. */
const millisecondsMax = 500;
const faultsMax = 10;

/** Declarations that hide a block in any context. */
const hiding: readonly (readonly (readonly [property: string, value: string])[])[] = [
  [["display", "none"]],
  [["visibility", "hidden"]],
  [["opacity", "0"]],
  [["font-size", "0"]],
  [["font-size", "1px"]],
  [["color", "transparent"]],
  [
    ["color", "#ffffff"],
    ["background-color", "#fff"],
  ],
  [
    ["color", "rgb(17, 17, 17)"],
    ["background", "#111"],
  ],
  [
    ["max-height", "0"],
    ["overflow", "hidden"],
  ],
  [
    ["width", "0"],
    ["height", "0"],
    ["overflow", "hidden"],
  ],
  [
    ["position", "absolute"],
    ["left", "-9999px"],
  ],
  [
    ["position", "fixed"],
    ["top", "-200em"],
  ],
  [["text-indent", "-9999px"]],
  [["clip-path", "inset(100%)"]],
  [
    ["position", "absolute"],
    ["clip", "rect(0, 0, 0, 0)"],
  ],
  [["transform", "scale(0)"]],
  [["transform", "translateX(-9999px)"]],
  [["filter", "opacity(0)"]],
  [["content-visibility", "hidden"]],
  [
    ["line-height", "0"],
    ["overflow", "hidden"],
  ],
  [["zoom", "0.01"]],
];
const selectors = [
  ".k",
  "#k",
  "div.k",
  "[data-k]",
  "[data-k='v']",
  ".k:not(.z)",
  "body .k",
  "* > .k",
  ":is(.q, .k)",
  ".k:nth-child(n)",
];
const wrappers = [
  "b",
  "i",
  "span",
  "p",
  "center",
  "blockquote",
  "section",
  "table><tr><td",
  "ul><li",
  "font color='#ffffff'",
  "div style='opacity:1'",
];

function pick<T>(dice: Dice, from: readonly T[]): T {
  return from[dice(from.length)]!;
}

function letters(dice: Dice, text: string, change: (letter: string) => string, oneIn: number): string {
  return [...text]
    .map((letter) => (/[a-z]/i.test(letter) && dice(oneIn) === 0 ? change(letter) : letter))
    .join("");
}

function word(dice: Dice, text: string): string {
  const cased = letters(dice, text, (letter) => letter.toUpperCase(), 3);
  if (dice(3) > 0) return cased;
  return letters(
    dice,
    cased,
    (letter) =>
      `\\${letter
        .charCodeAt(0)
        .toString(16)
        .padStart(dice(2) === 0 ? 6 : 2, "0")} `,
    4,
  );
}

function gap(dice: Dice): string {
  return pick(dice, ["", "", " ", "\n", "\t ", "/**/", "/* x:y; } */", " /*;*/ "]);
}

function declaration(dice: Dice, [property, value]: readonly [string, string]): string {
  const shown = /[(#]/.test(value)
    ? letters(dice, value, (letter) => letter.toUpperCase(), 3)
    : word(dice, value);
  const important = dice(3) === 0 ? `${gap(dice)}!${gap(dice)}${word(dice, "important")}` : "";
  return `${gap(dice)}${word(dice, property)}${gap(dice)}:${gap(dice)}${shown}${important}${gap(dice)}`;
}

function style(dice: Dice, declarations: readonly (readonly [string, string])[]): string {
  const written = declarations.map((one) => declaration(dice, one));
  // Declarations that a browser drops, and harmless ones.
  const others = [
    "",
    "",
    "mso-x:y",
    "color",
    ":",
    "width:bogus",
    "display:nonsense",
    "font-family:'a;b'",
    "border-image:url(x;y)",
  ];
  if (dice(2) === 0) written.push(pick(dice, others));
  return written.join(";") + (dice(2) === 0 ? ";" : "");
}

function attribute(dice: Dice, name: string, value: string): string {
  let shown = value.replaceAll("&", "&amp;");
  if (dice(2) === 0)
    shown = letters(
      dice,
      shown,
      (letter) => `&#${dice(2) === 0 ? `x${letter.charCodeAt(0).toString(16)}` : letter.charCodeAt(0)};`,
      5,
    );
  const quote = shown.includes('"') ? "'" : shown.includes("'") || dice(2) === 0 ? '"' : "'";
  const around = pick(dice, ["", "", " ", "\n"]);
  return `${pick(dice, [" ", "\n", "/", "\t"])}${letters(dice, name, (letter) => letter.toUpperCase(), 3)}${around}=${around}${quote}${shown.replaceAll(quote, quote === '"' ? "&quot;" : "&#39;")}${quote}`;
}

function documentOf(dice: Dice): string {
  const declarations = pick(dice, hiding);
  const isRule = dice(2) === 0;
  const text = style(dice, declarations);
  let rule = `${gap(dice)}${pick(dice, selectors)}${gap(dice)}{${text}}`;
  if (dice(4) === 0)
    rule = `@media ${pick(dice, ["screen", "all", "(min-width: 10px)", "not print", "screen, print"])} {${rule}}`;
  if (dice(4) === 0) rule = `<!-- ${rule} -->`;
  const harmless = pick(dice, [
    "",
    "p{margin:0}",
    "@import 'x';",
    "@font-face{src:url(x)}",
    "a:hover{display:block}",
    ".z{display:block!important}",
  ]);
  const sheet = isRule
    ? `<style${dice(2) === 0 ? " type='text/css'" : ""}>${harmless}${rule}</style>`
    : `<style>${harmless}</style>`;
  const marks = isRule
    ? `${attribute(dice, "class", "q2 k")}${attribute(dice, "id", "k")}${attribute(dice, "data-k", "v")}`
    : attribute(dice, "style", text);
  let inner = "SECRET words here";
  for (let depth = dice(3); depth > 0; depth--) inner = wrap(dice, inner, declarations);
  const hidden = `<div${marks}>${inner}</div>`;
  const body = [`<p>PLAIN words here</p>`, hidden, "<p>after it</p>"];
  return `${dice(2) === 0 ? "<!doctype html>" : "<!DOCTYPE HTML>\n"}<html><head>${sheet}</head><body>${body.join(dice(2) === 0 ? "\n" : "")}</body></html>`;
}

/** Adds elements inside that do not make visible what is hidden around them. */
function wrap(dice: Dice, inner: string, declarations: readonly (readonly [string, string])[]): string {
  // An element with its own colour would be visible on a background that is not white.
  const isColour = declarations.some(([property]) => property === "color");
  // A table does not inherit text-indent (HTML, 15.3.8).
  const isIndent = declarations.some(([property]) => property === "text-indent");
  const wrapper = pick(
    dice,
    wrappers.filter((one) => !(isColour && one.startsWith("font")) && !(isIndent && one.startsWith("table"))),
  );
  const ends = wrapper
    .split("><")
    .map((tag) => tag.split(" ")[0]!)
    .reverse();
  return `<${wrapper}>${inner}${ends.map((tag) => `</${tag}>`).join("")}`;
}

/** A document that is cut, doubled, or has wrong octets in it. */
function broken(dice: Dice): string {
  let html = Array.from({ length: 1 + dice(20) }, () =>
    pick(dice, dice(2) === 0 ? hiddenCases : shownCases),
  ).join(pick(dice, ["", "\n", "<div>", "<table>", "</style>", "<!--"]));
  for (let changes = dice(30); changes > 0; changes--) {
    const at = dice(html.length + 1);
    const piece = html.slice(at, at + dice(60));
    html =
      html.slice(0, at) +
      pick(dice, [
        "",
        "<",
        ">",
        '"',
        "\0",
        "{",
        "}",
        "(",
        "\\",
        "&#x1f600;",
        "\u200b",
        piece.repeat(dice(200)),
        "<svg>",
        "<template>",
        "</p>",
      ]) +
      html.slice(at + dice(5));
  }
  return html.slice(0, 600_000);
}

let documents = 0;
let slowest = 0;
const faults: string[] = [];
for (let seed = firstSeed; Date.now() < endsAt && faults.length < faultsMax; seed++) {
  const dice = diceOf(seed);
  const isBroken = dice(4) === 0;
  const html = isBroken ? broken(dice) : documentOf(dice);
  documents++;
  for (const form of htmlForms) {
    const begun = process.threadCpuUsage();
    let text = "";
    let isInDoubt = false;
    try {
      const rendered = renderHtml(html, form);
      text = rendered.text;
      isInDoubt = rendered.removed.some(([what]) => what === "doubtful");
    } catch (error) {
      faults.push(`seed ${seed}: ${form} threw ${error instanceof Error ? error.stack : error}`);
    }
    const { user, system } = process.threadCpuUsage(begun);
    const milliseconds = (user + system) / 1000;
    // The first documents are slower, because code is compiled meanwhile.
    if (documents > 50) slowest = Math.max(slowest, milliseconds);
    if (milliseconds > millisecondsMax && documents > 50)
      faults.push(`seed ${seed}: ${form} took ${milliseconds.toFixed(0)} ms`);
    if (isBroken) continue;
    if (text.includes("SECRET")) faults.push(`seed ${seed}: hidden text is in ${form}: ${html}`);
    if (!isInDoubt && (!text.includes("PLAIN") || !text.includes("after")))
      faults.push(`seed ${seed}: text is missing in ${form}: ${html}`);
  }
}
console.log(
  `${documents} documents from seed ${firstSeed}, the slowest rendering ${slowest.toFixed(0)} ms of a processor`,
);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length === 0 ? 0 : 1;
