/** Base subject (RFC 5256 section 2.1): what is left of a subject when the marks of answers and forwards are gone.
 *  subj-refwd = ("re" / ("fw" ["d"])) *WSP [subj-blob] ":"; subj-blob = "[" *BLOBCHAR "]" *WSP
 *  Takes decoded text. One pass from either end: positions move, nothing is cut until the end. */

export interface BaseSubject {
  readonly base: string;
  /** Section 2.2 calls it a reply or a forward when anything but blobs was taken off. */
  readonly isReply: boolean;
}

export function baseSubject(subject: string): string {
  return parseSubject(subject).base;
}

export function parseSubject(subject: string): BaseSubject {
  // Step 1: runs of white space are one space.
  const text = subject.replace(/\s+/g, " ").trim();
  let start = 0;
  let end = text.length;
  let isReply = false;
  for (;;) {
    // Step 2: trailers.
    for (;;) {
      while (end > start && text[end - 1] === " ") end--;
      if (end - start < 5 || text.slice(end - 5, end).toLowerCase() !== "(fwd)") break;
      end -= 5;
      isReply = true;
    }
    // Steps 3 to 5: leaders, and blobs that leave something.
    for (;;) {
      while (start < end && text[start] === " ") start++;
      const leaderEnd = leaderAt(text, start, end);
      if (leaderEnd !== -1) {
        start = leaderEnd;
        isReply = true;
        continue;
      }
      const blobEnd = blobAt(text, start, end);
      if (blobEnd === -1 || blobEnd >= end) break;
      start = blobEnd;
    }
    // Step 6: [fwd: … ].
    if (end - start < 6 || text[end - 1] !== "]" || text.slice(start, start + 5).toLowerCase() !== "[fwd:")
      break;
    start += 5;
    end--;
    isReply = true;
  }
  return { base: text.slice(start, end), isReply };
}

/** The position after a subj-leader: blobs and a mark, or -1. */
function leaderAt(text: string, from: number, end: number): number {
  let at = from;
  for (let blob = blobAt(text, at, end); blob !== -1; blob = blobAt(text, at, end)) at = blob;
  const mark = /^(?:re|fwd?)/i.exec(text.slice(at, Math.min(at + 3, end)))?.[0];
  if (mark === undefined) return -1;
  at += mark.length;
  while (at < end && text[at] === " ") at++;
  const blob = blobAt(text, at, end);
  if (blob !== -1) at = blob;
  return at < end && text[at] === ":" ? at + 1 : -1;
}

/** The position after a subj-blob and the spaces behind it, or -1. */
function blobAt(text: string, from: number, end: number): number {
  if (text[from] !== "[") return -1;
  let at = from + 1;
  while (at < end && text[at] !== "]" && text[at] !== "[") at++;
  if (at >= end || text[at] !== "]") return -1;
  at++;
  while (at < end && text[at] === " ") at++;
  return at;
}
