/** Rights on the wire (RFC 4314 section 2). */
import type { Rights } from "#/src/reach/mailbox-rights.ts";

/** Adds the two rights of RFC 2086 that stand for several: `c` for creating, `d` for deleting (section 2.1.1). */
export function rightsText(rights: Rights): string {
  const creates = rights.has("k") || rights.has("x");
  const deletes = rights.has("x") || rights.has("t") || rights.has("e");
  return `${[...rights].join("")}${creates ? "c" : ""}${deletes ? "d" : ""}`;
}
