/** Where text of a Word document stands that is not in its lines: in text boxes (DrawingML, and VML of old programs), in frames. No page is
 *  laid out: a box is asked whether it surely holds its text, on the page. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import type { Unseen } from "./docx-letters.ts";
import { isDrawing, type ThemeColours, themeColour } from "./docx-theme.ts";
import { attributeValue, hexOf, isTrue, numberOf } from "./docx-xml.ts";

/** English Metric Units of a point. */
const emuPerPoint = 12_700;
/** Points from the edges of a page in which a box surely stands on it. */
const acrossMost = 500;
const downMost = 700;
const backMost = 72;
/** Points. */
const boxWidthLeast = 36;
const boxHeightLeast = 12;
/** The place of a letter, in ems of its size: more than usual fonts need. */
const letterWidth = 0.6;
const lineHeight = 1.4;
/** Thousandths of a per cent of the page. */
const shareLeast = 5000;
/** Points between the edge of a box and its text. */
const insetMost = 36;
const numberLengthMax = 40;
/** Square points: a picture before the text that covers more than a signature does, and a box with a text of its own. */
const coverMost = 10_000;
const textCoverMost = 60_000;

interface Box {
  doubt: Doubt | undefined;
  isHidden: boolean;
  /** All that it may be. */
  paper: readonly string[];
  isFilled: boolean;
  /** The shape says itself what it is filled with. */
  isFillSaid: boolean;
  hasColour: boolean;
  width: number;
  height: number;
  /** Square points of the letters so far. */
  used: number;
  holdsText: boolean;
  /** It stands before the text, and does not push it aside. */
  isBefore: boolean;
  isPainted: boolean;
  hadText: boolean;
}

/** What fills a shape. */
const fills: ReadonlySet<string> = new Set([
  "noFill",
  "solidFill",
  "gradFill",
  "blipFill",
  "pattFill",
  "grpFill",
]);

/** Points of a unit of length of VML. */
const pointsOfUnit: Readonly<Record<string, number>> = {
  pt: 1,
  in: 72,
  cm: 72 / 2.54,
  mm: 72 / 25.4,
  px: 0.75,
  pc: 12,
};

export class DocumentPlaces {
  readonly #theme: ThemeColours;
  readonly #boxes: Box[] = [];
  /** Names of the elements inside of the shape's own properties. */
  readonly #inside: string[] = [];
  #axis = "";
  #numbers = "";
  /** Text of such an element so far. */
  #number = "";
  /** Something may cover text anywhere on a page, or moves text that was read before. */
  isUnclear = false;

