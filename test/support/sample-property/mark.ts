/** A property of a message in one line, which tests lay over a copy of the tree. */
import type { CopiedTree } from "../copied-tree.ts";

const line = '  pinned: { flag: "$Pinned" },\n';

export function layProperty(copy: CopiedTree): void {
  const last = '  flagged: { flag: "\\\\Flagged" },\n';
  copy.edit("src/model/marks.ts", last, `${last}${line}`);
}
