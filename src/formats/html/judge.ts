/** The judgement of a page: which of its text is proven visible, which is surely hidden, and what is in doubt, and why. The page is
 *  built, every flaw dooms what it reaches, and the colours are compared last, when those of every formatting context are known. */
import { asciiTrim } from "#/src/formats/css/ascii-case.ts";
import type { Colour } from "#/src/formats/css/colour.ts";
import type { Difference } from "#/src/model/differences.ts";
import type { Doubt, Removal } from "#/src/model/removal.ts";
import type { Cascade } from "./cascade.ts";
import { Shadows } from "./colours.ts";
import type { Style } from "./computed-style.ts";
import { type Clarity, clarityOf, coloursMax, union } from "./contrast.ts";
import { differencesOf } from "./differs.ts";
import { judgeFits } from "./fits.ts";
import { isDefaultFont } from "./fonts.ts";
import type { PictureSizes } from "./held-pictures.ts";
import { judgeLetters } from "./legible.ts";
import { type Note, notesOf } from "./notes.ts";
import { buildPage } from "./page.ts";
import { type Context, isWithin, type Part } from "./part.ts";
import { applyFlaws, createReaches } from "./reach.ts";
import type { HtmlElement, HtmlText } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

/** Why a text is left out; undefined if it is proven visible. */
export type Verdict = Removal | { readonly why: Doubt } | undefined;

export interface Judgement {
  styleOf(element: HtmlElement): { readonly style: Style } | undefined;
  /** Elements whose whole content is doubtful, with the reason. */
  doubtOf(element: HtmlElement): Doubt | undefined;
  verdictOf(text: HtmlText): Verdict;
  /** Whether the text is in a place where browsers render content. */
  wasJudged(text: HtmlText): boolean;
  /** What is seen of the element and is no text, if its box is. */
  notesOf(element: HtmlElement): readonly Note[];
  /** The reason why all text of the page is doubtful. */
  readonly pageDoubt: Doubt | undefined;
  differences(): readonly Difference[];
}

export interface JudgeOptions {
  readonly cascade: Cascade;
  readonly meter: WorkMeter;
  readonly isUnclear: boolean;
  readonly hasRemoteSheet: boolean;
  readonly pictures: PictureSizes;
}

/** What the letters of a part have to differ from besides what is behind them. */
interface Exposed {
  readonly colours: readonly Colour[] | undefined;
  readonly borders: number;
  /** Boxes that lie over it, where they are not around it. */
  readonly stacked: readonly (readonly Part[])[];
}

