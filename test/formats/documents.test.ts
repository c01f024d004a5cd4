import { describe, expect, it, test } from "vitest";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { calendarText, contactText } from "#/src/formats/text/content-lines.ts";
import { joinFlowed } from "#/src/formats/text/flowed.ts";
import { docxOf, pdfOf, zipOf } from "../support/documents.ts";

describe("a Word document", () => {
  it("is read as its paragraphs, tables and breaks, without hidden or deleted text", async () => {
    const { text, removed } = await readDocument(
      docxOf(`<w:p><w:r><w:t>First &amp; foremost</w:t></w:r><w:r><w:t xml:space="preserve"> line</w:t><w:br/><w:t>broken</w:t></w:r></w:p>
        <w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>HIDDEN1</w:t></w:r><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>HIDDEN2</w:t></w:r>
        <w:r><w:rPr><w:sz w:val="2"/></w:rPr><w:t>HIDDEN3</w:t></w:r><w:del><w:r><w:t>HIDDEN4</w:t></w:r></w:del>
        <w:r><w:rPr><w:color w:val="FFFFFF"/><w:shd w:fill="000000"/></w:rPr><w:t>shown\u200b</w:t></w:r></w:p>
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`),
      "docx",
    );
    expect(text).toMatch(/^First & foremost line\nbroken\nshown\na\n\tb/);
    expect(text).not.toContain("HIDDEN");
    expect(Object.fromEntries(removed)).toEqual({
      "hidden-by-style": 1,
      "invisible-colour": 1,
      "zero-size-text": 1,
      "hidden-element": 1,
      "zero-width": 1,
    });
  });

  it.each([
    ["is empty", Buffer.alloc(0), "undecodable"],
    ["is no archive", Buffer.from("PK\x03\x04 but no more"), "undecodable"],
    ["has no main part", zipOf("other.xml", Buffer.from("<a/>")), "undecodable"],
    ["unpacks to too much", zipOf("word/document.xml", Buffer.alloc(20 * 1024 * 1024)), "over-limit"],
    [
      "has a document type",
      zipOf("word/document.xml", Buffer.from('<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>')),
      "over-limit",
    ],
    ["is broken XML", zipOf("word/document.xml", Buffer.from("<a><b></a>")), "undecodable"],
    ["nests too deep", docxOf("<w:p>".repeat(10_000)), "over-limit"],
  ])("that %s is not read, and is reported", async (_, bytes, what) => {
    expect(await readDocument(bytes, "docx")).toEqual({ text: "", removed: [[what, 1]] });
  });
});

describe("a PDF", () => {
  it("is read as the text of its pages", async () => {
    expect(await readDocument(pdfOf(["Invoice 42", "Page two"]), "pdf")).toEqual({
      text: "Invoice 42\n\nPage two",
      removed: [],
    });
  });

  it("that is damaged is not read, and is reported as undecodable", async () => {
    expect(await readDocument(Buffer.from("%PDF-1.7 nothing"), "pdf")).toEqual({
      text: "",
      removed: [["undecodable", 1]],
    });
  });
});

test("a calendar is read as the text that a person sees", () => {
  const counted: [string, number][] = [];
  const text = calendarText(
    [
      "BEGIN:VCALENDAR",
      "METHOD:REQUEST",
      "BEGIN:VTIMEZONE",
      "TZID:X",
      "END:VTIMEZONE",
      "BEGIN:VEVENT",
      "DTSTART;TZID=Europe/Berlin:20261001T140000",
      "DTEND:20261001T130000Z",
      "SUMMARY:Budget\\, talk",
      'ORGANIZER;CN="Elin Rask":mailto:elin@rask.example',
      "ATTENDEE;PARTSTAT=ACCEPTED;CN=Robin:mailto:robin@x.example",
      "DESCRIPTION:Line one\\nline ",
      " two",
      "X-ALT-DESC;FMTTYPE=text/html:<p style='display:none'>SECRET",
      "BEGIN:VALARM",
      "DESCRIPTION:SECRET",
      "END:VALARM",
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\r\n"),
    (what, count) => counted.push([what, count]),
  );
  expect(text).toBe(
    "Method: REQUEST\n\nStarts: 2026-10-01 14:00 Europe/Berlin\nEnds: 2026-10-01 13:00 UTC\nSummary: Budget, talk\n" +
      "Organizer: Elin Rask <elin@rask.example>\nAttendee: Robin <robin@x.example> (accepted)\nDescription: Line one\nline two",
  );
  expect(counted).toEqual([["hidden-element", 1]]);
});

test("a contact is read as the text that a person sees", () => {
  const text = contactText(
    "BEGIN:VCARD\nVERSION:3.0\nFN:Ann Example\nitem1.EMAIL;TYPE=work:ann@x.example\nADR:;;Street 1;Town;;123;\nX-SECRET:SECRET\nPHOTO:AAAA\nEND:VCARD",
    () => {},
  );
  expect(text).toBe("Name: Ann Example\nEmail: ann@x.example\nAddress: Street 1, Town, 123");
});

test.each([
  ["a \nb\nc", false, "a b\nc"],
  ["> a \n> b\nc", false, "> a b\nc"],
  [">> a \n> b", false, ">> a \n> b"],
  ["a \nb", true, "ab"],
  [" > not quoted\n-- \nme", false, "> not quoted\n-- \nme"],
])("flowed text %j is joined", (text, deletesSpaces, joined) => {
  expect(joinFlowed(text, deletesSpaces)).toBe(joined);
});

test("an archive with damaged octets gives no text", async () => {
  const archive = zipOf("word/document.xml", Buffer.from("<a/>"));
  for (let at = 0; at < archive.length; at++)
    for (const value of [0, 255]) {
      const damaged = Buffer.from(archive);
      damaged[at] = value;
      expect((await readDocument(damaged, "docx")).text).toBe("");
    }
});
