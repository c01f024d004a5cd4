/** Where text of a Word document stands that is not in its lines: in text boxes (DrawingML, and VML of old programs), in frames. No page is
 *  laid out: a box is asked whether it surely holds its text, on the page. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import { acrossMost, type Box, backMost, downMost, unknownBox } from "./docx-boxes.ts";
import type { Cover, Ground, Rect } from "./docx-covers.ts";
import type { DocumentFlow } from "./docx-flow.ts";
import type { Unseen } from "./docx-letters.ts";
import type { LineForm, Lines } from "./docx-lines.ts";
import { isKnownInBox, OldBoxes } from "./docx-old-boxes.ts";
import { coverOf, isOldDrawing, isPlainPaint, isUnfilled, oldPaints, oldShapes } from "./docx-old-shapes.ts";
import { isDrawing, type ThemeColours, themeColour } from "./docx-theme.ts";
import { attributeValue, hexOf, isTrue, numberOf } from "./docx-xml.ts";

/** English Metric Units of a point. */
const emuPerPoint = 12_700;
/** Points. */
const boxWidthLeast = 36;
const boxHeightLeast = 12;
/** Points that text may stand over the edge of a box. */
const overhang = 4;
/** Thousandths of a per cent of the page. */
const shareLeast = 5000;
/** Points between the edge of a box and its text. */
const insetMost = 36;
const numberLengthMax = 40;

/** What fills a shape. */
const fills: ReadonlySet<string> = new Set([
  "noFill",
  "solidFill",
  "gradFill",
  "blipFill",
  "pattFill",
  "grpFill",
]);

/** What is painted around a shape; English Metric Units of its length, and of an edge, and thousandths of a per cent, that reach far. */
const effects: ReadonlySet<string> = new Set(["outerShdw", "prstShdw", "glow", "reflection"]);
const effectMost = 20 * emuPerPoint;
const lineMost = 6 * emuPerPoint;
const scaleMost = 120_000;

/** What is painted by other programs than Word: charts, diagrams, ink. */
const others: ReadonlySet<string> = new Set("chart relIds contentPart lockedCanvas graphicFrame".split(" "));

export class DocumentPlaces {
  readonly #theme: ThemeColours;
  readonly #boxes: Box[] = [];
  /** Names of the elements inside of the shape's own properties. */
  readonly #inside: string[] = [];
  #axis = "";
  #numbers = "";
  /** Text of such an element so far. */
  #number = "";
  /** Something moves text that was read before. */
  isUnclear = false;
  readonly #flow: DocumentFlow;
  readonly #oldBoxes = new OldBoxes();
  #standing = 0;
  /** The last old shape. */
  #old: { readonly cover: Cover; isPainted: boolean } | undefined;

  constructor(theme: ThemeColours, flow: DocumentFlow) {
    this.#theme = theme;
    this.#flow = flow;
  }

  /** What is behind the letters of the box in which the reader is. */
  get paper(): readonly string[] | undefined {
    const box = this.#boxes.findLast(({ holdsText }) => holdsText);
    return box?.isFilled === true ? box.paper : undefined;
  }

