/** Content controls of a Word document that take their text from another part when it is opened (ECMA-376 part 1, section 17.5.2.6): what stands
 *  there. A text is what a person sees if it is the one that is put there. */
import { readXml } from "./docx-xml.ts";

/** Texts by the names of their elements; "" where several differ. */
export type BoundTexts = ReadonlyMap<string, string>;

const textsMax = 2000;
const lengthMax = 2000;

export function readBoundTexts(parts: readonly Buffer[]): BoundTexts {
  const found = new Map<string, string>();
  for (const part of parts) {
    let text = "";
    readXml(part, {
      open() {
        text = "";
      },
      text(piece) {
        text = (text + piece).slice(0, lengthMax);
      },
      close({ local }) {
        const said = text.trim();
        text = "";
        const before = found.get(local);
        if (before === undefined && found.size >= textsMax) return;
        found.set(local, before === undefined || before === said ? said : "");
      },
    });
  }
  return found;
}

/** The text that a control shows. `path`: from the root of a part to an element, without conditions but for the first of its name. */
export function boundText(texts: BoundTexts, path: string): string | undefined {
  const name = /^(?:\/(?:[\w.-]{1,100}:)?[\w.-]{1,100}(?:\[1\])?){1,20}$/.test(path)
    ? path.split("/").at(-1)!.replace("[1]", "").split(":").at(-1)!
    : "";
  return texts.get(name) || undefined;
}
