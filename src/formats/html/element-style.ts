/** The style of an element, its box and what is behind it, from its values and the style of its parent. */
import { numberOf } from "#/src/formats/css/length.ts";
import { type Box, boxOf } from "./box.ts";
import type { Cascade, DeclaredStyle, StyleDoubt } from "./cascade.ts";
import { type Behind, behindOf } from "./colours.ts";
import type { Letters, Style } from "./computed-style.ts";
import { hiddenOf } from "./hidden.ts";
import { lettersOf } from "./letters.ts";
import type { Part } from "./part.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";
import type { Values } from "./values.ts";

export interface Made {
  readonly letters: Letters;
  readonly box: Box;
  readonly behind: Behind;
  readonly style: Style;
  /** What the letters leave unclear. */
  readonly unclear: readonly StyleDoubt[];
}

interface ElementStyleOptions {
  readonly cascade: Cascade;
  readonly valuesOf: ReadonlyMap<Part, Values>;
}

type MadeOf = (
  element: HtmlElement,
  declared: DeclaredStyle,
  values: Values,
  display: string,
  parent: Part,
) => Made;

/** The function that finds what is made of an element. */
export function elementStyles({ cascade, valuesOf }: ElementStyleOptions): MadeOf {
  const made = new Map<Style, Map<string, Made>>();

  /** Children of one parent with the same name and declarations share one style. */
  function madeOf(
    element: HtmlElement,
    declared: DeclaredStyle,
    values: Values,
    display: string,
    parentPart: Part,
  ): Made {
    const { style: parent } = parentPart;
    const isLink = element.name === "a" && attributeOf(element, "href") !== undefined;
    const key = `${display} ${element.name}${isLink ? "@" : ""} ${declared.id} ${element.parent?.name} ${element.namespace}`;
    const known = made.get(parent)?.get(key);
    if (known !== undefined) {
      values.unclear.push(...known.unclear);
      return known;
    }
    const before = values.unclear.length;
    const isInline = display === "inline";
    const letters = lettersOf(element, values, parent, { isQuirky: cascade.isQuirky });
    const box = boxOf(element, values, letters, display, cascade.isQuirky);
    const isOfCanvas = givesCanvas(element, values, display, parentPart);
    const behind = behindOf(element, values, letters, box, parent, {
      isQuirky: cascade.isQuirky,
      isOfCanvas,
    });
    const own = values.isUnsure("opacity") ? 1 : opacityOf(values);
    const opacity = parent.opacity * own;
    const style: Style = {
      ...letters,
      display,
      opacity,
      under: own >= 1 || parent.opacity < 1 ? parent.under : parent.backdrops,
      backdrops: behind.backdrops,
      around: behind.around,
      lineBackground: behind.lineBackground,
      shownThrough: behind.shownThrough,
      above: isInline ? 0 : Math.max(0, box.margin.top) + box.padding.top + box.border.top,
      below: isInline ? 0 : Math.max(0, box.margin.bottom) + box.padding.bottom + box.border.bottom,
      variables: values.variables,
      values: values.known,
      hidden: hiddenOf(element, values, box, letters, parent, opacity),
    };
    const one = { letters, box, behind, style, unclear: values.unclear.slice(before) };
    const all = made.get(parent);
    if (all === undefined) made.set(parent, new Map([[key, one]]));
    else all.set(key, one);
    return one;
  }

  /** Whether the canvas gets the background of the body: `html` has none, and none of both is contained (css-backgrounds-3 section 2.11.2). */
  function givesCanvas({ name }: HtmlElement, values: Values, display: string, parent: Part): boolean {
    const isBody = name === "body" && parent.element?.name === "html" && !parent.paints;
    if (!isBody || display !== "block" || parent.box.display !== "block") return false;
    return [values, valuesOf.get(parent)].every(
      (one) => one?.unclear.length === 0 && !one.has("content-visibility"),
    );
  }

  return madeOf;
}

export function opacityOf(values: Values): number {
  return Math.max(0, Math.min(1, numberOf(values.get("opacity") ?? [], 1) ?? 1));
}
