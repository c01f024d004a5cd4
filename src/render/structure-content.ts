/** The tree of the parts of a message (`kind: "structure"`). */
import type { MimePart } from "#/src/formats/mime/structure.ts";
import { type ShownPart, shownPart } from "./message-content.ts";
import type { RemovalTally } from "./removal.ts";

export interface ShownTree extends ShownPart {
  readonly parts?: readonly ShownTree[];
  /** Top of the message that this part is. */
  readonly message?: ShownTree;
}

const shownMax = 500;

export function shownStructure(top: MimePart, tally: RemovalTally): ShownTree {
  let left = shownMax;
  const show = (part: MimePart): ShownTree => {
    left--;
    const parts: ShownTree[] = [];
    for (const child of part.parts) {
      if (left <= 0) {
        tally.add("over-limit", "structure");
        break;
      }
      parts.push(show(child));
    }
    return {
      ...shownPart(part, tally),
      ...(parts.length === 0 ? {} : { parts }),
      ...(part.message === undefined || left <= 0 ? {} : { message: show(part.message) }),
    };
  };
  return show(top);
}

/** The same as an outline, one part a line. */
export function structureText(tree: ShownTree, depth = 0): string {
  const { part, type, name, size, parts = [], message } = tree;
  const line = `${"  ".repeat(depth)}${part === "" ? "-" : part} ${type}${
    name === undefined ? "" : ` ${JSON.stringify(name)}`
  } ${size} octets`;
  const children = message === undefined ? parts : [...parts, message];
  return [line, ...children.map((child) => structureText(child, depth + 1))].join("\n");
}