  constructor(theme: ThemeColours) {
    this.#theme = theme;
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
        });
        return;
      case "shape":
      case "rect":
      case "roundrect":
      case "pict":
        // Of VML, places and sizes are style.
        if (tag.uri !== "urn:schemas-microsoft-com:vml") break;
        this.#boxes.push(unknownBox());
        if (mayCover(tag)) this.isUnclear = true;
        return;
      case "positionH":
      case "positionV":
        this.#axis = local;
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
    const box = this.#boxes.at(-1);
    if (box === undefined || box.holdsText) return;
    this.#noteShape(box, tag);
  }

  #noteShape(box: Box, tag: SaxesTagNS): void {
    const { local } = tag;
    if (local === "docPr" && isTrue(attributeValue(tag, "hidden"))) box.isHidden = true;
    else if (local === "pctPosHOffset" || local === "pctPosVOffset") box.doubt ??= "may-be-off-screen";
    else if (local === "wrapNone") box.isBefore = box.doubt === undefined;
    else if (local === "pic" || local === "blip") box.isPainted = true;
    else if (local === "ext" && this.#isOf("xfrm") && numberOf(tag, "cx") !== undefined) {
      box.width = Math.min(box.width, (numberOf(tag, "cx") ?? 0) / emuPerPoint);
      box.height = Math.min(box.height, (numberOf(tag, "cy") ?? 0) / emuPerPoint);
    } else if (this.#isOf("fontRef") && !["dk1", "tx1"].includes(attributeValue(tag, "val")))
      // The colour of letters that say none.
      box.doubt ??= "colours-may-match";
    else if (local === "extent") {
      box.width = (numberOf(tag, "cx") ?? 0) / emuPerPoint;
      box.height = (numberOf(tag, "cy") ?? 0) / emuPerPoint;
    } else if (local === "wgp" || local === "wpc") box.doubt ??= "may-be-cut-off";
    else if (local === "fillRef" && attributeValue(tag, "idx") !== "0" && !box.isFillSaid) {
      // A style of the theme fills the shape.
      box.doubt ??= "colours-may-match";
      box.isPainted = true;
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
    if (isDoubtful) box.doubt ??= "colours-may-match";
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
      const most = this.#axis === "positionH" ? acrossMost : downMost;
      if (!(points >= -backMost && points <= most)) box.doubt ??= "may-be-off-screen";
    } else if (number !== 0 && !(number >= shareLeast)) box.doubt ??= "may-be-cut-off";
  }

  close(name: string): void {
    this.#inside.pop();
    if (name === this.#numbers) {
      this.#noteNumber();
      this.#numbers = "";
    } else if (name === "inline" || name === "anchor") {
      const box = this.#boxes.pop();
      if (box?.isBefore !== true || !box.isPainted) return;
      if (box.width * box.height > (box.hadText ? textCoverMost : coverMost)) this.isUnclear = true;
    } else if (
      /^(?:shape|rect|roundrect|pict)$/.test(name) &&
      this.#boxes.at(-1)?.doubt === "element-not-understood"
    )
      this.#boxes.pop();
  }

  beginBoxText(): void {
    const box = this.#boxes.at(-1);
    if (box !== undefined) Object.assign(box, { holdsText: true, hadText: true });
    else this.#boxes.push({ ...unknownBox(), holdsText: true });
  }

  endBoxText(): void {
    const box = this.#boxes.at(-1);
    if (box !== undefined) box.holdsText = false;
  }

  /** Of this text, in half points. */
  unseen(text: string, halfPoints: number): Unseen | undefined {
    for (const box of this.#boxes) {
      if (!box.holdsText) continue;
      if (box.isHidden) return "hidden-element";
      if (box.doubt !== undefined) return { why: box.doubt };
      if (box.width < boxWidthLeast || box.height < boxHeightLeast) return { why: "may-be-cut-off" };
      const size = halfPoints / 2;
      box.used += text.length * size * letterWidth * size * lineHeight;
      if (box.used > box.width * box.height) return { why: "may-be-cut-off" };
    }
    return undefined;
  }
}

function unknownBox(): Box {
  return {
    doubt: "element-not-understood",
    isHidden: false,
    paper: [],
    isFilled: false,
    isFillSaid: false,
    hasColour: false,
    width: 0,
    height: 0,
    used: 0,
    holdsText: false,
    isBefore: false,
    isPainted: false,
    hadText: false,
  };
}

function doubtOfAnchor(tag: SaxesTagNS): Doubt | undefined {
  if (isTrue(attributeValue(tag, "behindDoc"))) return "may-be-covered";
  return isTrue(attributeValue(tag, "simplePos")) ? "may-be-off-screen" : undefined;
}

/** Of VML: whether a shape stands before the text and is large, or of a size that is not known. */
function mayCover(tag: SaxesTagNS): boolean {
  if (["f", "false", "0"].includes(attributeValue(tag, "filled"))) return false;
  const pairs = attributeValue(tag, "style").slice(0, 4096).split(";");
  const said = new Map(pairs.map((one) => one.split(":").map((part) => part.trim()) as [string, string]));
  if (said.get("position") !== "absolute" || said.get("z-index")?.startsWith("-") === true) return false;
  const points = (name: string): number => {
    const [, number, unit = ""] =
      /^(\d{1,9}(?:\.\d{1,20})?|\.\d{1,20})([a-z]{2})$/.exec(said.get(name) ?? "") ?? [];
    return Object.hasOwn(pointsOfUnit, unit)
      ? Number(number) * pointsOfUnit[unit]!
      : Number.POSITIVE_INFINITY;
  };
  return !(points("width") * points("height") <= coverMost);
}
