/** Finds the new text of a reply: without the quoted history and the signature. Nothing is lost: each cut is a range of the text.
 *  If nothing would remain, nothing is cut. Forwarded messages are kept. */

import { readForeign } from "#/src/model/foreign-text.ts";
import { joinEscaped } from "./own-lines.ts";
import {
  attributionStart,
  forwarded,
  isQuoted,
  isQuotedHeader,
  lookedAtMax,
  originalMessage,
  quotesFollow,
  saysWrote,
  withoutLinks,
} from "./quotation.ts";

export interface ReplyCut {
  readonly what: "quoted-history" | "signature";
  /** UTF-16 units of the text. */
  readonly start: number;
  readonly end: number;
}

export interface Reply {
  readonly text: string;
  readonly cuts: readonly ReplyCut[];
}

const signatureLines = 20;

export function extractReply(text: string): Reply {
  return readForeign(
    "reply",
    text,
    () => cutReply(text),
    () => ({ text, cuts: [] }),
  );
}

function cutReply(text: string): Reply {
  const lines = text.split("\n");
  const looked = lines.map((line) => line.slice(0, lookedAtMax).trimEnd());
  const cut = new Array<ReplyCut["what"] | undefined>(lines.length);
  const end = historyStart(looked);
  cut.fill("quoted-history", end);
  cutQuotations(looked, end, cut);
  cutSignature(looked, cut);
  const hasText = looked.some((line, at) => cut[at] === undefined && line.trim() !== "");
  if (!hasText) return { text, cuts: [] };
  return assemble(lines, cut);
}

/** The first line of an older message that is quoted to the end of the text without a mark on each line. */
function historyStart(lines: readonly string[]): number {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (originalMessage.test(line) || isQuotedHeader(lines, at)) return withRule(lines, at);
    if (saysWrote(line) && !quotesFollow(lines, at)) {
      const start = attributionStart(lines, at);
      if (start !== undefined) return start;
    }
  }
  return lines.length;
}

/** Includes the rule that Outlook draws above the quoted header. A forwarded message is not cut. */
function withRule(lines: readonly string[], at: number): number {
  let start = at;
  while (start > 0 && at - start < 3 && /^[_-]{0,80}$/.test(lines[start - 1]!.trim())) start--;
  if (start > 0 && forwarded.test(lines[start - 1]!)) return lines.length;
  return start;
}

/** Cuts lines that begin with ">", and the attribution line above them. */
function cutQuotations(lines: readonly string[], end: number, cut: (ReplyCut["what"] | undefined)[]): void {
  for (let at = 0; at < end; at++) {
    if (!isQuoted(lines[at]!)) continue;
    cut[at] = "quoted-history";
    if (at > 0 && cut[at - 1] === "quoted-history") continue;
    let above = at - 1;
    while (above >= 0 && at - above < 4 && lines[above]!.trim() === "") above--;
    if (above < 0) continue;
    const bare = withoutLinks(lines[above]!);
    if (!/[:：]$/.test(bare) || forwarded.test(bare)) continue;
    const start =
      attributionStart(lines, above) ??
      (saysWrote(lines[above]!) || (bare.endsWith(":") && /@\S/.test(bare.slice(0, -1))) ? above : undefined);
    if (start !== undefined) cut.fill("quoted-history", start, at);
  }
}

/** Cuts the line of two hyphens (RFC 3676 section 4.3) and the lines after it, up to the next quotation. */
function cutSignature(lines: readonly string[], cut: (ReplyCut["what"] | undefined)[]): void {
  for (let at = 0; at < lines.length; at++) {
    if (cut[at] !== undefined || !/^\s{0,2}(?:--|—|––)\s*$/.test(lines[at]!)) continue;
    let end = at + 1;
    while (end < lines.length && cut[end] === undefined && end - at <= signatureLines) end++;
    const isWhole = end === lines.length || cut[end] !== undefined;
    if (isWhole) cut.fill("signature", at, end);
  }
}

function assemble(lines: readonly string[], cut: readonly (ReplyCut["what"] | undefined)[]): Reply {
  const cuts: { what: ReplyCut["what"]; start: number; end: number }[] = [];
  /** Lines that follow each other. */
  const kept: string[][] = [[]];
  let position = 0;
  for (const [at, line] of lines.entries()) {
    const what = cut[at];
    const next = position + line.length + 1;
    if (what === undefined) kept.at(-1)!.push(line);
    else {
      if (kept.at(-1)!.length > 0) kept.push([]);
      const last = cuts.at(-1);
      if (last?.what === what && last.end === position) last.end = next;
      else cuts.push({ what, start: position, end: next });
    }
    position = next;
  }
  const last = cuts.at(-1);
  if (last !== undefined) last.end = Math.min(last.end, position - 1);
  return {
    text: joinEscaped(kept.filter((piece) => piece.length > 0).map((piece) => piece.join("\n")))
      .trimEnd()
      .replace(/^\s*\n/, "")
      .replace(/\n{3,}/g, "\n\n"),
    cuts,
  };
}
