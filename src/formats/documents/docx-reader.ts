/** Reads one part of a Word document: its main part, a header, a footer, the notes. Long because what each element opens and closes is
 *  one state. */
import type { SaxesTagNS } from "saxes";
import type { CountLeftOut } from "#/src/formats/text/clean-text.ts";
import type { Doubt } from "#/src/model/removal.ts";
import { type BoundTexts, boundText } from "./docx-bound.ts";
import { DocumentBranches, isOfAlternatives } from "./docx-branches.ts";
import { holdsText, isOfDrawing, isOfMath, signOf } from "./docx-elements.ts";
import { DocumentFields } from "./docx-fields.ts";
import { DocumentFlow } from "./docx-flow.ts";
import type { Surroundings, Unseen } from "./docx-letters.ts";
import {
  beginOf,
  inksOf,
  isOfColours,
  lineForm,
  linePoints,
  outOf,
  paintsOver,
  unseenOf,
} from "./docx-letters.ts";
import type { Lines } from "./docx-lines.ts";
import { DocumentPlaces } from "./docx-places.ts";
import { DocumentNotes, DocumentReferences } from "./docx-references.ts";
import { areUsual, DocumentSaid, leastPoints, mostPoints } from "./docx-said.ts";
import { isPageUnclear, PageForms } from "./docx-settings.ts";
import { coloursOf, type LetterProperties, noteProperty } from "./docx-style.ts";
import type { DocumentStyles } from "./docx-styles.ts";
import { DocumentTables } from "./docx-tables.ts";
import type { ThemeColours } from "./docx-theme.ts";
import { attributeValue, hexOf, isOfBefore, isOn, isWord, isWord2010 } from "./docx-xml.ts";

export interface PartToRead {
  /** Numbers of the notes that are shown; undefined: it is no part of notes. */
  readonly notes?: ReadonlySet<string>;
  readonly bound?: BoundTexts;
  /** Of all of its text. */
  readonly doubt?: Doubt | undefined;
}

/** Points of letters that leave those over them readable, if they are no signs. */
const inkMost = 20;
const none: BoundTexts = new Map();
/** Elements that say what is about the one around, and stand before all else in it. */
const propertiesOf: Readonly<Record<string, string>> = {
  pPr: "p",
  rPr: "r",
  tblPr: "tbl",
  trPr: "tr",
  tcPr: "tc",
};

export class DocumentReader {
  readonly flow = new DocumentFlow();
  readonly references = new DocumentReferences();
  readonly page = new PageForms();
  readonly #part: PartToRead;
  readonly #count: CountLeftOut;
  readonly #theme: ThemeColours;
  readonly #places: DocumentPlaces;
  readonly #branches = new DocumentBranches();
  readonly #tables: DocumentTables;
  readonly #said: DocumentSaid;
  readonly #fields = new DocumentFields();
  readonly #facts: Omit<Surroundings, "paper" | "isOnShape">;
  leftOut = 0;
  #isPageUnclear = false;
  /** Names of the open elements of Word. */
  readonly #chain: string[] = [];
  /** Of each of them, whether something stands in it that is no property. */
  readonly #filled: boolean[] = [];
  #paper: readonly string[] = ["ffffff"];
  #isInFill = false;
  #isInMath = false;
  readonly #notes: DocumentNotes;
  /** How many open elements are not known here, and how many belong to the drawing around, outside of its text. */
  #unknown = 0;
  #drawing = 0;
  /** How many are of a vocabulary that is not known here. */
  #foreign = 0;
  #deleted = 0;
  /** Inside of what was before a change. */
  #before = 0;
  /** Headings that a person has not opened hide what follows. */
  #isCollapsed = false;
  /** Content controls, and whether something else is put into each when the document is opened. */
  readonly #controls: { isBound: boolean; text: string | undefined }[] = [];

  constructor(
    count: CountLeftOut,
    styles: DocumentStyles,
    theme: ThemeColours,
    facts: Omit<Surroundings, "paper" | "isOnShape">,
    part: PartToRead = {},
  ) {
    this.#count = count;
    this.#tables = new DocumentTables(styles);
    this.#said = new DocumentSaid(styles, this.#tables);
    this.#theme = theme;
    this.#facts = facts;
    this.#part = part;
    this.#notes = new DocumentNotes(part.notes);
    this.#places = new DocumentPlaces(theme, this.flow);
  }

