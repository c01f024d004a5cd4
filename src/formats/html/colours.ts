/** The colours that may be behind letters: the backgrounds of the boxes around, those of a formatting context, and shadows. */
import { type Colour, colourOf, over, transparent } from "#/src/formats/css/colour.ts";
import { shadowsOf } from "#/src/formats/css/shadows.ts";
import { wordOf } from "#/src/formats/css/value-forms.ts";
import { type Backdrops, type Background, backdropsOf, ownColours } from "./backdrops.ts";
import type { Box } from "./box.ts";
import type { Letters, Style } from "./computed-style.ts";
import { coloursMax, isDistinct, union } from "./contrast.ts";
import type { Context, Flaw } from "./part.ts";
import type { HtmlElement } from "./tree.ts";
import type { Values } from "./values.ts";

export type Behind = Backdrops & {
  /** The background covers everything behind it. */
  readonly isOpaque: boolean;
};

export function behindOf(
  element: HtmlElement,
  values: Values,
  letters: Letters,
  box: Box,
  parent: Style,
  { isQuirky, isOfCanvas }: { readonly isQuirky: boolean; readonly isOfCanvas: boolean },
): Behind {
  const own = ownColours.get(element.name);
  const shade = values.get("background-color");
  const isShowing = letters.isVisible && box.display !== "contents";
  const colour =
    shade === undefined
      ? own !== undefined && !values.isInitial("background-color")
        ? own.background
        : transparent
      : (colourOf(shade, letters.colour, isQuirky) ?? transparent);
  const isPlaced =
    !["", "auto", "cover"].includes(wordIn(values, "background-size", "0")) ||
    ["background-repeat", "background-position", "background-position-x", "background-position-y"].some(
      (one) => !["", "repeat"].includes(wordIn(values, one)),
    );
  const background: Background = {
    colour: isShowing ? colour : transparent,
    image: isShowing ? values.get("background-image") : undefined,
    isOnLetters: values.word("background-clip") === "text",
    isPlaced,
  };
  const shift = values.get("vertical-align");
  const found = backdropsOf(background, parent, {
    isInline: box.isInline,
    // A box that does not stay in the box around may have any background of those around behind it.
    isFloating: box.isFloat || element.name === "legend" || box.display === "table-caption",
    isRaised: shift !== undefined ? wordOf(shift) !== "baseline" : /^(?:sub|sup|rt|ruby)$/.test(element.name),
    isRoot: element.name === "html" || element.name === "body",
    current: letters.colour,
    fontSize: letters.fontSize,
  });
  const isOpaque = background.colour[3] >= 1 && !background.isOnLetters;
  const isPlain = isOpaque && ["", "none"].includes(wordIn(values, "background-image"));
  // What leaves the box has the same colour behind it.
  const isAll = isOfCanvas && isPlain && !values.isUnsure("background-color");
  return { ...found, isOpaque, ...(isAll ? { around: found.backdrops } : {}) };
}

/** The word of a value, "" for none or zero, "?" for more. */
function wordIn(values: Values, name: string, zero = ""): string {
  const value = values.get(name);
  if (value === undefined) return "";
  const [token] = value;
  if (value.length === 1 && token?.type === "number" && token.number === 0) return zero;
  return wordOf(value) || "?";
}

/** Adds the background of a box to its context, and to those around. */
export function addColours(context: Context, colours: readonly Colour[]): void {
  const added = (known: readonly Colour[] | undefined): readonly Colour[] | undefined => {
    const all = known === undefined ? undefined : union(known, colours);
    return all === undefined || all.length > coloursMax ? undefined : all;
  };
  context.colours = added(context.colours);
  for (let at: Context | undefined = context; at !== undefined; at = at.around) at.all = added(at.all);
}

/** Something of a colour that is not known is painted in the context: what is pulled up may lie on it, and what floats, on a background. */
export function doubtColours(context: Context, isBackground: boolean): void {
  if (isBackground) context.colours = undefined;
  for (let at: Context | undefined = context; at !== undefined; at = at.around) at.all = undefined;
}

