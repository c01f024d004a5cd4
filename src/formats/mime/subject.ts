/** Base subject (RFC 5256 section 2.1): the subject without the marks of replies and forwards.
 *  subj-refwd = ("re" / ("fw" ["d"])) *WSP [subj-blob] ":"; subj-blob = "[" *BLOBCHAR "]" *WSP
 *  The argument is decoded text. One pass from each end moves two positions; the text is cut once, at the end. */

export interface BaseSubject {
  readonly base: string;
  /** The subject is a reply or a forward (section 2.2): something other than blobs was removed. */
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
    // Steps 3 to 5: leaders, and blobs unless nothing would remain.
    for (;;) {
      while (start < end && text[start] === " ") start++;
      const blobs = skipBlobs(text, start, end);
      const leaderEnd = leaderAt(text, blobs.end, end);
      if (leaderEnd === -1) {
        start = blobs.end < end ? blobs.end : blobs.lastStart;
        break;
      }
      start = leaderEnd;
      isReply = true;
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

/** What mail programs of other languages put before a subject that is answered or forwarded (RFC 5256 knows the English ones), and the colon
 *  of Chinese and Japanese ones. One letter is one of Italian. */
const localLeader =
  /^(?:re|fwd?|aw|wg|antw(?:ort)?|sv|vs|vb|vl|va\u0301?|vá|rv|tr|rif|r|i|res|enc|odp|pd|ynt|[iİ]lt|atb|doorst|απ|σχετ|πρθ|отв|回复|回覆|答复|答覆|返信|转发|轉寄|転送) ?(?:\[\d+\]|\(\d+\)|\d+)? ?[:：]/iu;
/** Of a longer row of them the rest is the subject. */
const leadersMax = 8;

/** The subject without the marks of replies and forwards of any language: what the mails of one conversation have in common
 *  (RFC 8621 section 3, thread). */
export function conversationSubject(subject: string): string {
  let base = baseSubject(subject);
  for (let count = 0; count < leadersMax; count++) {
    const leader = localLeader.exec(base);
    if (leader === null) break;
    base = baseSubject(base.slice(leader[0].length));
  }
  return base;
}

/** The position after the subj-refwd and colon of a leader, whose blobs have been passed; or -1. */
function leaderAt(text: string, from: number, end: number): number {
  const mark = /^(?:re|fwd?)/i.exec(text.slice(from, Math.min(from + 3, end)))?.[0];
  if (mark === undefined) return -1;
  let at = from + mark.length;
  while (at < end && text[at] === " ") at++;
  const blob = blobAt(text, at, end);
  if (blob !== -1) at = blob;
  return at < end && text[at] === ":" ? at + 1 : -1;
}

/** Where a run of blobs ends, and where its last one starts. */
function skipBlobs(text: string, from: number, end: number): { end: number; lastStart: number } {
  let at = from;
  let lastStart = from;
  for (let next = blobAt(text, at, end); next !== -1; next = blobAt(text, at, end)) {
    lastStart = at;
    at = next;
  }
  return { end: at, lastStart };
}

/** The position after a subj-blob and its trailing spaces, or -1. */
function blobAt(text: string, from: number, end: number): number {
  if (text[from] !== "[") return -1;
  let at = from + 1;
  while (at < end && text[at] !== "]" && text[at] !== "[") at++;
  if (at >= end || text[at] !== "]") return -1;
  at++;
  while (at < end && text[at] === " ") at++;
  return at;
}
