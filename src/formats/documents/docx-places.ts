/** Where text of a Word document stands that is not in its lines: in text boxes (DrawingML, and VML of old programs), in frames, and in
 *  alternatives of which a program shows one (ECMA-376 part 3, section 10.2). No page is laid out: a box is asked whether it surely
 *  holds its text, on the page. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import type { Unseen } from "./docx-letters.ts";
import { type ThemeColours, themeColour } from "./docx-theme.ts";
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
/** Square points: a picture before the text that covers more than a signature does, and a box with a text of its own. */
const coverMost = 10_000;
const textCoverMost = 60_000;

interface Box {
  doubt: Doubt | undefined;
  isHidden: boolean;
  /** All that it may be. */
  paper: readonly string[];
  isFilled: boolean;
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

interface Alternatives {
  wasTaken: boolean;
  isTaken: boolean;
  isUnknown: boolean;
}

/** Words of newer programs that Word knows since 2013. */
const known: ReadonlySet<string> = new Set(
  [
    "word/2010/wordml",
    "word/2010/wordprocessingShape",
    "word/2010/wordprocessingGroup",
    "word/2010/wordprocessingCanvas",
    "word/2010/wordprocessingDrawing",
    "word/2012/wordml",
    "drawing/2010/main",
  ].map((name) => `http://schemas.microsoft.com/office/${name}`),
);

export class DocumentPlaces {
  readonly #theme: ThemeColours;
  readonly #boxes: Box[] = [];
  readonly #alternatives: Alternatives[] = [];
  /** Names of the elements inside of the shape's own properties. */
  readonly #inside: string[] = [];
  #axis = "";
  #numbers = "";
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

  open(tag: SaxesTagNS, resolve: (prefix: string) => string | undefined): void {
    const { local } = tag;
    this.#inside.push(local);
    switch (local) {
      case "AlternateContent":
        this.#alternatives.push({ wasTaken: false, isTaken: true, isUnknown: false });
        return;
      case "Choice": {
        const all = this.#alternatives.at(-1);
        if (all === undefined) return;
        const needed = attributeValue(tag, "Requires").split(/\s+/).filter(Boolean);
        const isKnown = needed.length > 0 && needed.every((prefix) => known.has(resolve(prefix) ?? ""));
        all.isTaken = !all.wasTaken;
        if (!all.wasTaken) all.isUnknown = !isKnown;
        all.wasTaken ||= isKnown;
        return;
      }
      case "Fallback": {
        const all = this.#alternatives.at(-1);
        if (all === undefined) return;
        all.isTaken = !all.wasTaken;
        all.isUnknown = all.isTaken && all.isUnknown;
        return;
      }
      case "inline":
      case "anchor":
        this.#boxes.push({
          doubt: doubtOfAnchor(tag),
          isHidden: isTrue(attributeValue(tag, "hidden")),
          paper: [],
          isFilled: false,
          width: 0,
          height: 0,
          used: 0,
          holdsText: false,
          isBefore: false,
          isPainted: false,
          hadText: false,
        });
        return;
      case "shape":
      case "rect":
      case "roundrect":
      case "pict":
        // Of VML, places and sizes are style.
        if (tag.uri !== "urn:schemas-microsoft-com:vml") break;
        this.#boxes.push(unknownBox());
        if (this.#isTaken() && mayCover(tag)) this.isUnclear = true;
        return;
      case "positionH":
      case "positionV":
        this.#axis = local;
        return;
      case "posOffset":
      case "pctWidth":
      case "pctHeight":
        this.#numbers = local;
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
    else if (this.#isOf("spPr") && !this.#isOf("ln")) {
      if (local === "gradFill" || local === "blipFill" || local === "pattFill") {
        box.doubt ??= "colours-may-match";
        box.isPainted = true;
      } else if (local === "alpha") box.doubt ??= "colours-may-match";
      else if (local === "srgbClr" || local === "schemeClr") {
        const value = attributeValue(tag, "val");
        const colour = local === "srgbClr" ? hexOf(value) : themeColour(this.#theme, value, "", "");
        if (colour) box.paper = [colour];
        else box.doubt ??= "colours-may-match";
        box.isFilled = true;
        box.isPainted = true;
      } else if (/^(?:lumMod|lumOff|tint|shade|satMod|sysClr|prstClr|hslClr)$/.test(local))
        box.doubt ??= "colours-may-match";
    } else if (local === "fillRef" && attributeValue(tag, "idx") !== "0" && !box.isFilled) {
      // A style of the theme fills the shape.
      box.doubt ??= "colours-may-match";
      box.isPainted = true;
    }
  }

  #isTaken(): boolean {
    return this.#alternatives.every(({ isTaken }) => isTaken);
  }

  #isOf(name: string): boolean {
    return this.#inside.includes(name);
  }

  /** Text between tags that is no text of the document: places of boxes. */
  number(text: string): void {
    if (this.#numbers === "pctWidth" || this.#numbers === "pctHeight") {
      const share = Number.parseFloat(text);
      const one = this.#boxes.at(-1);
      if (one !== undefined && share !== 0 && !(share >= shareLeast)) one.doubt ??= "may-be-cut-off";
      return;
    }
    if (this.#numbers !== "posOffset") return;
    const points = Number.parseFloat(text) / emuPerPoint;
    const box = this.#boxes.at(-1);
    const most = this.#axis === "positionH" ? acrossMost : downMost;
    if (box !== undefined && !(points >= -backMost && points <= most)) box.doubt ??= "may-be-off-screen";
  }

  close(name: string): void {
    this.#inside.pop();
    if (name === this.#numbers) this.#numbers = "";
    else if (name === "AlternateContent") this.#alternatives.pop();
    else if (name === "inline" || name === "anchor") {
      const box = this.#boxes.pop();
      if (box?.isBefore !== true || !box.isPainted || !this.#isTaken()) return;
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
    const all = this.#alternatives.find(({ isTaken }) => !isTaken);
    if (all !== undefined) return "hidden-element";
    if (this.#alternatives.some(({ isUnknown }) => isUnknown)) return { why: "element-not-understood" };
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
    const value = said.get(name) ?? "";
    return value.endsWith("pt") ? Number.parseFloat(value) : Number.POSITIVE_INFINITY;
  };
  return !(points("width") * points("height") <= coverMost);
}
