import { deflateSync } from "node:zlib";
import { describe, expect, it, test } from "vitest";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { calendarText, contactText } from "#/src/formats/text/content-lines.ts";
import { joinFlowed } from "#/src/formats/text/flowed.ts";
import { docxHidings, pdfHidings } from "../long/obedient/hiding.ts";
import { docxOf, pdfOf, pdfOfObjects, zipOf } from "../support/documents.ts";
import { streamOf } from "../support/pdf-pages.ts";

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
    expect(await readDocument(bytes, "docx")).toMatchObject({ text: "", removed: [[what, 1]] });
  });
});

describe("a PDF", () => {
  it("is read as the text of its pages", async () => {
    expect(await readDocument(pdfOf(["Invoice 42", "Page two"]), "pdf")).toMatchObject({
      text: "Invoice 42\n\nPage two",
      removed: [],
    });
  });

  it("of which one page is damaged is read without that page, and it is reported", async () => {
    const cut = deflateSync(Buffer.from("BT /F1 12 Tf 72 720 Td (Cut) Tj ET\n".repeat(3000))).subarray(
      0,
      150,
    );
    const page = (contents: number): string =>
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${contents} 0 R >>`;
    const whole = streamOf("", "BT /F1 12 Tf 72 720 Td (Whole) Tj ET");
    const bytes = pdfOfObjects([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [4 0 R 5 0 R 6 0 R] /Count 3 >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      page(7),
      page(8),
      page(7),
      whole,
      streamOf("/Filter /FlateDecode", cut.toString("latin1")),
    ]);
    expect(await readDocument(bytes, "pdf")).toMatchObject({
      text: "Whole\n\nWhole",
      removed: [["undecodable", 1]],
    });
  });

  it("of which a page ends within its annotations is read without that page, and it is reported", async () => {
    const page = (more: string): string =>
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 6 0 R ${more} >>`;
    const bytes = pdfOfObjects([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [4 0 R 5 0 R] /Count 2 >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      page(""),
      page("/Annots 7 0 R"),
      streamOf("", "BT /F1 12 Tf 72 720 Td (Whole) Tj ET"),
      "[ 1 2",
    ]);
    expect(await readDocument(bytes, "pdf")).toMatchObject({ text: "Whole", removed: [["undecodable", 1]] });
  });

  it("whose pages lie in themselves is reported as damaged", async () => {
    const bytes = pdfOfObjects([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [2 0 R] /Count 2 /Parent 2 0 R >>",
    ]);
    expect(await readDocument(bytes, "pdf")).toMatchObject({ text: "", removed: [["undecodable", 1]] });
  });

  it("that is damaged is not read, and is reported as undecodable", async () => {
    expect(await readDocument(Buffer.from("%PDF-1.7 nothing"), "pdf")).toMatchObject({
      text: "",
      removed: [["undecodable", 1]],
    });
  });
});

