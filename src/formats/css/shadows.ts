/** The shadows of `box-shadow` and `text-shadow`. */
import { type Colour, colourOf } from "./colour.ts";
import { lengthOf } from "./length.ts";
import { splitByComma } from "./tokens.ts";
import { componentsOf, type Value, wordOf } from "./value-forms.ts";

/** One shadow of a box or of letters. Lengths are in pixels. */
export interface Shadow {
  readonly colour: Colour;
  readonly x: number;
  readonly y: number;
  readonly blur: number;
  readonly spread: number;
  readonly isInset: boolean;
}

/** The shadows of `box-shadow` or `text-shadow`, none for `none`; undefined for a list that is not understood. `current`: the
 *  colour of the letters, which a shadow without a colour has. */
export function shadowsOf(value: Value, current: Colour, fontSize = 16): readonly Shadow[] | undefined {
  if (wordOf(value) === "none") return [];
  const shadows: Shadow[] = [];
  for (const one of splitByComma(value)) {
    let colour: Colour | undefined;
    let isInset = false;
    const lengths: number[] = [];
    let kinds = "";
    for (const part of componentsOf(one)) {
      const shade = colourOf(part, current, false);
      const length = lengthOf(part, { fontSize, lineHeight: 20, whole: Number.NaN, isQuirky: false });
      const isOther = shade !== undefined || wordOf(part) === "inset";
      kinds += isOther ? "other " : "length ";
      if (shade !== undefined && colour === undefined) colour = shade;
      else if (wordOf(part) === "inset" && !isInset) isInset = true;
      else if (length === undefined || !Number.isFinite(length)) return undefined;
      else lengths.push(length);
    }
    // Browsers drop lengths that stand apart.
    if (kinds.includes("length other length")) return undefined;
    const [x, y, blur = 0, spread = 0] = lengths;
    if (x === undefined || y === undefined || lengths.length > 4 || blur < 0) return undefined;
    shadows.push({ colour: colour ?? current, x, y, blur, spread, isInset });
  }
  return shadows;
}
