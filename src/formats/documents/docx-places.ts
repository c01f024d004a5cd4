/** Where text of a Word document stands that is not in its lines: in text boxes (DrawingML, and VML of old programs), in frames, and in
 *  alternatives of which a program shows one (ECMA-376 part 3, section 10.2). No page is laid out: a box is asked whether it surely
 *  holds its text, on the page. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import type { Unseen } from "./docx-letters.ts";
import { attributeValue, hexOf, numberOf } from "./docx-style.ts";
import { type ThemeColours, themeColour } from "./docx-theme.ts";

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
/** Twentieths of a point. */
const frameAcrossMost = 9000;
const frameDownMost = 14_000;
const frameBackMost = 1440;
const frameWidthLeast = 600;
const frameHeightLeast = 240;

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
}

interface Alternatives {
  wasTaken: boolean;
  isTaken: boolean;
  isUnknown: boolean;
}

/** Words of newer programs that Word has long known. */
const knownNamespace = /^http:\/\/schemas\.microsoft\.com\/office\/(?:word|drawing)\/20\d\d\//;

export class DocumentPlaces {
  readonly #theme: ThemeColours;
  readonly #boxes: Box[] = [];
  readonly #alternatives: Alternatives[] = [];
  #frame: Doubt | undefined;
  /** Names of the elements inside of the shape's own properties. */
  readonly #inside: string[] = [];
  #axis = "";
  #numbers = "";

  constructor(theme: ThemeColours) {
    this.#theme = theme;
  }

  /** What is behind the letters of the box in which the reader is. */
  get paper(): readonly string[] | undefined {
    const box = this.#boxes.findLast(({ holdsText }) => holdsText);
    return box?.isFilled === true ? box.paper : undefined;
  }

  beginParagraph(): void {
    this.#frame = undefined;
  }

  /** `framePr` (section 17.3.1.11). */
  frame(tag: SaxesTagNS): void {
    const [x = 0, y = 0] = [numberOf(tag, "x"), numberOf(tag, "y")];
    const [width, height] = [numberOf(tag, "w"), numberOf(tag, "h")];
    const isExact = attributeValue(tag, "hRule") === "exact";
    if (x > frameAcrossMost || y > frameDownMost || x < -frameBackMost || y < -frameBackMost)
      this.#frame = "may-be-off-screen";
    else if (width !== undefined && width < frameWidthLeast) this.#frame = "may-be-cut-off";
    else if (isExact && (height ?? 0) < frameHeightLeast) this.#frame = "may-be-cut-off";
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
        const isKnown = needed.every((prefix) => knownNamespace.test(resolve(prefix) ?? ""));
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
          doubt: attributeValue(tag, "behindDoc") === "1" ? "may-be-covered" : undefined,
          isHidden: attributeValue(tag, "hidden") === "1",
          paper: [],
          isFilled: false,
          width: 0,
          height: 0,
          used: 0,
          holdsText: false,
        });
        return;
      case "shape":
      case "rect":
      case "roundrect":
      case "pict":
        // Of VML, places and sizes are style.
        if (tag.uri === "urn:schemas-microsoft-com:vml") this.#boxes.push({ ...unknownBox() });
        return;
      case "positionH":
      case "positionV":
        this.#axis = local;
        return;
      case "posOffset":
        this.#numbers = local;
        return;
    }
    const box = this.#boxes.at(-1);
    if (box === undefined || box.holdsText) return;
    this.#noteShape(box, tag);
  }

  #noteShape(box: Box, tag: SaxesTagNS): void {
    const { local } = tag;
    if (local === "docPr" && attributeValue(tag, "hidden") === "1") box.isHidden = true;
    else if (local === "extent") {
      box.width = (numberOf(tag, "cx") ?? 0) / emuPerPoint;
      box.height = (numberOf(tag, "cy") ?? 0) / emuPerPoint;
    } else if (local === "wgp" || local === "wpc") box.doubt ??= "may-be-cut-off";
    else if (this.#isOf("spPr") && !this.#isOf("ln")) {
      if (local === "gradFill" || local === "blipFill" || local === "pattFill")
        box.doubt ??= "colours-may-match";
      else if (local === "alpha") box.doubt ??= "colours-may-match";
      else if (local === "srgbClr" || local === "schemeClr") {
        const value = attributeValue(tag, "val");
        const colour = local === "srgbClr" ? hexOf(value) : themeColour(this.#theme, value, "", "");
        if (colour) box.paper = [colour];
        else box.doubt ??= "colours-may-match";
        box.isFilled = true;
      } else if (/^(?:lumMod|lumOff|tint|shade|satMod|sysClr|prstClr|hslClr)$/.test(local))
        box.doubt ??= "colours-may-match";
    } else if (local === "fillRef" && attributeValue(tag, "idx") !== "0" && !box.isFilled) {
      // A style of the theme fills the shape.
      box.doubt ??= "colours-may-match";
    }
  }

  #isOf(name: string): boolean {
    return this.#inside.includes(name);
  }

  /** Text between tags that is no text of the document: places of boxes. */
  number(text: string): void {
    if (this.#numbers !== "posOffset") return;
    const points = Number.parseFloat(text) / emuPerPoint;
    const box = this.#boxes.at(-1);
    const most = this.#axis === "positionH" ? acrossMost : downMost;
    if (box !== undefined && !(points >= -backMost && points <= most)) box.doubt ??= "may-be-off-screen";
  }

  close(name: string): void {
    this.#inside.pop();
    if (name === "posOffset") this.#numbers = "";
    else if (name === "AlternateContent") this.#alternatives.pop();
    else if (name === "inline" || name === "anchor") this.#boxes.pop();
    else if (
      /^(?:shape|rect|roundrect|pict)$/.test(name) &&
      this.#boxes.at(-1)?.doubt === "element-not-understood"
    )
      this.#boxes.pop();
  }

  beginBoxText(): void {
    const box = this.#boxes.at(-1);
    if (box !== undefined) box.holdsText = true;
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
    if (this.#frame !== undefined) return { why: this.#frame };
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
  };
}
