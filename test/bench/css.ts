/** Why the server parses CSS with its own code (decision 9 of `src/formats/README.md`). Compares it with css-tree: the time to read
 *  the style of a newsletter, and what both say about values that only some browsers know. A renderer must tell three kinds of
 *  values apart: understood, dropped by every browser, and unknown. Run: npm run bench:css */
import { type CssDeclaration, type CssNode, lexer, parse, walk } from "css-tree";
import { expand, unknownInside } from "#/src/formats/css/properties.ts";
import { unknownValue } from "#/src/formats/css/shorthands.ts";
import { type Declaration, parseStyleAttribute, parseStyleSheets } from "#/src/formats/css/stylesheet.ts";
import { surveyTree } from "#/src/formats/html/survey.ts";
import { attributeOf, type HtmlNode, parseHtml } from "#/src/formats/html/tree.ts";
import { createWorkMeter } from "#/src/formats/html/work-meter.ts";
import { newsletterHtml } from "./newsletter.ts";

const rounds = 40;
const tree = parseHtml(newsletterHtml(57 * 1024, 0, 120), createWorkMeter());
const { styles } = surveyTree(tree.root);
/** A set, because equal attributes are read once. */
const attributes = new Set<string>();
const collect = (node: HtmlNode): void => {
  if (node.kind !== "element") return;
  const style = attributeOf(node, "style");
  if (style !== undefined) attributes.add(style);
  for (const child of node.children) collect(child);
};
collect(tree.root);

function readOwn(): number {
  let declarations = 0;
  const readAll = (list: readonly Declaration[]): void => {
    for (const { property, value } of list) {
      declarations++;
      expand(property, value, tree.isQuirky);
    }
  };
  for (const rule of parseStyleSheets(styles).rules) readAll(rule.declarations);
  for (const attribute of attributes) readAll(parseStyleAttribute(attribute).declarations);
  return declarations;
}

function readTheirs(): number {
  let declarations = 0;
  const readAll = (root: CssNode): void =>
    walk(root, {
      visit: "Declaration",
      enter({ property, value }: CssDeclaration) {
        declarations++;
        lexer.matchProperty(property, value);
      },
    });
  for (const { text } of styles) readAll(parse(text));
  for (const attribute of attributes) readAll(parse(attribute, { context: "declarationList" }));
  return declarations;
}

function parseTheirs(): number {
  for (const { text } of styles) parse(text);
  for (const attribute of attributes) parse(attribute, { context: "declarationList" });
  return attributes.size;
}

for (const [title, run] of [
  ["own: rules, and the three readings of each value that may apply", readOwn],
  ["css-tree: rules alone", parseTheirs],
  ["css-tree: rules, and each value against its grammar", readTheirs],
] as const) {
  for (let round = 0; round < rounds / 2; round++) run();
  const begun = process.threadCpuUsage();
  for (let round = 0; round < rounds; round++) run();
  const { user, system } = process.threadCpuUsage(begun);
  console.log(
    `${title.padEnd(66)} ${((user + system) / 1000 / rounds).toFixed(2).padStart(8)} ms of a processor`,
  );
}

/** Values, and whether any browser may know each of them, today or later. */
const cases: readonly (readonly [property: string, value: string, mayBeKnown: boolean])[] = [
  ["color", "#fff", true],
  ["color", "bogus", false],
  ["outline", "none none", false],
  ["display", "grid-lanes", true],
  ["display", "env(x, none)", true],
  ["opacity", "if(media(width > 1px): 0; else: 1)", true],
  ["color", "contrast-color(black)", true],
  ["color", "-moz-field", true],
  ["width", "calc-size(auto, size)", true],
  ["font-size", "--of-the-author(16px)", true],
  ["font-size", "16 px", false],
];
const own = (property: string, value: string): string => {
  const [declaration] = parseStyleAttribute(`${property}:${value}`).declarations;
  if (declaration === undefined) return "dropped";
  const read = expand(property, declaration.value, false);
  if (read.length === 0) return "dropped";
  return read.some((one) => one.value === unknownValue || one.value === unknownInside)
    ? "unknown"
    : "understood";
};
/** The parser of css-tree throws at functions whose syntax it does not know. */
const theirs = (property: string, value: string): string => {
  try {
    return lexer.matchProperty(property, parse(value, { context: "value" })).error === null
      ? "valid"
      : "invalid";
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return "invalid";
  }
};
console.log(`\n${"value".padEnd(48)} ${"own".padEnd(12)} css-tree`);
for (const [property, value, mayBeKnown] of cases)
  console.log(
    `${`${property}: ${value}`.padEnd(48)} ${own(property, value).padEnd(12)} ${theirs(property, value)}${
      mayBeKnown && theirs(property, value) === "invalid" ? ", as what no browser knows" : ""
    }`,
  );