  open(tag: SaxesTagNS): void {
    const { local } = tag;
    this.#inside.push(local);
    switch (local) {
      case "inline":
      case "anchor":
        this.#boxes.push({
          ...unknownBox(),
          doubt: doubtOfAnchor(tag),
          isHidden: isTrue(attributeValue(tag, "hidden")),
          isAnchored: local === "anchor",
          isBehind: isTrue(attributeValue(tag, "behindDoc")),
        });
        return;
      case "positionH":
      case "positionV":
        this.#axis = local;
        this.#noteOrigin(tag);
        return;
      case "posOffset":
      case "pctWidth":
      case "pctHeight":
        this.#numbers = local;
        this.#number = "";
        return;
      case "bodyPr":
        // Behind the text.
        if (
          ["lIns", "tIns", "rIns", "bIns"].some(
            (side) => (numberOf(tag, side) ?? 0) > insetMost * emuPerPoint,
          )
        )
          this.isUnclear = true;
        return;
    }
    if (isOldDrawing(tag)) {
      this.#oldBoxes.open(tag);
      const isInside = this.#boxes.length > 0;
      this.#paintOld(tag);
      if (oldShapes.has(local)) {
        this.#boxes.push(this.#oldBoxes.boxOf(tag, this.#old?.cover, isInside));
        return;
      }
    }
    const box = this.#boxes.at(-1);
    if (box === undefined || box.holdsText) return;
    if (box.isOld) {
      if (!isKnownInBox(tag)) box.doubt ??= "element-not-understood";
      return;
    }
    this.#noteShape(box, tag);
  }

  #paintOld(tag: SaxesTagNS): void {
    const { local } = tag;
    const box = this.#boxes.at(-1);
    // Of a plain box it is known what it is filled with.
    if (local === "textbox" && box?.isOld === true && box.doubt === undefined && isKnownInBox(tag)) return;
    if (oldPaints.has(local) || local === "textbox") {
      if (this.#old !== undefined && !isPlainPaint(tag))
        this.#flow.cover({ ...this.#old.cover, ground: "any" });
      else if (this.#old?.isPainted === false) this.#flow.cover(this.#old.cover);
      if (this.#old !== undefined) this.#old.isPainted = true;
      return;
    }
    const cover = coverOf(tag);
    if (cover === undefined && !oldShapes.has(local) && local !== "shapetype") return;
    if (cover === undefined && local !== "shapetype") this.#stand(Number.POSITIVE_INFINITY);
    this.#old = cover && { cover, isPainted: !isUnfilled(tag) };
    if (cover !== undefined && !isUnfilled(tag)) this.#flow.cover(cover);
  }

  #noteOrigin(tag: SaxesTagNS): void {
    const box = this.#boxes.at(-1);
    const from = attributeValue(tag, "relativeFrom");
    if (box === undefined) return;
    if (tag.local === "positionH") box.acrossFrom = from;
    else box.downFrom = from;
  }

  #noteShape(box: Box, tag: SaxesTagNS): void {
    const { local } = tag;
    if (local === "docPr" && isTrue(attributeValue(tag, "hidden"))) box.isHidden = true;
    else if (local === "pctPosHOffset" || local === "pctPosVOffset") box.doubt ??= "may-be-off-screen";
    else if (local === "rect" && this.#isOf("custGeom")) {
      // Where the text of a drawn outline stands.
      if (["l", "t", "r", "b"].some((side) => attributeValue(tag, side) !== side))
        box.doubt ??= "may-be-cut-off";
    } else if (local === "wrapSquare" || local === "wrapTopAndBottom") box.isAside = true;
    else if (local === "pic" || local === "blip") paintUnclearly(box);
    else if (local === "xfrm" && (numberOf(tag, "rot") ?? 0) !== 0) box.isTurned = true;
    else if (local === "ext" && this.#isOf("xfrm") && numberOf(tag, "cx") !== undefined) {
      const [width, height] = sizeOf(tag);
      box.width = Math.min(box.width, width);
      box.height = Math.min(box.height, height);
      noteSize(box, width, height);
    } else if (local === "ln" && this.#isOf("spPr") && (numberOf(tag, "w") ?? 0) > lineMost) {
      paintUnclearly(box);
      box.isTurned = true;
    } else if (effects.has(local)) {
      box.isFar ||= isFarEffect(tag);
      box.isColourful = true;
    } else if (this.#isOf("fontRef") && !["dk1", "tx1"].includes(attributeValue(tag, "val")))
      // The colour of letters that say none.
      box.doubt ??= "colours-may-match";
    else if (local === "extent") {
      [box.width, box.height] = sizeOf(tag);
      noteSize(box, box.width, box.height);
    } else if (local === "wgp" || local === "wpc") {
      box.doubt ??= "may-be-cut-off";
      paintUnclearly(box);
    } else if (others.has(local)) paintUnclearly(box);
    else if (local === "fillRef" && attributeValue(tag, "idx") !== "0" && !box.isFillSaid) {
      // A style of the theme fills the shape.
      box.doubt ??= "colours-may-match";
      paintUnclearly(box);
    } else this.#noteFill(box, tag);
  }

  /** What the shape itself is filled with: `spPr`, in it a fill, in it a colour. Shadows, edges and extensions have colours of their own. */
  #noteFill(box: Box, tag: SaxesTagNS): void {
    const [first, second, third] = this.#inside.slice(-4, -1).toReversed();
    const isAlternative = tag.local === "AlternateContent" && this.#isOf("spPr");
    let isDoubtful = isAlternative || (second === "solidFill" && third === "spPr");
    if (first === "spPr" && fills.has(tag.local)) {
      const isPlain = tag.local === "solidFill" || tag.local === "noFill";
      isDoubtful = box.isFillSaid || !isPlain || !isDrawing(tag) || !["wsp", "pic"].includes(second ?? "");
      box.isFillSaid = true;
      if (tag.local !== "noFill") {
        box.isFilled = true;
        box.isPainted = true;
        // Until a colour is said.
        box.paper = ["000000", "ffffff"];
      }
    } else if (first === "solidFill" && second === "spPr") {
      const colour = isDrawing(tag) ? this.#colourOf(tag) : undefined;
      isDoubtful = box.hasColour || colour === undefined;
      box.hasColour = true;
      if (colour !== undefined) box.paper = [colour];
    }
    if (!isDoubtful) return;
    box.doubt ??= "colours-may-match";
    box.isColourful = true;
  }

  #colourOf(tag: SaxesTagNS): string | undefined {
    const value = attributeValue(tag, "val");
    if (tag.local === "srgbClr") return hexOf(value) || undefined;
    return tag.local === "schemeClr" ? themeColour(this.#theme, value, "", "") : undefined;
  }

  #isOf(name: string): boolean {
    return this.#inside.includes(name);
  }

  /** A piece of text between tags that is no text of the document: places of boxes. */
  number(text: string): void {
    if (this.#numbers !== "") this.#number = (this.#number + text).slice(0, numberLengthMax);
  }

  #noteNumber(): void {
    const number = /^\s*-?\d+\s*$/.test(this.#number) ? Number.parseInt(this.#number, 10) : Number.NaN;
    const box = this.#boxes.at(-1);
    if (box === undefined) return;
    if (this.#numbers === "posOffset") {
      const points = number / emuPerPoint;
      if (this.#axis === "positionH") box.left = points;
      else box.top = points;
      const most = this.#axis === "positionH" ? acrossMost : downMost;
      if (!(points >= -backMost && points <= most)) box.doubt ??= "may-be-off-screen";
    } else if (number !== 0) {
      box.isFar = true;
      if (!(number >= shareLeast)) box.doubt ??= "may-be-cut-off";
    }
  }

  close(name: string): void {
    this.#inside.pop();
    if (name === this.#numbers) {
      this.#noteNumber();
      this.#numbers = "";
    } else if (name === "inline" || name === "anchor") {
      const box = this.#boxes.pop();
      // It stands in a line.
      if (box?.isAnchored === false) this.#stand(box.tall || Number.POSITIVE_INFINITY);
      if (box?.isAnchored !== true || !box.isPainted || box.isHidden) return;
      const area = box.isFar ? Number.POSITIVE_INFINITY : box.wide * box.tall || Number.POSITIVE_INFINITY;
      const { isBehind } = box;
      this.#flow.cover({
        isBehind,
        ground: groundOf(box),
        rect: rectOf(box),
        area,
        isAside: box.isAside,
        boxes: box.boxes,
      });
    } else if (oldShapes.has(name) && this.#boxes.at(-1)?.isOld === true) {
      const box = this.#boxes.pop()!;
      const { isBehind, isAside, boxes, wide, tall } = box;
      // By letters with a ground of their own.
      if (box.isPainted)
        this.#flow.cover({ isBehind, ground: "any", rect: rectOf(box), area: wide * tall, isAside, boxes });
    } else this.#oldBoxes.close(name);
  }

  #stand(tall: number): void {
    this.#flow.height += tall;
    this.#standing = Math.max(this.#standing, tall);
  }

  beginBoxText(): void {
    if (this.#boxes.length === 0) this.#boxes.push(unknownBox());
    const box = this.#boxes.at(-1)!;
    box.holdsText = true;
    box.boxes.push(this.#flow.beginBox(rectOf(box), box.wide, box.tall));
  }

  endBoxText(): void {
    const box = this.#boxes.at(-1);
    if (box !== undefined) box.holdsText = false;
    this.#flow.endBox();
  }

  /** Letters of the nearest text box are painted. `colours`: of those that letters over them may not differ from. `isGround`: they paint over
   *  what is behind them. */
  paint(colours: readonly string[], isGround: boolean): void {
    const box = this.#boxes.findLast(({ holdsText }) => holdsText);
    if (box === undefined) return;
    if (isGround) paintUnclearly(box);
    else if (box.isBehind && colours.length > 0) box.isPainted = true;
    for (const colour of colours) box.inks.add(colour);
  }

  /** The lines of the nearest text box, and how wide they are. */
  get lines(): { readonly lines: Lines; readonly width: number } | undefined {
    return this.#boxes.findLast(({ holdsText }) => holdsText);
  }

  /** The height of a shape that has been read and stands in a line, once. */
  takeStanding(): number {
    const tall = this.#standing;
    this.#standing = 0;
    return tall;
  }

  /** Of text in such a line. */
  unseen(form: LineForm): Unseen | undefined {
    for (const box of this.#boxes) {
      if (!box.holdsText) continue;
      if (box.isHidden) return "hidden-element";
      if (box.doubt !== undefined) return { why: box.doubt };
      if (box.width < boxWidthLeast || box.height < boxHeightLeast) return { why: "may-be-cut-off" };
      if (box.lines.bottom(box.width, form) > box.height + overhang) return { why: "may-be-cut-off" };
    }
    return undefined;
  }
}

function sizeOf(tag: SaxesTagNS): [width: number, height: number] {
  return [(numberOf(tag, "cx") ?? 0) / emuPerPoint, (numberOf(tag, "cy") ?? 0) / emuPerPoint];
}

function noteSize(box: Box, width: number, height: number): void {
  box.wide = Math.max(box.wide, width);
  box.tall = Math.max(box.tall, height);
}

/** A shadow or a light that is scaled, or far from its shape. */
function isFarEffect(tag: SaxesTagNS): boolean {
  return (
    ["sx", "sy"].some((side) => Math.abs(numberOf(tag, side) ?? 100_000) > scaleMost) ||
    ["dist", "rad", "blurRad"].some((length) => (numberOf(tag, length) ?? 0) > effectMost)
  );
}

function paintUnclearly(box: Box): void {
  box.isPainted = true;
  box.isColourful = true;
}

function groundOf({ isColourful, isFilled, hasColour, paper, inks }: Box): Ground {
  return isColourful || (isFilled && !hasColour) ? "any" : [...paper, ...inks];
}

/** undefined if it is not said where it stands. */
function rectOf({ left, top, wide, tall, isTurned, isFar, acrossFrom, downFrom }: Box): Rect | undefined {
  if (isFar || left === undefined || top === undefined || !(wide > 0 && tall > 0)) return undefined;
  const more = isTurned ? Math.max(wide, tall) : 0;
  return {
    left: left - more,
    top: top - more,
    right: left + wide + more,
    bottom: top + tall + more,
    acrossFrom,
    downFrom,
  };
}

function doubtOfAnchor(tag: SaxesTagNS): Doubt | undefined {
  if (isTrue(attributeValue(tag, "behindDoc"))) return "may-be-covered";
  return isTrue(attributeValue(tag, "simplePos")) ? "may-be-off-screen" : undefined;
}