export function judgePage(
  root: HtmlElement,
  { cascade, meter, isUnclear, hasRemoteSheet, pictures }: JudgeOptions,
): Judgement {
  let pageDoubt: Doubt | undefined =
    isUnclear || cascade.sheets.isUnclear || [...cascade.sheets.ownFonts].some(isDefaultFont)
      ? "whole-document"
      : undefined;
  const doubtPage = (why: Doubt): void => {
    pageDoubt ??= why;
  };
  const shadows = new Shadows();
  const page = buildPage(root, { cascade, meter, shadows, pictures, doubtPage });
  const reaches = createReaches(meter, doubtPage);
  judgeFits(page.root, { cascade, valuesOf: page.valuesOf, reaches });
  applyFlaws(page.root, reaches);
  const verdicts = new Map<HtmlText, Verdict>();
  const notes = new Map<HtmlElement, readonly Note[]>();
  const clarities = new Map<Style, Clarity>();

  const visit = (part: Part, doubt: Doubt | undefined, exposed: Exposed | undefined): void => {
    meter.spend(2);
    const own = doubt ?? part.doom;
    if (part.text !== undefined) {
      verdicts.set(
        part.text,
        judgeText(part, part.text.text, own, part.isOut ? widened(part, exposed) : exposed),
      );
      return;
    }
    const next = exposedIn(part, exposed);
    const values = page.valuesOf.get(part);
    if (own === undefined && values !== undefined) {
      const inLine = part.isOut ? widened(part, exposed) : next;
      const seen = notesOf(part, values.declared, cascade).filter(
        ({ words, style }) => judgeText({ ...part, style }, words, own, inLine) === undefined,
      );
      if (seen.length > 0) notes.set(part.element!, seen);
    }
    for (const child of part.children) visit(child, own, next);
  };

  /** H4: what may leave the background of its box has more colours behind it. */
  function exposedIn(part: Part, exposed: Exposed | undefined): Exposed | undefined {
    const { box } = part;
    const isLoose =
      box.isFloat ||
      part.isOut ||
      part.isMoved ||
      box.display === "table-caption" ||
      part.element?.name === "legend" ||
      (box.height !== undefined && !/^table|inline$/.test(box.display) && part.hasText);
    const next = isLoose ? widened(part, exposed) : exposed;
    // The background of a box that grows is behind all of its content.
    const isCovering =
      part.isOpaque &&
      !box.isInline &&
      !part.isOut &&
      box.height === undefined &&
      box.maxHeight === undefined;
    // But what is positioned lies over it, too.
    return isCovering && next !== undefined ? { colours: [], borders: 0, stacked: next.stacked } : next;
  }

  /** With all colours of the contexts around, and of the boxes around. */
  function widened(part: Part, exposed: Exposed | undefined): Exposed {
    let colours: readonly Colour[] | undefined = union(part.style.around, exposed?.colours ?? []);
    let borders = 0;
    const isPulled = part.box.margin.top < 0 || part.isPulled;
    // What is wider than its box leaves it to the right, where nothing of its context stands (F3).
    const isOver = part.box.isFloat || isPulled || part.box.display === "table-caption";
    const { context } = part;
    const over = isPulled ? [context.allStacked] : isOver ? [context.stacked] : [];
    for (let at: Context | undefined = context; at !== undefined; at = at.around) {
      const added: readonly Colour[] | undefined = isPulled ? at.all : at.colours;
      colours = colours === undefined || added === undefined ? undefined : union(colours, added);
      borders = Math.max(borders, at.borders);
      meter.spend((colours?.length ?? 0) >> 2);
    }
    if (colours !== undefined && colours.length > coloursMax) colours = undefined;
    return { colours, borders, stacked: [...over, ...(exposed?.stacked ?? [])] };
  }

  function judgeText(
    part: Part,
    text: string,
    doubt: Doubt | undefined,
    exposed: Exposed | undefined,
  ): Verdict {
    const { style } = part;
    if (style.hidden !== undefined) return style.hidden;
    if (!style.isVisible || style.isMasked) return "hidden-by-style";
    const letters = judgeLetters(style, asciiTrim(text));
    if (typeof letters === "string") return letters;
    const clarity = clarityIn(style);
    const isAnyDoubt = doubt ?? pageDoubt;
    if (clarity === "none" && isAnyDoubt === undefined && exposed === undefined && shadows.isEmpty)
      return "invisible-colour";
    if (doubt !== undefined) return { why: doubt };
    if (letters !== undefined) return letters;
    if (clarity !== "clear") return { why: "colours-may-match" };
    if (exposed !== undefined && !isClearOf(part, exposed)) return { why: "colours-may-match" };
    if (
      style.shownThrough !== undefined &&
      (exposed !== undefined || style.textIndent !== 0 || part.parent?.box.isInline)
    )
      return { why: "colours-may-match" };
    return undefined;
  }

  function isClearOf(part: Part, { colours, borders, stacked }: Exposed): boolean {
    const { style } = part;
    if (colours === undefined || borders >= style.fontSize / 2) return false;
    meter.spend(colours.length);
    if (clarityOf(style, colours) !== "clear") return false;
    const isOn = (at: Part, box: Part): boolean => {
      meter.spend(1);
      return at === box;
    };
    return stacked.every((list) => list.every((box) => isWithin(part, (at) => isOn(at, box))));
  }

  /** Texts of elements with the same style share one style object. */
  function clarityIn(style: Style): Clarity {
    let found = clarities.get(style);
    if (found === undefined) {
      const behind = shadows.isEmpty ? style.backdrops : shadows.over(style.backdrops, style);
      meter.spend((behind?.length ?? 0) * (style.shownThrough?.length ?? 1) * style.under.length);
      found = clarityOf(style);
      if (found !== "none" && behind !== style.backdrops)
        found =
          behind !== undefined && clarityOf(style, behind) === "clear" && found === "clear"
            ? "clear"
            : "unclear";
      if (found === "clear" && !shadows.leaveLetters(style)) found = "unclear";
      clarities.set(style, found);
    }
    return found;
  }

  visit(page.root, undefined, undefined);
  return {
    styleOf: (element) => {
      const style = page.styles.get(element);
      return style && { style };
    },
    doubtOf: (element) => page.parts.get(element)?.doom,
    verdictOf: (text) => verdicts.get(text),
    notesOf: (element) => notes.get(element) ?? [],
    wasJudged: (text) => verdicts.has(text),
    pageDoubt,
    differences: () =>
      differencesOf(page, {
        cascade,
        pictures,
        hasRemoteSheet,
        isGiven: (text) => pageDoubt === undefined && verdicts.has(text) && verdicts.get(text) === undefined,
        notesOf: (element) => (pageDoubt === undefined ? (notes.get(element) ?? []) : []),
      }),
  };
}
