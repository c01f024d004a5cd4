/** Characters of a pointer: callers choose the names of fields that are not known here. */
const pointerLengthMax = 200;

/** JSON pointer (RFC 6901); the empty one is the whole document. A longer one is cut, and ends in "…". */
export function jsonPointer(path: readonly PropertyKey[]): string {
  let pointer = "";
  for (const step of path) {
    pointer += `/${String(step).slice(0, pointerLengthMax).replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (pointer.length > pointerLengthMax) return `${pointer.slice(0, pointerLengthMax - 1).toWellFormed()}…`;
  }
  return pointer;
}
