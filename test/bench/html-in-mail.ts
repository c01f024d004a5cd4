/** A survey of the HTML in folders of mails (`.eml`) and of pages (`.html`). Prints how many parts use each property, value form,
 *  condition, selector, attribute and element, and for each folder how many words are given, hidden or in doubt, by cause. A page with
 *  half of its words in doubt counts as lost. Run: npm run survey:html [-- --words] FOLDER… (`--words`: of the words alone) */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseStyleAttribute, parseStyleSheets } from "#/src/formats/css/stylesheet.ts";
import type { CssToken } from "#/src/formats/css/tokens.ts";
import { surveyTree } from "#/src/formats/html/survey.ts";
import { attributeOf, type HtmlElement, type HtmlNode, parseHtml } from "#/src/formats/html/tree.ts";
import { createWorkMeter, OverBudget } from "#/src/formats/html/work-meter.ts";
import { htmlOf } from "#/test/support/corpus.ts";
import { visibleWords } from "#/test/support/visible-words.ts";

const folders = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const isOfWords = process.argv.includes("--words");
const shownMax = 60;

function formOf(token: CssToken): string | undefined {
  switch (token.type) {
    case "dimension":
      return token.unit;
    case "percent":
      return "%";
    case "number":
      return token.number < 0 ? "negative number" : token.number === 0 ? "0" : "number";
    case "hash":
      return "#hex";
    case "function":
      return `${token.value.toLowerCase()}()`;
    case "ident":
      return token.value.toLowerCase();
    case "url":
      return "url()";
    default:
      return undefined;
  }
}

/** Counts, for each name, the parts that have it. */
class Table {
  readonly #title: string;
  readonly #counts = new Map<string, number>();
  #seen = new Set<string>();
  constructor(title: string) {
    this.#title = title;
  }
  add(name: string): void {
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
  endPart(): void {
    this.#seen = new Set();
  }
  print(): void {
    console.log(`\n${this.#title}`);
    const sorted = [...this.#counts].toSorted((one, other) => other[1] - one[1]);
    for (const [name, count] of sorted.slice(0, shownMax))
      console.log(`${String(count).padStart(6)} ${name}`);
    if (sorted.length > shownMax) console.log(`       and ${sorted.length - shownMax} more`);
  }
}

const tables = {
  properties: new Table("properties that decide what is seen"),
  forms: new Table("properties with the forms of their values"),
  conditions: new Table("conditions and other at-rules"),
  attributes: new Table("attributes"),
  elements: new Table("elements"),
};
function countDeclaration(property: string, value: readonly CssToken[]): void {
  tables.properties.add(property);
  for (const token of value) {
    const form = formOf(token);
    if (form !== undefined) tables.forms.add(`${property}: ${form}`);
  }
}

function surveyStyle(html: string): void {
  const tree = parseHtml(html, createWorkMeter());
  const { styles } = surveyTree(tree.root);
  for (const rule of parseStyleSheets(styles).rules)
    for (const { property, value } of rule.declarations) countDeclaration(property, value);
  for (const { text } of styles)
    for (const [condition] of text.matchAll(/@[-\w]+[^;{}]{0,80}/g)) tables.conditions.add(condition.trim());
  const walk = (node: HtmlNode): void => {
    if (node.kind !== "element") return;
    countElement(node);
    node.children.forEach(walk);
  };
  walk(tree.root);
}

function countElement(element: HtmlElement): void {
  if (element.name !== "") tables.elements.add(element.name);
  for (const { name } of element.attributes) tables.attributes.add(`${element.name} ${name}`);
  const style = attributeOf(element, "style");
  if (style === undefined) return;
  for (const { property, value } of parseStyleAttribute(style).declarations)
    countDeclaration(property, value);
}

/** Parts that are told by name in each folder: those with the most words in doubt. */
const worstMax = 12;
const seen = new Set<string>();

function pagesOf(folder: string): { readonly name: string; readonly html: string }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => {
    const kind = path.extname(name).toLowerCase();
    if (kind === ".html" || kind === ".htm")
      return [{ name, html: readFileSync(path.join(folder, name), "utf8") }];
    return kind === ".eml"
      ? htmlOf(readFileSync(path.join(folder, name))).map((html) => ({ name, html }))
      : [];
  });
}

function tellFolder(folder: string): void {
  const words = { given: 0, hidden: 0, doubtful: 0 };
  const causes = new Map<string, number>();
  const worst: { readonly name: string; readonly doubtful: number; readonly all: number }[] = [];
  let parts = 0;
  let overLimit = 0;
  for (const { name, html } of pagesOf(folder)) {
    if (seen.has(html)) continue;
    seen.add(html);
    try {
      const found = visibleWords(html);
      if (!isOfWords) surveyStyle(html);
      parts++;
      let doubtful = 0;
      for (const [cause, count] of found.doubtful) {
        causes.set(cause, (causes.get(cause) ?? 0) + count);
        doubtful += count;
      }
      words.given += found.given;
      words.hidden += found.hidden;
      words.doubtful += doubtful;
      if (doubtful > 0) worst.push({ name, doubtful, all: found.given + doubtful });
    } catch (error) {
      if (!(error instanceof OverBudget)) throw error;
      overLimit++;
    }
    for (const table of Object.values(tables)) table.endPart();
  }
  const told = words.given + words.doubtful;
  const lost = worst.filter(({ doubtful, all }) => doubtful >= all / 2).length;
  console.log(
    `\n${folder}: ${parts} different parts, ${overLimit} over the limit; ${words.given} words given, ${words.hidden} hidden, ` +
      `${words.doubtful} in doubt (${((100 * words.doubtful) / Math.max(1, told)).toFixed(2)} %) in ${worst.length} parts, ${lost} of them lost`,
  );
  for (const [cause, count] of causes) console.log(`${String(count).padStart(6)} ${cause}`);
  for (const { name, doubtful, all } of worst
    .toSorted((one, other) => other.doubtful - one.doubtful)
    .slice(0, worstMax))
    console.log(`       ${doubtful} of ${all}: ${name}`);
}

if (folders.length === 0) console.log("npm run survey:html [-- --words] FOLDER…");
folders.forEach(tellFolder);
if (!isOfWords) for (const table of Object.values(tables)) table.print();
