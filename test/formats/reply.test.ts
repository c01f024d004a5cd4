import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, test } from "vitest";
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { decodeCharset } from "#/src/formats/mime/charset.ts";
import { parseStructure, walkParts } from "#/src/formats/mime/structure.ts";
import { decodeTransfer } from "#/src/formats/mime/transfer-encoding.ts";
import { extractReply } from "#/src/formats/text/reply.ts";
import { corpusNote, hasCorpus } from "../support/corpus.ts";

const header = (names: readonly string[]): string =>
  names
    .map((name, at) => `${name}: ${at === 1 ? "Monday, 2 March 2026 10:00" : "Ann <ann@x.example>"}`)
    .join("\n");

describe("what is new in an answer", () => {
  it.each([
    ["On Mon, 2 Mar 2026 at 10:00, Ann <ann@x.example> wrote:\n\n> old"],
    ["On Monday, March 2, 2026 at\n10:00 AM Ann <ann@x.example>\nwrote:\n> old"],
    ["Am 02.03.2026 um 10:00 schrieb Ann:\n> old\n> older"],
    ["Le lun. 2 mars 2026 à 10:00, Ann <ann@x.example> a écrit :\n> old"],
    ["El lun, 2 mar 2026 a las 10:00, Ann escribió:\n\n> old"],
    ["Il giorno lun 2 mar 2026 alle ore 10:00 Ann ha scritto:\n> old"],
    ["02.03.2026 10:00 пользователь Ann написал:\n> old"],
    ["On 2 March 2026 10:00, Ann wrote:\nold without marks\n\nmore"],
    ["2026年3月2日 10:00 Ann <ann@x.example>:\n> old"],
    ["> old\n> older"],
    ["-----Original Message-----\nFrom: Ann\nSent: Monday\n\nold"],
    ["-----Ursprüngliche Nachricht-----\nVon: Ann\n\nold"],
    [`________________________________\n${header(["From", "Sent", "To", "Subject"])}\n\nold`],
    [`${header(["From", "Sent", "To", "Subject"])}\n\nold`],
    [`*From:* Ann\n*Sent:* Monday\n*To:* Bob\n*Subject:* x\n\nold`],
    [`${header(["Von", "Gesendet", "An", "Betreff"])}\nold`],
    [`${header(["De", "Envoyé", "À", "Objet"])}\nold`],
    [`${header(["Från", "Skickat", "Till", "Ämne"])}\nold`],
    [`${header(["От", "Отправлено", "Кому", "Тема"])}\nold`],
    [`${header(["差出人", "送信日時", "宛先", "件名"])}\nold`],
    [`Date: Thu, 26 Jun 2014\nSubject: x\nFrom: a@x.example\nTo: b@x.example\n\nold`],
  ])("ends before the quoted text: %j", (quoted) => {
    const text = `New text.\n\nAnd more: of it.\n\n${quoted}`;
    const { text: reply, cuts } = extractReply(text);
    expect(reply).toBe("New text.\n\nAnd more: of it.");
    expect(cuts.map(({ what }) => what)).toEqual(["quoted-history"]);
    expect(cuts.at(-1)!.end).toBe(text.length);
  });

  it.each([
    ["answers between quoted lines", "> one?\nyes\n> two?\nno", "yes\nno"],
    ["an answer under the quotation", "On 2 Mar 2026 Ann wrote:\n> old\n\nnew", "new"],
    ["text without any quotation", "a\n\nb: c\nd", "a\n\nb: c\nd"],
    [
      "a forwarded message",
      "See below.\n\n---------- Forwarded message ---------\nFrom: Ann <a@x.example>\nDate: Mon\nSubject: x\nTo: me\n\nthe point",
      "See below.\n\n---------- Forwarded message ---------\nFrom: Ann <a@x.example>\nDate: Mon\nSubject: x\nTo: me\n\nthe point",
    ],
    ["a text that is nothing but quotation", "> all\n> of it", "> all\n> of it"],
    [
      "sentences that end in a colon",
      "On Monday 2 March we wrote to them. They said:\n\nno.",
      "On Monday 2 March we wrote to them. They said:\n\nno.",
    ],
    ["a list of facts", "From: here\nTo: there\nprice 10", "From: here\nTo: there\nprice 10"],
    ["the telephone's greeting", "Yes.\n\nSent from my iPhone", "Yes.\n\nSent from my iPhone"],
  ])("keeps %s", (_, text, reply) => {
    expect(extractReply(text).text).toBe(reply);
  });

  it("ends before the signature, which is listed in cuts", () => {
    expect(extractReply("Yes.\n\n-- \nAnn\nx.example")).toEqual({
      text: "Yes.",
      cuts: [{ what: "signature", start: 6, end: 23 }],
    });
    expect(extractReply("Yes.\n--\nAnn\n\nOn 2 Mar 2026 Bob wrote:\n> old").text).toBe("Yes.");
    const long = `Yes.\n--\n${"not a signature\n".repeat(40)}`;
    expect(extractReply(long).text).toBe(long.trimEnd());
  });

  it("loses nothing: the cuts and the rest are the whole text", () => {
    const text = "a\n> b\nc\n\nOn 2 Mar 2026 Bob wrote:\n> d\n\n-- \nAnn";
    const { cuts } = extractReply(text);
    let kept = "";
    let at = 0;
    for (const { start, end } of cuts) {
      kept += text.slice(at, start);
      at = end;
    }
    kept += text.slice(at);
    expect(kept.replaceAll(/\s+/g, "")).toBe("ac");
  });

  it("takes time in proportion to its length, whatever it contains", () => {
    for (const piece of [
      "> a\n",
      "On 1.1.2026 x wrote:\n",
      "From: a\n",
      "a:\n",
      ":\n>\n",
      "-- \n",
      "<".repeat(50),
    ])
      expect(extractReply(piece.repeat(400_000 / piece.length)).text).toBeDefined();
  });
});

