/** Cards for tests out of text, and back. */
import { Buffer } from "node:buffer";
import {
  type Component,
  listComponents,
  makeComponent,
  type Property,
} from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { listCorpusFiles } from "../../support/corpus.ts";

/** A card of these lines. */
export function cardOf(version: string, ...lines: readonly string[]): Component {
  const text = ["BEGIN:VCARD", `VERSION:${version}`, ...lines, "END:VCARD", ""].join("\r\n");
  return listComponents(readContentLines(Buffer.from(text, "utf8")), "VCARD")[0]!;
}

/** The lines of a card between VERSION and END, unfolded. */
export function linesOf(card: Component): string[] {
  return writeContentLines({ items: [card] })
    .toString("utf8")
    .replaceAll(/\r?\n[ \t]/g, "")
    .split(/\r?\n/)
    .filter((line) => line !== "" && !/^(?:BEGIN|END|VERSION):/i.test(line));
}

/** A property alone, as it is written anew. */
export function lineOf(property: Property): string {
  return linesOf(makeComponent("VCARD", [property]))[0]!;
}

export interface CorpusCard {
  readonly file: string;
  readonly card: Component;
}

/** Every card of every file that is within the limits. */
export function listCorpusCards(kind = "contact"): CorpusCard[] {
  return listCorpusFiles(kind, /\.vcf$/).flatMap(({ file, bytes }) => {
    try {
      return listComponents(readContentLines(bytes), "VCARD").map((card, index) => ({
        file: `${file}#${index}`,
        card,
      }));
    } catch (error) {
      if (isWaypostError(error)) return [];
      throw error;
    }
  });
}