/** H18: a shadow mixes its colour into what is behind letters. */
const shadowsMost = 4;
const insetOpacityMost = 0.3;
const atomOpacityMost = 0.6;
/** Shadows that reach no further than this from a box with text meet only on its sides. */
const sideReach = 8;
/** A box of a line. */
const lineHigh = 6.5;

interface Cast {
  readonly colour: Colour;
  readonly reach: number;
  /** How far the dark part reaches. */
  readonly core: number;
  times: number;
  /** It is painted over the letters before. */
  readonly isOver: boolean;
}

/** The shadows of all boxes of a page. */
export class Shadows {
  readonly #casts = new Map<string, Cast>();

  /** Adds the shadows of a box of that height, 0 if another one is around; answers what of them is not on the list. `isOver`: it is
   *  an atom, or stands in one. */
  add(values: Values, letters: Letters, box: Box, high: number, isOver: boolean): Flaw | undefined {
    const value = values.get("box-shadow");
    const shadows = value === undefined ? [] : (shadowsOf(value, letters.colour, letters.fontSize) ?? []);
    const shown = shadows.filter(({ colour }) => colour[3] > 0);
    if (shown.length === 0) return undefined;
    const isAtom = box.display.startsWith("inline") || box.isFloat || box.position !== "";
    const flaw: Flaw = { reach: "page", why: "may-be-covered", px: 0 };
    if (shown.length > shadowsMost || box.isInline) return flaw;
    for (const { colour, x, y, blur, spread, isInset } of shown) {
      const side = Math.max(Math.abs(x), Math.abs(y)) + Math.max(0, spread);
      const reach = side + blur;
      if (isInset && colour[3] > insetOpacityMost) return flaw;
      if (isOver && colour[3] > atomOpacityMost) return flaw;
      // Narrow boxes may stand in a row, with all their shadows at one place.
      const wide = (box.width?.px ?? 0) + box.minWidth + box.padding.left + box.padding.right;
      const isApart = reach <= sideReach && (isAtom ? wide >= 2 * sideReach : high >= lineHigh);
      const key = `${colour} ${isApart} ${isOver}`;
      const cast = this.#casts.get(key) ?? { colour, reach, core: side + blur / 2, times: 0, isOver };
      const times = isApart ? Math.min(2, cast.times + 1) : cast.times + 1;
      this.#casts.set(key, {
        colour,
        reach: Math.max(reach, cast.reach),
        core: Math.max(cast.core, side + blur / 2),
        times,
        isOver: cast.isOver,
      });
    }
    return undefined;
  }

  /** Whether shadows over the letters and over what is behind them leave the difference between both. */
  leaveLetters({ fill, colour: ink, backdrops }: Style): boolean {
    const letter = fill ?? ink;
    const casts = [...this.#casts.values()].filter(({ isOver }) => isOver);
    // All may lie at one place.
    const most = 1 - casts.reduce((left, { colour, times }) => left * (1 - colour[3]) ** times, 1);
    return casts.every(({ colour }) => {
      const shade: Colour = [colour[0], colour[1], colour[2], 1];
      return backdrops.every((behind) =>
        isDistinct(over(shade, over(letter, behind), most), over(shade, behind, most)),
      );
    });
  }

  get isEmpty(): boolean {
    return this.#casts.size === 0;
  }

  /** The colours that may be behind letters, with every shadow mixed in; undefined if there are too many. */
  over(backdrops: readonly Colour[], { fontSize, lineHeight }: Style): readonly Colour[] | undefined {
    let all = backdrops;
    for (const { colour, core, times, reach } of this.#casts.values()) {
      // It stays in the space between the lines.
      if (reach <= sideReach && core <= Math.max(0, lineHeight - fontSize) / 2 + fontSize / 4) continue;
      const most = 1 - (1 - colour[3]) ** times;
      const shade: Colour = [colour[0], colour[1], colour[2], 1];
      const before = all;
      for (let step = 1; step <= 4; step++)
        all = union(
          all,
          before.map((below) => over(shade, below, (most * step) / 4)),
        );
      if (all.length > 4 * coloursMax) return undefined;
    }
    return all;
  }
}