describe.skipIf(!hasCorpus)(`answers of many clients${corpusNote}`, () => {
  const folder = fileURLToPath(new URL("../../../shared/corpus/mail/talon/", import.meta.url));
  const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

  function textsOf(file: string): string[] {
    const bytes = readFileSync(folder + file);
    if (file.endsWith(".html")) return [renderHtml(bytes.toString(), "text").text];
    return walkParts(parseStructure(bytes))
      .filter(({ type }) => type === "text")
      .map((part) => {
        const content = bytes.subarray(part.bodyStart, part.bodyEnd);
        const text = decodeCharset(
          decodeTransfer(content, part.encoding),
          part.parameters.charset ?? "us-ascii",
        );
        return part.subtype === "html" ? renderHtml(text, "text").text : text.replaceAll("\r\n", "\n");
      });
  }

  function expectedOf(file: string): string {
    if (file.startsWith("html_")) return "Hi. I am fine. Thanks, Alex";
    const name = file.replace(/\.eml$/, "_reply_text");
    return readdirSync(folder).includes(name) ? fold(readFileSync(folder + name, "utf8")) : "Hello";
  }

  test("are found in all of them, their signature apart", () => {
    const files = readdirSync(folder).filter((file) => /^(?:html|standard)_.*\.(?:html|eml)$/.test(file));
    expect(files.length).toBeGreaterThan(20);
    for (const file of files)
      for (const text of textsOf(file)) {
        // A letter of its own stands in the HTML of this one.
        const expected =
          file.includes("standard_replies__outlook") && text.startsWith("Allo")
            ? "Allo! Follow up MIME!"
            : expectedOf(file);
        expect([file, fold(extractReply(text).text)]).toEqual([file, expected.replace(/ -- .*$/, "")]);
      }
  });

  test("end before a history that shares a paragraph with them", () => {
    for (const text of textsOf("reply-quotations-share-block.eml")) {
      const reply = extractReply(text).text;
      expect(reply).toContain("Hi Katharine");
      expect(reply).not.toContain("From:");
    }
  });
});
