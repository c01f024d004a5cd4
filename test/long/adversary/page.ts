/** A page as a tree that can be written as HTML and made smaller. Each word of a marked sentence is one letter and four digits. In
 *  common fonts all digits have the same width, so that other digits change pixels but no positions. */
export interface Mark {
  readonly kind: "mark";
  /** The number of the sentence. */
  readonly mark: number;
  readonly words: number;
}

export interface Raw {
  readonly kind: "raw";
  readonly html: string;
}

export interface Box {
  readonly kind: "box";
  readonly tag: string;
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly style: readonly (readonly [property: string, value: string])[];
  readonly children: readonly PageNode[];
}

export type PageNode = Mark | Raw | Box;

export interface Rule {
  /** The at-rules around it, for example `@media screen`. */
  readonly within: readonly string[];
  readonly selector: string;
  readonly style: readonly (readonly [property: string, value: string])[];
}

export interface Page {
  readonly doctype: string;
  /** Elements of the head before the rules. */
  readonly head: readonly string[];
  readonly rules: readonly (Rule | string)[];
  readonly body: Box;
}

/** The most sentences in one page, and the most words in one sentence. */
export const marksMax = 12;
export const wordsMax = 16;

const digits = "23456780";
/** For each digit the digit that looks least like it. */
const swapped: Readonly<Record<string, string>> = {
  2: "7",
  7: "2",
  3: "4",
  4: "3",
  5: "0",
  0: "5",
  6: "8",
  8: "6",
};

export function otherDigits(text: string): string {
  return text.replace(/\d/g, (digit) => swapped[digit]!);
}

export function wordsOf({ mark, words }: Mark): string[] {
  return Array.from({ length: words }, (_, at) => {
    const number = 600 + (mark * wordsMax + at) * 17;
    return `x${[9, 6, 3, 0].map((bits) => digits[(number >> bits) & 7]).join("")}`;
  });
}

const voidTags = new Set([
  "br",
  "hr",
  "img",
  "input",
  "col",
  "wbr",
  "area",
  "base",
  "link",
  "meta",
  "embed",
  "source",
  "param",
]);

/** Writes the page. The sentences in `others` get other digits. */
export function writePage({ doctype, head, rules, body }: Page, others: readonly number[] = []): string {
  const sheet = rules.length === 0 ? "" : `<style>${rules.map(writeRule).join("\n")}</style>`;
  return `${doctype}${head.join("")}${sheet}${writeNode(body, others)}`;
}

function writeRule(rule: Rule | string): string {
  if (typeof rule === "string") return rule;
  const inner = `${rule.selector}{${writeStyle(rule.style)}}`;
  return rule.within.reduceRight((text, prelude) => `${prelude}{${text}}`, inner);
}

function writeStyle(style: Rule["style"]): string {
  return style.map(([property, value]) => `${property}:${value}`).join(";");
}

function writeNode(node: PageNode, others: readonly number[]): string {
  if (node.kind === "raw") return node.html;
  if (node.kind === "mark") {
    const text = wordsOf(node).join(" ");
    return others.includes(node.mark) ? otherDigits(text) : text;
  }
  const attributes = [
    ...node.attributes,
    ...(node.style.length === 0 ? [] : [["style", writeStyle(node.style)] as const]),
  ].map(([name, value]) =>
    value === "" ? ` ${name}` : ` ${name}="${value.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"`,
  );
  const inner = node.children.map((child) => writeNode(child, others)).join("");
  return `<${node.tag}${attributes.join("")}>${voidTags.has(node.tag) ? "" : `${inner}</${node.tag}>`}`;
}

export function marksOf(page: Page): Mark[] {
  const within = (node: PageNode): Mark[] =>
    node.kind === "mark" ? [node] : node.kind === "box" ? node.children.flatMap(within) : [];
  return within(page.body);
}

/** All pages with one part less than this one, larger cuts first. */
export function* smallerPages(page: Page): Generator<Page> {
  for (const body of smallerBoxes(page.body)) yield { ...page, body };
  for (const [at, rule] of page.rules.entries()) {
    yield { ...page, rules: page.rules.toSpliced(at, 1) };
    if (typeof rule === "string") continue;
    for (const style of without(rule.style))
      yield { ...page, rules: page.rules.with(at, { ...rule, style }) };
    for (const within of without(rule.within))
      yield { ...page, rules: page.rules.with(at, { ...rule, within }) };
  }
  for (const head of without(page.head)) yield { ...page, head };
}

function* smallerBoxes(box: Box): Generator<Box> {
  for (const [at, child] of box.children.entries()) {
    yield { ...box, children: box.children.toSpliced(at, 1) };
    if (child.kind === "mark" && child.words > 1)
      for (const words of [1, Math.ceil(child.words / 2)])
        if (words < child.words) yield { ...box, children: box.children.with(at, { ...child, words }) };
    if (child.kind !== "box") continue;
    yield { ...box, children: box.children.toSpliced(at, 1, ...child.children) };
    for (const smaller of smallerBoxes(child)) yield { ...box, children: box.children.with(at, smaller) };
  }
  for (const style of without(box.style)) yield { ...box, style };
  for (const attributes of without(box.attributes)) yield { ...box, attributes };
}

function* without<T>(list: readonly T[]): Generator<T[]> {
  for (const at of list.keys()) yield list.toSpliced(at, 1);
}
