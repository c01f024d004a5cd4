/** About where on the page a text stands: lines and columns are estimated from the number of letters. It is enough to tell
 *  that something lies far outside of a box that cuts off what does not fit. */
import type { Style } from "./computed-style.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";

/** Estimates may be too high by so much before anything is said to be outside. */
const sureShare = 0.7;
const letterWidth = 0.5;

interface OpenBox {
  readonly top: number;
  readonly style: Style;
  /** Of a row: the lowest end of the cells so far. */
  lowest: number;
}

export interface Flow {
  /** From the top of the page, in pixels. */
  readonly y: number;
  open(element: HtmlElement, style: Style): void;
  picture(image: HtmlElement): void;
  close(element: HtmlElement, style: Style): void;
  /** Whether the text begins where a box around it has cut everything off. */
  isCutOff(style: Style): boolean;
  text(text: string, style: Style): void;
}

export function createFlow(): Flow {
  let y = 0;
  let x = 0;
  const boxes: OpenBox[] = [];
  const cutting: OpenBox[] = [];

  const endLine = (style: Style): void => {
    if (x > 0) y += style.lineHeight;
    x = 0;
  };

  return {
    get y() {
      return y;
    },
    open(element, style) {
      if (element.name === "br") {
        y += style.lineHeight;
        x = 0;
        return;
      }
      const box = { top: y, style, lowest: y };
      if (!isInline(style)) {
        endLine(style);
        y += style.above;
      }
      boxes.push(box);
      if (style.cutsHeight) cutting.push({ top: y, style, lowest: y });
    },
    picture(image) {
      y += pixels(attributeOf(image, "height"));
    },
    close(element, style) {
      if (element.name === "br") return;
      const box = boxes.pop();
      if (box === undefined) return;
      if (style.cutsHeight) cutting.pop();
      if (isInline(style)) return;
      endLine(style);
      y += style.below;
      if (style.height !== undefined)
        y = style.cutsHeight ? box.top + style.height : Math.max(y, box.top + style.height);
      if (style.display === "table-row" || style.display.includes("flex")) y = Math.max(y, box.lowest);
      const around = boxes.at(-1);
      if (around !== undefined && isBeside(style, around.style)) {
        around.lowest = Math.max(around.lowest, y);
        y = box.top;
      }
    },
    isCutOff(style) {
      const isAcross =
        style.clipsX &&
        style.whiteSpace === "nowrap" &&
        (x + Math.max(0, style.dx)) * sureShare > style.width;
      return (
        isAcross ||
        cutting.some((box) => (y - box.top) * sureShare > box.style.height! + style.lineHeight / 2)
      );
    },
    text(text, style) {
      x += text.replace(/\s+/g, " ").length * style.fontSize * letterWidth;
      if (style.whiteSpace === "nowrap") return;
      const width = Math.max(style.fontSize, style.width);
      y += Math.floor(x / width) * style.lineHeight;
      x %= width;
    },
  };
}

function isInline({ display }: Style): boolean {
  return display === "inline" || display === "contents";
}

/** Cells of a row, items of a flex box, boxes in a line: the next one begins as high. */
function isBeside({ display }: Style, around: Style): boolean {
  return (
    display === "table-cell" ||
    display.startsWith("inline-") ||
    around.display.includes("flex") ||
    around.display.includes("grid")
  );
}

function pixels(text: string | undefined): number {
  const size = Number.parseInt(text ?? "", 10);
  return size > 0 && size < 5000 ? size : 0;
}
