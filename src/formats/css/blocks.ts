/** Blocks, statements and the places of their parts among tokens (CSS Syntax Level 3 section 5.4). */
import { type CssToken, skipComponent } from "./tokens.ts";

export function blockOf(tokens: readonly CssToken[], open: number, end: number): readonly CssToken[] {
  return tokens.slice(open + 1, isClosed(tokens, open, end) ? end - 1 : end);
}

/** Whether the last bracket closes the block itself, and not a bracket inside of it. */
function isClosed(tokens: readonly CssToken[], open: number, end: number): boolean {
  const waiting: string[] = [];
  for (let at = open; at < end; at++) {
    const { type } = tokens[at]!;
    const closer = closers[type];
    if (closer !== undefined) waiting.push(closer);
    else if (type === waiting.at(-1)) waiting.pop();
  }
  return waiting.length === 0;
}

/** The position of the "{" of a rule. `endsAtSemicolon`: or of the ";" that ends a rule without a block. */
export function findBlock(tokens: readonly CssToken[], from: number, endsAtSemicolon: boolean): number {
  let at = from;
  while (at < tokens.length) {
    const { type } = tokens[at]!;
    if (type === "{" || (endsAtSemicolon && type === ";")) return at;
    at = skipComponent(tokens, at);
  }
  return at;
}

export function endOfStatement(tokens: readonly CssToken[], from: number): number {
  let at = from;
  while (at < tokens.length && tokens[at]!.type !== ";") at = skipComponent(tokens, at);
  return at;
}

/** The end of an at-rule among declarations: the position after its block, or of its semicolon. */
export function endOfAtRule(tokens: readonly CssToken[], from: number): number {
  const open = findBlock(tokens, from + 1, true);
  return tokens[open]?.type === "{" ? skipComponent(tokens, open) : open;
}

const closers: Readonly<Record<string, string>> = { "(": ")", function: ")", "[": "]", "{": "}" };

/** Whether every closing bracket has its opening bracket; if not, the declaration is invalid. The end of the source closes brackets
 *  that are still open. */
export function isBalanced(tokens: readonly CssToken[]): boolean {
  const open: string[] = [];
  for (const { type } of tokens) {
    const closer = closers[type];
    if (closer !== undefined) open.push(closer);
    else if ((type === ")" || type === "]" || type === "}") && open.pop() !== type) return false;
  }
  return true;
}

/** The position after the colon of a declaration; undefined without a colon. */
export function startsValue(tokens: readonly CssToken[], from: number): number | undefined {
  const at = tokens[from]?.type === "space" ? from + 1 : from;
  return tokens[at]?.type === ":" ? at + 1 : undefined;
}
