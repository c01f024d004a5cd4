/** A survey of the HTML in folders of mails (`.eml`). Prints how many parts use each property, value form, condition, selector,
 *  attribute and element, and how many words are given, hidden or in doubt, by cause. Run: npm run survey:html FOLDER… */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseStyleAttribute, parseStyleSheets } from "#/src/formats/css/stylesheet.ts";
import type { CssToken } from "#/src/formats/css/tokens.ts";
import { createCascade } from "#/src/formats/html/cascade.ts";
import { noPictures } from "#/src/formats/html/held-pictures.ts";
import { judgePage } from "#/src/formats/html/judge.ts";
import { surveyTree } from "#/src/formats/html/survey.ts";
import { attributeOf, type HtmlElement, type HtmlNode, parseHtml } from "#/src/formats/html/tree.ts";
import { createWorkMeter, OverBudget } from "#/src/formats/html/work-meter.ts";
import type { Doubt } from "#/src/model/removal.ts";
import { htmlOf } from "#/test/support/corpus.ts";

const folders = process.argv.slice(2);
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
const words = { given: 0, hidden: 0, doubtful: 0 };
const causes = new Map<Doubt, number>();
let parts = 0;
let inDoubt = 0;
let overLimit = 0;

function countDeclaration(property: string, value: readonly CssToken[]): void {
  tables.properties.add(property);
  for (const token of value) {
    const form = formOf(token);
    if (form !== undefined) tables.forms.add(`${property}: ${form}`);
  }
}

function survey(html: string): void {
  parts++;
  const meter = createWorkMeter();
  const tree = parseHtml(html, meter);
  const { styles, isUnclear } = surveyTree(tree.root);
  for (const rule of parseStyleSheets(styles).rules)
    for (const { property, value } of rule.declarations) countDeclaration(property, value);
  for (const { text } of styles)
    for (const [condition] of text.matchAll(/@[-\w]+[^;{}]{0,80}/g)) tables.conditions.add(condition.trim());
  const cascade = createCascade(tree, styles, meter);
  const judgement = judgePage(tree.root, { cascade, meter, isUnclear, pictures: noPictures });
  const before = words.doubtful;
  const walk = (node: HtmlNode, around: Doubt | undefined): void => {
    if (node.kind === "element") {
      countElement(node);
      for (const child of node.children) walk(child, around ?? judgement.doubtOf(node));
    } else if (node.kind === "text" && judgement.wasJudged(node)) {
      const count = node.text.split(/\s+/).filter((word) => word !== "").length;
      const verdict = judgement.verdictOf(node);
      const why = around ?? (typeof verdict === "object" ? verdict.why : undefined);
      if (typeof verdict === "string") words.hidden += count;
      else if (why === undefined) words.given += count;
      else {
        words.doubtful += count;
        causes.set(why, (causes.get(why) ?? 0) + count);
      }
    }
  };
  walk(tree.root, judgement.pageDoubt);
  if (words.doubtful > before) inDoubt++;
}

function countElement(element: HtmlElement): void {
  if (element.name !== "") tables.elements.add(element.name);
  for (const { name } of element.attributes) tables.attributes.add(`${element.name} ${name}`);
  const style = attributeOf(element, "style");
  if (style === undefined) return;
  for (const { property, value } of parseStyleAttribute(style).declarations)
    countDeclaration(property, value);
}

const seen = new Set<string>();
for (const folder of folders)
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".eml"),
  ))
    for (const html of htmlOf(readFileSync(path.join(folder, file)))) {
      if (seen.has(html)) continue;
      seen.add(html);
      try {
        survey(html);
      } catch (error) {
        if (!(error instanceof OverBudget)) throw error;
        overLimit++;
      }
      for (const table of Object.values(tables)) table.endPart();
    }
if (folders.length === 0) console.log("npm run survey:html FOLDER…");
else {
  for (const table of Object.values(tables)) table.print();
  const told = words.given + words.doubtful;
  console.log(
    `\n${parts} different parts, ${overLimit} over the limit; ${words.given} words given, ${words.hidden} hidden, ` +
      `${words.doubtful} in doubt (${((100 * words.doubtful) / Math.max(1, told)).toFixed(3)} %) in ${inDoubt} parts`,
  );
  for (const [cause, count] of causes) console.log(`${String(count).padStart(6)} ${cause}`);
}