describe("text that a person does not see", () => {
  it.each(docxHidings)("of a Word document is not given: %s", async (_, make) => {
    expect((await readDocument(make("HIDDEN"), "docx")).text).not.toContain("HIDDEN");
  });

  it.each([
    ["vanish", "<w:vanish/>"],
    ["white", '<w:color w:val="FFFFFF"/>'],
    ["nearly white", '<w:color w:val="F4F4F4"/>'],
    ["a colour of the theme", '<w:color w:val="FFFFFF" w:themeColor="background1"/>'],
    ["tiny", '<w:sz w:val="1"/>'],
    ["narrow", '<w:w w:val="1"/>'],
  ])("by a style of a Word document is not given: %s", async (_, properties) => {
    const styles = `<w:style w:type="paragraph" w:styleId="A"><w:rPr>${properties}</w:rPr></w:style>
      <w:style w:type="character" w:styleId="B"><w:basedOn w:val="A"/></w:style>`;
    const body = `<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:t>HIDDEN1</w:t></w:r></w:p>
      <w:p><w:r><w:rPr><w:rStyle w:val="B"/></w:rPr><w:t>HIDDEN2</w:t></w:r><w:r><w:t>shown</w:t></w:r></w:p>`;
    expect((await readDocument(docxOf(body, styles), "docx")).text).toBe("shown");
  });

  it("in a cell or a paragraph of its own colour is not given, and on another one it is", async () => {
    const white = '<w:rPr><w:color w:val="FFFFFF"/></w:rPr>';
    const cell = (fill: string, text: string) =>
      `<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:val="clear" w:fill="${fill}"/></w:tcPr><w:p><w:r>${white}<w:t>${text}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`;
    const paragraph = `<w:p><w:pPr><w:shd w:val="clear" w:fill="FFFFFF"/></w:pPr><w:r>${white}<w:t>HIDDEN</w:t></w:r></w:p>`;
    const { text } = await readDocument(
      docxOf(`${cell("1F3864", "shown")}${cell("FEFEFE", "HIDDEN")}${paragraph}`),
      "docx",
    );
    expect(text).toBe("shown");
  });

  it.each(pdfHidings)("of a PDF is not given: %s", async (_, make) => {
    const { text } = await readDocument(make("HIDDEN"), "pdf");
    expect(text).not.toContain("HIDDEN");
  });

  const page = (stream: string, more = ""): Buffer =>
    pdfOfObjects([
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
      "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> ${more} >> /Contents 5 0 R >>`,
      `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    ]);
  const words = "BT /F1 12 Tf 72 720 Td (Words) Tj ET";
  const state = (facts: string) => `/ExtGState << /G1 << ${facts} >> >>`;

  it.each([
    ["letters without alpha", page(`/G1 gs ${words}`, state("/ca 0.02"))],
    ["black on black", page(`0 0 0 rg 0 700 612 60 re f ${words}`)],
    ["the same grey", page(`0.5 g 0 700 612 60 re f ${words}`)],
    ["beyond the right edge", page("BT /F1 12 Tf 900 720 Td (Words) Tj ET")],
    ["squeezed", page("BT /F1 12 Tf 2 Tz 72 720 Td (Words) Tj ET")],
    ["under a thick line", page(`${words} 1 G 40 w 0 724 m 612 724 l S`)],
    ["under other letters", page(`${words} 1 g BT /F1 60 Tf 60 705 Td (MMMM) Tj ET`)],
    [
      "covered by an inline picture",
      page(`${words} q 600 0 0 600 0 200 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q`),
    ],
    ["cut by a circle", page(`0 0 m 10 0 10 10 0 10 c h W n ${words}`)],
  ])("of a PDF is not given: %s", async (_, bytes) => {
    expect((await readDocument(bytes, "pdf")).text).not.toContain("Words");
  });

  it.each([
    ["white on blue", page(`0 0 0.6 rg 0 700 612 60 re f 1 1 1 rg ${words}`)],
    ["underlined", page(`${words} 0.5 w 72 718 m 110 718 l S`)],
    ["printed twice", page(`${words} BT /F1 12 Tf 72.3 720 Td (Words) Tj ET`)],
    ["in a frame", page(`q 70 710 200 30 re W n ${words} Q`)],
    ["pieces with spaces between", page("BT /F1 12 Tf 72 720 Td [(W) -20 (or) 15 (ds)] TJ ET")],
    ["turned", page("BT /F1 12 Tf 0 1 -1 0 300 300 Tm (Words) Tj ET")],
    [
      "behind a picture elsewhere",
      page(`q 50 0 0 50 300 300 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q ${words}`),
    ],
  ])("is what is left out: honest text is given: %s", async (_, bytes) => {
    const { text, removed } = await readDocument(bytes, "pdf");
    expect([text.replace("WordsWords", "Words"), removed]).toEqual(["Words", []]);
  });

  it("behind a picture of the whole page is doubtful, and a line says so", async () => {
    const scan = `q 612 0 0 792 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q BT 3 Tr /F1 12 Tf 72 720 Td (Words) Tj ET`;
    const { text, removed } = await readDocument(page(scan), "pdf");
    expect([text, removed]).toEqual([
      "[1 passage left out: it may not be visible to a person]",
      [["doubtful", 1, "font-of-signs"]],
    ]);
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
