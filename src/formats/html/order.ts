/** Whether words are drawn in another order than the text has them (UAX #9, Unicode Bidirectional Algorithm). */
import { attributeOf, type HtmlElement } from "./tree.ts";
import type { Values } from "./values.ts";

/** Overrides: the letters after them stand in the order that they say. */
const overrides = /[\u202d\u202e]/;
/** Embeddings and isolates from the right: words of letters from the left stand in another order in them. */
const turns = /[\u202b\u2067]/;
const fromRight = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

export function turnsOrder(text: string): boolean {
  return overrides.test(text) || (turns.test(text) && !fromRight.test(text));
}

/** Whether the words of the element are one piece in the order of those around. */
export function standsApart(element: HtmlElement, values: Values): boolean {
  const isSaid = element.name === "bdi" || attributeOf(element, "dir") !== undefined;
  return isSaid || /^(?:embed|isolate|plaintext)$/.test(values.word("unicode-bidi"));
}

export function isReadFromRight(text: string): boolean {
  return fromRight.test(text);
}
