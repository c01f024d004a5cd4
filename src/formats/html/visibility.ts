/** Whether a run of text is seen where it stands, and if not, why. */
import { isDistinct, over, white } from "#/src/formats/css/colour.ts";
import { viewport } from "#/src/formats/css/media.ts";
import type { Removal } from "#/src/model/removal.ts";
import type { Style } from "./computed-style.ts";

/** Pixels; nobody reads smaller letters. */
const fontSizeMin = 4;
/** A line as high as this shows nothing of its letters where what does not fit is cut off. */
const lineHeightMin = 3;
/** Below this nothing is far enough off to be sure of, where it is not known where the text would be. */
const surelyMoved = 300;
/** Part of a text that may look into the window and still say nothing. */
const partUnseen = 0.8;
const farBelow = 5000;
const opacityMin = 0.1;

/** `aboveIt`: how far down the text is at least. */
export function removalOf(style: Style, text: string, aboveIt: number): Removal | undefined {
  if (style.hidden !== undefined) return style.hidden;
  if (!style.isVisible || style.isMasked || style.opacity < opacityMin) return "hidden-by-style";
  if (style.fontSize * style.scale < fontSizeMin) return "zero-size-text";
  if (style.clipsLines && style.lineHeight < lineHeightMin) return "zero-size-text";
  if (style.letterSpacing <= -0.45 * style.fontSize && text.length > 1) return "zero-size-text";
  if (isOffScreen(style, text, aboveIt)) return "off-screen";
  return isInvisible(style) ? "invisible-colour" : undefined;
}

function isOffScreen(style: Style, text: string, aboveIt: number): boolean {
  const { dx, dy, textIndent } = style;
  if (dx === 0 && dy === 0 && textIndent === 0) return false;
  const length = text.length * style.fontSize * 0.5;
  const width = Math.min(length, style.width);
  if (dx >= viewport.width || dx <= -viewport.width) return true;
  if ((style.isExactX || dx <= -surelyMoved) && dx + width <= width * (1 - partUnseen)) return true;
  const height = Math.max(1, Math.ceil(length / Math.max(1, style.width))) * style.lineHeight;
  if (dy >= farBelow) return true;
  const top = style.isExactY ? dy : dy <= -surelyMoved ? aboveIt + dy : 0;
  if (top + height <= height * (1 - partUnseen)) return true;
  if (textIndent <= -100 && -textIndent >= Math.min(length, viewport.width) * partUnseen) return true;
  const isNarrow = style.clipsX && (style.whiteSpace === "nowrap" || style.whiteSpace === "pre");
  return textIndent >= (isNarrow ? style.width : viewport.width) * 0.95 && style.clipsX;
}

function isInvisible(style: Style): boolean {
  const { colour, opacity } = style;
  return !style.backdrops.some((backdrop) => {
    const shown = over(colour, backdrop);
    if (opacity >= 1) return isDistinct(shown, backdrop);
    return isDistinct(over(shown, white, opacity), over(backdrop, white, opacity));
  });
}
