/** Fields of a Word document (ECMA-376 part 1, section 17.16): their codes are not shown, and their results where they are what was stored. */
import type { SaxesTagNS } from "saxes";
import type { Doubt } from "#/src/model/removal.ts";
import { attributeValue, isTrue } from "./docx-xml.ts";

/** Fields whose stored result a program shows until a person asks for a new one. */
const stored: ReadonlySet<string> = new Set(
  (
    "HYPERLINK REF TOC SEQ MERGEFIELD FORMTEXT STYLEREF NOTEREF CITATION BIBLIOGRAPHY INDEX IF QUOTE " +
    "DOCPROPERTY DOCVARIABLE TITLE SUBJECT AUTHOR KEYWORDS COMMENTS CREATEDATE SAVEDATE PRINTDATE ADDIN ADDRESSBLOCK " +
    "GREETINGLINE FILLIN LISTNUM USERNAME USERADDRESS USERINITIALS TOA"
  ).split(" "),
);
/** Fields that count, and what all letters of one may show: a number of up to four digits, or a Roman one below 400. */
const counting: ReadonlySet<string> = new Set(["PAGE", "PAGEREF", "NUMPAGES", "SECTIONPAGES", "SECTION"]);
const countForm = /^(?:\d{0,4}|c{0,3}(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3}))$/i;
const countLengthMax = 20;
const codeLengthMax = 300;
/** Fields in fields. */
const fieldsMax = 50;

interface Field {
  isCode: boolean;
  code: string;
  /** Of a field that counts: its result so far. */
  result: string;
  /** A program computes it when it opens the document (section 17.16.18). */
  readonly isDirty: boolean;
}

export class DocumentFields {
  readonly #fields: Field[] = [];
  /** A field moves what stands behind it, or it is not known where one ends. */
  isUnclear = false;

  get isInCode(): boolean {
    return this.#fields.some(({ isCode }) => isCode);
  }

  /** Of the next letters in the result of a field. */
  doubtOf(text: string): Doubt | undefined {
    let isKnown = true;
    for (const field of this.#fields)
      if (counting.has(nameOf(field))) {
        field.result = (field.result + text).slice(0, countLengthMax);
        isKnown &&= field.result.length < countLengthMax && countForm.test(field.result.trim());
      } else isKnown &&= isStored(field) && !field.isDirty;
    return isKnown ? undefined : "element-not-understood";
  }

  /** `isUncertain`: not all programs read the element. */
  open(tag: SaxesTagNS, isUncertain: boolean): void {
    if (tag.local !== "fldChar" && tag.local !== "fldSimple") return;
    if (isUncertain || this.#fields.length >= fieldsMax) this.isUnclear = true;
    const kind = tag.local === "fldSimple" ? "simple" : attributeValue(tag, "fldCharType");
    const field = this.#fields.at(-1);
    if (kind === "begin" || kind === "simple")
      this.#begin(kind === "begin", isTrue(attributeValue(tag, "dirty")));
    else if (kind === "end") this.#fields.pop();
    else if (kind === "separate" && field !== undefined) field.isCode = false;
    if (kind === "simple") this.code(attributeValue(tag, "instr"));
  }

  #begin(isCode: boolean, isDirty: boolean): void {
    if (this.#fields.length < fieldsMax) this.#fields.push({ isCode, code: "", result: "", isDirty });
  }

  /** A piece of the code of the nearest field. */
  code(text: string): void {
    const field = this.#fields.at(-1);
    if (field === undefined) return;
    field.code = (field.code + text).trimStart().slice(0, codeLengthMax);
    if (/^ADVANCE\b/i.test(field.code)) this.isUnclear = true;
  }

  close(name: string): void {
    if (name === "fldSimple") this.#fields.pop();
  }
}

/** A formula is `=` with what is computed. */
function nameOf({ code }: Field): string {
  return (/^([A-Za-z]{1,20}|=)/.exec(code)?.[1] ?? "").toUpperCase();
}

function isStored(field: Field): boolean {
  const name = nameOf(field);
  return name === "=" || stored.has(name);
}