  /** Something that is said of the whole, or behind its text, makes all of it doubtful. */
  get isUnclear(): boolean {
    return (
      this.#isPageUnclear ||
      [this.#branches, this.#places, this.#fields, this.#notes].some((one) => one.isUnclear)
    );
  }

  open(tag: SaxesTagNS, resolve: (prefix: string) => string | undefined): void {
    if (this.#before === 0) this.#branches.open(tag, resolve);
    if (this.#branches.isLeft) return;
    if (isWord(tag) && isOfBefore(tag.local)) this.#before++;
    if (this.#before > 0) return;
    if (isWord(tag)) this.#openWord(tag);
    else this.#openOther(tag);
  }

  #openOther(tag: SaxesTagNS): void {
    const noted = this.#said.noted.at(-1);
    if (isWord2010(tag) && noted !== undefined) {
      if (tag.local === "textFill") this.#isInFill = true;
      else if (this.#isInFill) noteProperty(noted, tag, this.#theme);
      if (this.#branches.isUnknown || this.#foreign > 0) noted.isUnclear = true;
    } else if (tag.local === "collapsed") this.#isCollapsed ||= isOn(tag);
    else if (tag.local === "dataBinding") this.#bind(tag);
    this.#isInMath = isOfMath(tag);
    this.#countOther(tag, 1);
    // Of the page's background, which may be a picture.
    if (this.#chain.at(-1) === "background") this.#isPageUnclear = true;
    this.#places.open(tag);
  }

  #countOther(tag: SaxesTagNS, by: 1 | -1): void {
    if (isOfAlternatives(tag)) return;
    if (isOfDrawing(tag)) this.#drawing += by;
    else {
      this.#unknown += by;
      this.#foreign += by;
    }
  }

  /** Programs may not read what stands here. */
  get #isUncertain(): boolean {
    return this.#branches.isUnknown || this.#drawing > 0 || this.#foreign > 0;
  }

  #leave(): void {
    this.#drawing = this.#said.leave() ?? this.#drawing;
  }

  #openWord(tag: SaxesTagNS): void {
    const parent = this.#chain.at(-1);
    // Programs differ in whether what stands behind its text is about it.
    if (this.#chain.length > 0) {
      if (propertiesOf[tag.local] === parent) this.#isPageUnclear ||= this.#filled.at(-1) === true;
      else if (tag.local !== "tblPrEx" && tag.local !== "tblGrid")
        this.#filled[this.#filled.length - 1] = true;
    }
    this.#filled.push(false);
    this.#chain.push(tag.local);
    if (!holdsText(tag.local)) this.#unknown++;
    switch (tag.local) {
      case "p":
        this.#said.enter(this.#drawing);
        this.flow.beginParagraph();
        this.#said.beginParagraph();
        break;
      case "r":
        this.#said.enter(this.#drawing);
        this.#said.beginRun();
        break;
      case "background":
        // Another one was said.
        this.#isPageUnclear ||= this.#paper.length > 1;
        this.#paper = [
          "ffffff",
          ...coloursOf(hexOf(attributeValue(tag, "color")), tag, this.#theme, "theme"),
        ];
        break;
      case "txbxContent":
        this.#said.enter(this.#drawing);
        this.#drawing = 0;
        this.#said.beginRun();
        this.#places.beginBoxText();
        break;
      case "pPr":
        this.#said.noted.push(this.#said.paragraph);
        break;
      case "rPr":
        // Those of a paragraph are of its mark.
        this.#said.noted.push(parent === "r" ? this.#said.run : {});
        break;
      case "tblPr":
      case "tblPrEx":
      case "trPr":
      case "tcPr":
        this.#said.noted.push(this.#tables.propertiesOf(tag.local));
        break;
      case "pStyle":
        this.#said.styleParagraph(attributeValue(tag, "val"), this.#isUncertain);
        break;
      case "rStyle":
        this.#said.styleRun(attributeValue(tag, "val"), this.#isUncertain);
        break;
      case "t":
        if (parent !== "r") this.#unknown++;
        break;
      case "sdt":
        this.#controls.push({ isBound: false, text: undefined });
        break;
      case "dataBinding":
        this.#bind(tag);
        break;
      case "del":
      case "moveFrom":
        if (parent === "trPr") this.#tables.deleteRow();
        else this.#deleted++;
        break;
      case "tab":
        if (this.#said.noted.length > 0) noteProperty(this.#said.noted.at(-1)!, tag, this.#theme);
        else {
          this.flow.separate("\t");
          for (const { lines } of this.#rooms) lines.tab();
          this.#said.paragraph.isTabbed = true;
        }
        break;
      case "br":
        if (attributeValue(tag, "type") === "page" && !this.#tables.isInside && this.#isSeen)
          this.flow.breakPage();
        this.#breakLine();
        break;
      case "cr":
        this.#breakLine();
        break;
      case "noBreakHyphen":
        this.#letters("-");
        break;
      case "sym": {
        const sign = signOf(attributeValue(tag, "font"), attributeValue(tag, "char"));
        if (sign !== undefined) this.#letters(sign);
        break;
      }
      case "altChunk":
      case "subDoc":
        // Other documents stand there.
        this.#doubtful("element-not-understood");
        break;
      case "footnote":
      case "endnote":
        this.#notes.begin(attributeValue(tag, "id"));
        break;
      case "commentReference":
        this.#count("comment", 1);
        break;
      case "footnoteReference":
      case "endnoteReference":
        if (this.#isSeen)
          this.references.notes[tag.local === "footnoteReference" ? "footnotes" : "endnotes"].add(
            attributeValue(tag, "id"),
          );
        break;
      default:
        this.#isPageUnclear ||= isPageUnclear(tag);
        this.page.note(tag);
        this.references.open(tag, this.#chain.slice(0, -1));
        this.#fields.open(tag, this.#isUncertain);
        this.#tables.open(tag, this.#isUncertain);
        // Where a table stands says nothing of its lines.
        if (this.#said.noted.length > 0 && (tag.local !== "jc" || parent === "pPr"))
          noteProperty(this.#said.noted.at(-1)!, tag, this.#theme);
        if (this.#said.noted.length > 0 && this.#isUncertain) this.#said.noted.at(-1)!.isUnclear = true;
    }
  }

  #bind(tag: SaxesTagNS): void {
    const control = this.#controls.at(-1);
    if (control === undefined) return;
    control.text = control.isBound
      ? undefined
      : boundText(this.#part.bound ?? none, attributeValue(tag, "xpath"));
    control.isBound = true;
  }

  close(tag: SaxesTagNS): void {
    const { isLeft } = this.#branches;
    if (!isLeft && isWord(tag) && isOfBefore(tag.local)) this.#before--;
    if (this.#before > 0) return;
    this.#branches.close(tag);
    if (isLeft) return;
    if (isWord(tag)) this.#closeWord(tag);
    else this.#closeOther(tag);
  }

  #closeOther(tag: SaxesTagNS): void {
    if (isWord2010(tag) && tag.local === "textFill") this.#isInFill = false;
    this.#countOther(tag, -1);
    this.#places.close(tag.local);
    const tall = this.#places.takeStanding();
    if (tall > 0) for (const { lines } of this.#rooms) lines.stand(tall);
  }

  /** What text is set in that may be too small for it. */
  get #rooms(): readonly { readonly lines: Lines; readonly width: number }[] {
    return [this.#tables.lines, this.#places.lines].filter((one) => one !== undefined);
  }

  #closeWord({ local: name }: SaxesTagNS): void {
    // What stood in a change that is over is not in the chain.
    if (isOfBefore(name)) return;
    this.#chain.pop();
    this.#filled.pop();
    const parent = this.#chain.at(-1);
    if (!holdsText(name)) this.#unknown--;
    switch (name) {
      case "rPr":
      case "pPr":
      case "tblPr":
      case "tblPrEx":
      case "trPr":
      case "tcPr":
        this.#said.noted.pop();
        break;
      case "t":
        if (parent !== "r") this.#unknown--;
        break;
      case "sdt":
        this.#controls.pop();
        break;
      case "del":
      case "moveFrom":
        if (parent !== "trPr") this.#deleted--;
        break;
      case "txbxContent":
        this.#leave();
        this.#places.endBoxText();
        break;
      case "r":
        this.#leave();
        break;
      case "p": {
        const said = this.#said.ofParagraph();
        const gap = (said.gap ?? 0) / 20;
        this.#endLine(true);
        this.flow.endParagraph(!this.#tables.isInside && said.isFramed !== true, gap, linePoints([said]));
        this.#leave();
        this.flow.separate("\n");
        break;
      }
      case "tr":
        this.flow.endRow(this.#tables.isInFlow);
        this.flow.separate("\n");
        break;
      case "tc":
        this.flow.separate("\t");
        break;
      case "footnote":
      case "endnote":
        this.#notes.end();
        break;
    }
    this.references.close(name);
    this.#fields.close(name);
    this.#tables.close(name);
  }

  text(text: string): void {
    if (this.#branches.isInLeftText) this.#count("hidden-element", 1);
    if (this.#branches.isLeft || this.#before > 0 || text === "") return;
    const inside = this.#chain.at(-1);
    if (inside === "instrText") this.#fields.code(text);
    if (this.#isInMath) this.#doubtful("element-not-understood");
    else if (inside === "t") this.#letters(text);
    else this.#places.number(text);
  }

  #letters(text: string): void {
    const letters = this.#said.ofLetters();
    if (this.#deleted === 0 && !this.#fields.isInCode && letters.some((one) => one.isVanished !== true))
      for (const { lines } of this.#rooms) lines.write(text.length, mostPoints(letters));
    const unseen = this.#unseen(text, letters);
    const inks = inksOf(letters, this.#paper);
    const isMuch = mostPoints(letters) > inkMost || /[^\p{L}\p{M}\p{N}\p{P}\p{Z}\p{Cc}]/u.test(text);
    this.#places.paint(isMuch ? (inks ?? []) : [], letters.some(paintsOver) || isOfColours(unseen));
    if (unseen === undefined)
      this.flow.write(
        text,
        leastPoints(letters),
        this.#said.indentOf(letters),
        areUsual(letters),
        this.#places.paper === undefined ? inks : undefined,
        {
          from: Math.max(...letters.map((one) => beginOf(one, this.#tables.across, this.#tables.right))) / 20,
          out: this.#tables.isInside ? 0 : Math.max(...letters.map(outOf)),
          leftward: this.#tables.leftward,
        },
      );
    else if (typeof unseen === "string") this.#count(unseen, 1);
    else this.#doubtful(unseen.why);
  }

  #doubtful(why: Doubt): void {
    this.#count("doubtful", 1, why);
    this.leftOut++;
  }

  /** Whether something that stands here is seen. */
  get #isSeen(): boolean {
    return this.#unseen("", this.#said.ofLetters()) === undefined;
  }

  #breakLine(): void {
    this.#endLine(false);
    this.flow.separate("\n");
  }

  /** `isOver`: the paragraph ends too. */
  #endLine(isOver: boolean): void {
    const form = lineForm([this.#said.ofParagraph()]);
    for (const { lines, width } of this.#rooms) lines.end(width, form, isOver);
  }

  #unseen(text: string, letters: readonly LetterProperties[]): Unseen | undefined {
    if (this.#deleted > 0 || this.#notes.isHidden || this.#fields.isInCode || this.#tables.isHidden)
      return "hidden-element";
    const paper = this.#places.paper ?? this.#paper;
    const isOnShape = this.#places.paper !== undefined;
    const unseen = unseenOf(letters, { ...this.#facts, paper, isOnShape });
    if (typeof unseen === "string") return unseen;
    const isOther = this.#controls.some((one) => one.isBound && one.text !== text.trim());
    if (this.#unknown > 0 || this.#isUncertain || isOther) return { why: "element-not-understood" };
    if (this.#isCollapsed) return { why: "may-be-cut-off" };
    const elsewhere =
      this.#fields.doubtOf(text) ?? this.#tables.doubtOf(lineForm(letters)) ?? this.#part.doubt;
    if (elsewhere !== undefined) return { why: elsewhere };
    return this.#places.unseen(lineForm(letters)) ?? unseen;
  }
}
