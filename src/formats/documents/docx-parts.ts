/** The parts of a Word document, as its relationships name them (ECMA-376 part 2, section 6.5): a program shows these, whatever else has
 *  their usual names. */
import { relationships } from "./docx-references.ts";
import { attributeValue, readXml } from "./docx-xml.ts";
import { readZipEntry } from "./zip.ts";

const mainBytesMax = 16 * 1024 * 1024;
const otherBytesMax = 4 * 1024 * 1024;
const boundKinds: ReadonlySet<string> = new Set(["core-properties", "extended-properties", "customXml"]);
const boundMost = 20;
/** Headers, footers, notes and what controls are bound to, together. */
const relatedBytesMax = 8 * 1024 * 1024;

const otherParts = ["styles", "theme", "settings", "numbering", "fontTable"] as const;
export type OtherPart = (typeof otherParts)[number];

export interface DocxParts {
  readonly main: Buffer;
  readonly others: Readonly<Partial<Record<OtherPart, Buffer>>>;
  /** It cannot be said which part a program takes. */
  readonly isUnclear: boolean;
  /** Parts from which controls may take their text. */
  readonly bound: readonly Buffer[];
  /** A part of a kind that the main part names by a relationship, or by its only one of the kind, within a bound for all of them. */
  related(wanted: { readonly id?: string; readonly kind: string }): Buffer | "over-limit" | undefined;
}

const usualMain = "word/document.xml";
const usualNames: Readonly<Record<OtherPart, string>> = {
  styles: "word/styles.xml",
  theme: "word/theme/theme1.xml",
  settings: "word/settings.xml",
  numbering: "word/numbering.xml",
  fontTable: "word/fontTable.xml",
};

class OverLimit extends Error {}

/** undefined if it is no such document. */
export function findParts(archive: Buffer): DocxParts | "over-limit" | undefined {
  let isUnclear = false;
  const read = (name: string, bytesMax = otherBytesMax): Buffer | undefined => {
    const bytes = readZipEntry(archive, name, bytesMax);
    if (bytes === "over-limit") throw new OverLimit();
    return bytes;
  };
  /** Of the main part: types, and targets that are parts of the document. */
  const byId = new Map<string, { readonly type: string; readonly target: string | undefined }>();
  const boundNames = new Set<string>();
  /** Targets by the last words of their types; undefined where there are no relationships. */
  const targetsOf = (part: string): ReadonlyMap<string, string> | undefined => {
    const slash = part.lastIndexOf("/") + 1;
    const bytes = read(`${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`);
    if (bytes === undefined) return undefined;
    const targets = new Map<string, string>();
    const end = readXml(bytes, {
      open(tag) {
        if (tag.local !== "Relationship") return;
        const type = attributeValue(tag, "Type");
        const kind = type.split("/").at(-1)!;
        const isInside = ["", "Internal"].includes(attributeValue(tag, "TargetMode"));
        const target = resolved(part.slice(0, slash), attributeValue(tag, "Target"));
        if (part !== "") {
          const id = attributeValue(tag, "Id");
          if (byId.has(id)) isUnclear = true;
          byId.set(id, { type, target: isInside ? target : undefined });
        }
        if (!isInside) return;
        if (targets.has(kind) && targets.get(kind) !== target && isNeeded(kind)) isUnclear = true;
        targets.set(kind, target);
        if (boundKinds.has(kind)) boundNames.add(target);
      },
    });
    if (end !== "end") isUnclear = true;
    return targets;
  };
  try {
    const main = targetsOf("")?.get("officeDocument") ?? usualMain;
    const bytes = read(main, mainBytesMax);
    if (bytes === undefined) return undefined;
    const targets = targetsOf(main);
    const others: Partial<Record<OtherPart, Buffer>> = {};
    for (const part of otherParts) {
      const name = targets === undefined ? usualNames[part] : targets.get(part);
      const found = name === undefined ? undefined : read(name);
      if (found !== undefined) others[part] = found;
    }
    let left = relatedBytesMax;
    const related = (name: string): Buffer | "over-limit" | undefined => {
      const found = readZipEntry(archive, name, left);
      if (found instanceof Buffer) left -= found.length;
      return found;
    };
    const bound = [...boundNames]
      .slice(0, boundMost)
      .map(related)
      .filter((part): part is Buffer => part instanceof Buffer);
    return {
      main: bytes,
      others,
      isUnclear,
      // What one of them says is not known if another one is not read.
      bound: bound.length === boundNames.size ? bound : [],
      related({ id, kind }) {
        const found = id === undefined ? undefined : byId.get(id);
        const isOfKind = [...relationships].some((base) => found?.type === `${base}/${kind}`);
        const name = id === undefined ? targets?.get(kind) : isOfKind ? found?.target : undefined;
        return name === undefined ? undefined : related(name);
      },
    };
  } catch (error) {
    if (error instanceof OverLimit) return "over-limit";
    throw error;
  }
}

function isNeeded(kind: string): boolean {
  return (
    ["officeDocument", "footnotes", "endnotes"].includes(kind) ||
    (otherParts as readonly string[]).includes(kind)
  );
}

/** The name of a part, as archives have it: without the slash before it. */
function resolved(folder: string, target: string): string {
  const steps = (target.startsWith("/") ? target : `${folder}${target}`).split("/");
  const name: string[] = [];
  for (const step of steps)
    if (step === "..") name.pop();
    else if (step !== "" && step !== ".") name.push(step);
  return name.join("/");
}
