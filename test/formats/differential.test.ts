/** Our message structure compared with two parsers that read whole messages. They are right on well-formed mail. Cases in which they differ
 *  on purpose are left out:
 *  - mail that one of them refuses, or for which the two give different structures;
 *  - mailparser joins the text of all inline parts and removes line ends at the end; postal-mime does the same and opens
 *    nested messages. So text is compared only in messages with one text/plain leaf, without white space;
 *  - text in which they give U+FFFD (8-bit text without a charset), and text/plain with format=flowed, which both unfold;
 *  - a Content-Type without a slash, which is an attachment for them and text for us (RFC 2045 section 5.2);
 *  - a multipart inside one with the same boundary, which Dovecot and we close "innermost first". */
import type { Buffer } from "node:buffer";
import { simpleParser } from "mailparser";
import PostalMime from "postal-mime";
import { describe, expect, test } from "vitest";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { decodeWords } from "#/src/formats/mime/encoded-words.ts";
import { headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { type MimePart, parseStructure, walkParts } from "#/src/formats/mime/structure.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { corpusNote, hasCorpus, listCorpusMessages, toCrlf } from "#/test/support/corpus.ts";

function leaves(top: MimePart): MimePart[] {
  return walkParts(top).filter((part) => part.type !== "multipart" && part.message === undefined);
}

/** Parts that are text to read and not an attachment. */
function isReadable(part: MimePart): boolean {
  return (
    part.type === "text" && ["plain", "html"].includes(part.subtype) && part.disposition !== "attachment"
  );
}

function withoutSpace(text: string | undefined): string {
  return (text ?? "").replace(/\s+/g, "");
}

function agree(theirs: string | undefined, others: string | undefined): boolean {
  return withoutSpace(theirs) === withoutSpace(others) && !withoutSpace(theirs).includes("\ufffd");
}

function hasBareType(bytes: Buffer): boolean {
  return /^content-type:[ \t]*[^\s/]+[ \t]*(?:;|$)/im.test(bytes.toString("latin1"));
}

function hasSameBoundaries(top: MimePart): boolean {
  const boundaries = walkParts(top).flatMap((part) => part.parameters.boundary ?? []);
  return new Set(boundaries).size < boundaries.length;
}

describe.skipIf(!hasCorpus)(`differential${corpusNote}`, () => {
  test("subjects, texts and numbers of attachments are those of mailparser and postal-mime where the two agree", async () => {
    const differences: string[] = [];
    let compared = 0;
    for (const { file, bytes: stored } of listCorpusMessages()) {
      const bytes = toCrlf(stored);
      const [theirs, others] = await Promise.all([
        simpleParser(bytes, {
          skipHtmlToText: true,
          skipTextToHtml: true,
          skipTextLinks: true,
          skipImageLinks: true,
        }).catch(() => undefined),
        new PostalMime({ forceRfc822Attachments: true }).parse(bytes).catch(() => undefined),
      ]);
      if (theirs === undefined || others === undefined) continue;
      const top = parseStructure(bytes);
      if (hasBareType(bytes) || hasSameBoundaries(top)) continue;
      const parts = leaves(top);
      const fields = readHeaderFields(bytes);
      compared++;
      const subject = withoutSpace(decodeWords(headerValues(fields, "subject")[0] ?? ""));
      if (agree(theirs.subject, others.subject) && subject !== withoutSpace(theirs.subject))
        differences.push(`${file}: subject ${subject} / ${withoutSpace(theirs.subject)}`);
      const nested = walkParts(top).some((part) => part.message !== undefined);
      const attachments = parts.filter((part) => !isReadable(part)).length;
      if (
        !nested &&
        theirs.attachments.length === others.attachments.length &&
        attachments !== theirs.attachments.length
      )
        differences.push(`${file}: attachments ${attachments} / ${theirs.attachments.length}`);
      const texts = parts.filter(isReadable);
      const [only] = texts;
      if (nested || texts.length !== 1 || only!.subtype !== "plain" || only!.parameters.format !== undefined)
        continue;
      const body = bytes.subarray(only!.bodyStart, only!.bodyEnd);
      const text = withoutSpace(
        decodeCharset(decodeTransfer(body, only!.encoding), only!.parameters.charset),
      );
      if (agree(theirs.text, others.text) && text !== withoutSpace(theirs.text))
        differences.push(`${file}: text ${text.slice(0, 60)} / ${withoutSpace(theirs.text).slice(0, 60)}`);
    }
    expect(compared).toBeGreaterThan(900);
    expect(differences).toEqual([]);
  });
});
