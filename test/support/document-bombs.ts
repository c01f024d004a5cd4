/** Documents that are small and made to take all of a processor or of memory. */
import { deflateRawSync, deflateSync } from "node:zlib";
import { bombPdf, docxOf, docxWith, pdfOfObjects, zipOfFiles } from "./documents.ts";
import { madeFont } from "./made-font.ts";

type Bomb = readonly [name: string, make: () => Buffer];

const catalog = "<< /Type /Catalog /Pages 2 0 R >>";
const font = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

function times(n: number, one: (at: number) => string, between = " "): string {
  return Array.from({ length: n }, (_, at) => one(at)).join(between);
}

function packed(text: string | Buffer, entries = ""): string {
  const octets = deflateSync(text, { level: 9 }).toString("latin1");
  return `<< /Length ${octets.length} /Filter /FlateDecode ${entries} >>\nstream\n${octets}\nendstream`;
}

function streamOf(text: string, entries = ""): string {
  return `<< /Length ${text.length} ${entries} >>\nstream\n${text}\nendstream`;
}

/** A page with these contents, resources and further objects (from number 6 on). */
function page(contents: string, resources = "", objects: readonly string[] = []): Buffer {
  return pdfOfObjects([
    catalog,
    "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
    font,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> ${resources} >> /Contents 5 0 R >>`,
    contents,
    ...objects,
  ]);
}

const words = "BT /F1 12 Tf 72 720 Td (words) Tj ET";
const filters = ["ASCIIHexDecode", "RunLengthDecode", "LZWDecode", "ASCII85Decode"] as const;

export const pdfBombs: readonly Bomb[] = [
  ["text that unpacks to hundreds of MiB", () => bombPdf(300)],
  ["filters in a chain", () => page(streamOf(words, `/Filter [${times(2000, () => "/ASCIIHexDecode")}]`))],
  ...filters.map(
    (filter): Bomb => [
      `a thousand times ${filter} around packed octets`,
      () =>
        page(
          packed(Buffer.alloc(4_000_000, "z")).replace(
            "/Filter /FlateDecode",
            `/Filter [/FlateDecode ${times(1000, () => `/${filter}`)}]`,
          ),
        ),
    ],
  ),
  ["a million operators", () => page(packed("0 0 m 9 9 l S ".repeat(1_000_000)))],
  [
    "three hundred thousand pieces of text",
    () => page(packed(`BT /F1 9 Tf 9 9 Td ${"(a) Tj 1 0 Td ".repeat(300_000)} ET`)),
  ],
  [
    "pieces of text and as many boxes",
    () => page(packed("BT /F1 9 Tf 99 99 Td (abc) Tj ET 0 0 9 9 re f ".repeat(60_000))),
  ],
  ["states in states", () => page(packed(`${"q ".repeat(1_000_000)}${words}`))],
  ["arrays in arrays", () => page(streamOf(`${"[".repeat(500_000)} ${words}`))],
  ["dictionaries in dictionaries", () => page(streamOf(words), "<< /A ".repeat(200_000))],
  [
    "two hundred thousand pages that are one",
    () =>
      pdfOfObjects([
        catalog,
        `<< /Type /Pages /Kids [${times(200_000, () => "4 0 R")}] /Count 200000 >>`,
        font,
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
        streamOf(words),
      ]),
  ],
  [
    "a deep tree of pages",
    () =>
      pdfOfObjects([
        catalog,
        ...Array.from({ length: 20_000 }, (_, at) => `<< /Type /Pages /Kids [${at + 3} 0 R] /Count 1 >>`),
        "<< /Type /Page /MediaBox [0 0 612 792] >>",
      ]),
  ],
  [
    "a tree of pages that holds itself",
    () => pdfOfObjects([catalog, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>"]),
  ],
  [
    "more pages than there are",
    () => pdfOfObjects([catalog, "<< /Type /Pages /Kids [] /Count 2000000000 >>"]),
  ],
  ["a length that is the stream itself", () => page("<< /Length 5 0 R >>\nstream\nBT ET\nendstream")],
  [
    "a form that draws itself",
    () =>
      page(streamOf("/X Do"), "/XObject << /X 6 0 R >>", [
        streamOf("/X Do /X Do", "/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>"),
      ]),
  ],
  [
    "forms that draw ten others each",
    () =>
      page(
        streamOf("/X Do"),
        "/XObject << /X 6 0 R >>",
        Array.from({ length: 12 }, (_, at) =>
          streamOf(
            at === 11 ? words : "/X Do ".repeat(10),
            `/Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> /XObject << /X ${at + 7} 0 R >> >>`,
          ),
        ),
      ),
  ],
  [
    "patterns that paint ten others each",
    () =>
      page(
        streamOf("/Pattern cs /P scn 0 0 9 9 re f"),
        "/Pattern << /P 6 0 R >>",
        Array.from({ length: 12 }, (_, at) =>
          streamOf(
            "/Pattern cs /P scn 0 0 9 9 re f ".repeat(10),
            `/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 1 /YStep 1 /Resources << /Pattern << /P ${at + 7} 0 R >> >>`,
          ),
        ),
      ),
  ],
  [
    "letters that are drawn by themselves",
    () =>
      page(streamOf("BT /F2 9 Tf 9 9 Td (aaaa) Tj ET"), "/Font << /F2 6 0 R >>", [
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << /a 7 0 R >> /Encoding << /Differences [97 /a] >> /FirstChar 97 /LastChar 97 /Widths [1] /Resources << /Font << /F2 6 0 R >> >> >>",
        streamOf("1 0 d0 BT /F2 1 Tf (aaaa) Tj ET"),
      ]),
  ],
  [
    "letters that are drawn by forty others each",
    () => {
      const letters = Array.from({ length: 40 }, (_, at) => String.fromCharCode(97 + at));
      const shown = Buffer.from(letters.join(""), "latin1").toString("hex");
      const names = times(40, (at) => `/n${at}`);
      const fonts = Array.from({ length: 4 }, (_, depth) => {
        const first = 6 + depth * 41;
        const inner = depth === 3 ? "" : `/Font << /F2 ${first + 41} 0 R >>`;
        const drawing = depth === 3 ? "0 0 1 1 re f" : `BT /F2 1 Tf <${shown}> Tj ET`;
        return [
          `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << ${times(40, (at) => `/n${at} ${first + 1 + at} 0 R`)} >> /Encoding << /Differences [97 ${names}] >> /FirstChar 97 /LastChar 136 /Widths [${times(40, () => "1")}] /Resources << ${inner} >> >>`,
          ...letters.map(() => streamOf(`1 0 d0 ${drawing}`)),
        ];
      });
      return page(streamOf(`BT /F2 9 Tf 9 9 Td <${shown}> Tj ET`), "/Font << /F2 6 0 R >>", fonts.flat());
    },
  ],
  [
    "ten thousand fonts",
    () =>
      page(
        streamOf(`BT ${times(10_000, (at) => `/G${at} 9 Tf 9 9 Td (a) Tj`)} ET`),
        `/Font << ${times(10_000, (at) => `/G${at} ${at + 6} 0 R`)} >>`,
        Array.from({ length: 10_000 }, () => font),
      ),
  ],
  [
    "a map of letters over all numbers",
    () =>
      page(streamOf(words.replace("/F1", "/F2")), "/Font << /F2 6 0 R >>", [
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>",
        packed(
          `1 begincodespacerange <00000000> <ffffffff> endcodespacerange ${"1 beginbfrange <00000000> <ffffffff> <0041> endbfrange ".repeat(5000)}`,
        ),
      ]),
  ],
  [
    "a picture of ten billion pixels",
    () =>
      page(streamOf("/X Do"), "/XObject << /X 6 0 R >>", [
        packed(
          Buffer.alloc(1000),
          "/Subtype /Image /Width 100000 /Height 100000 /BitsPerComponent 8 /ColorSpace /DeviceRGB",
        ),
      ]),
  ],
  [
    "a picture of a fax without end",
    () =>
      page(streamOf("/X Do"), "/XObject << /X 6 0 R >>", [
        streamOf(
          "\0".repeat(1000),
          "/Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 1 /ColorSpace /DeviceGray /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 60000 /Rows 60000 >>",
        ),
      ]),
  ],
  [
    "a function of a billion samples",
    () =>
      page(
        streamOf("/C cs 0.1 0.1 0.1 scn 0 0 9 9 re f"),
        "/ColorSpace << /C [/DeviceN [/A /B /D] /DeviceRGB 6 0 R] >>",
        [
          packed(
            Buffer.alloc(1000),
            "/FunctionType 0 /Domain [0 1 0 1 0 1] /Range [0 1 0 1 0 1] /Size [1000 1000 1000] /BitsPerSample 8",
          ),
        ],
      ),
  ],
  [
    "an object that holds itself packed",
    () =>
      Buffer.from(
        `%PDF-1.5\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /ObjStm /N 1 /First 4 /Extends 2 0 R /Length 20 >>\nstream\n2 0 << /Kids [2 0 R] >>\nendstream\nendobj\ntrailer\n<< /Size 2147483647 /Root 1 0 R /Prev 9 >>\nstartxref\n9\n%%EOF`,
      ),
  ],
  [
    "letters of a font that are made of themselves",
    () => {
      const bytes = madeFont([[[0, 0, 500, 500]]]);
      // The outline of glyph 1 becomes a composite of glyph 1, without end.
      const at = bytes.indexOf(Buffer.from([0, 1, 0, 0, 0, 0, 1, 0xf4, 1, 0xf4]));
      bytes.writeInt16BE(-1, at);
      bytes.writeUInt16BE(0x0022, at + 10);
      bytes.writeUInt16BE(1, at + 12);
      const file = bytes.toString("latin1");
      return page(streamOf("BT /F2 9 Tf 9 9 Td <0001> Tj ET"), "/Font << /F2 6 0 R >>", [
        "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [7 0 R] >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor 8 0 R >>",
        "<< /Type /FontDescriptor /FontName /A /Flags 4 /FontFile2 9 0 R >>",
        streamOf(file),
      ]);
    },
  ],
];

const wordNames = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const run = "<w:r><w:t>words</w:t></w:r>";
const style = (at: number): string =>
  `<w:style w:type="paragraph" w:styleId="S${at}"><w:basedOn w:val="S${at + 1}"/></w:style>`;

export const docxBombs: readonly Bomb[] = [
  [
    "entities in entities",
    () =>
      zipOfFiles([
        [
          "word/document.xml",
          Buffer.from(
            `<!DOCTYPE a [<!ENTITY a0 "words">${times(30, (at) => `<!ENTITY a${at + 1} "${`&a${at};`.repeat(10)}">`)}]><w:document ${wordNames}><w:body><w:p><w:r><w:t>&a30;</w:t></w:r></w:p></w:body></w:document>`,
          ),
        ],
      ]),
  ],
  ["elements in elements", () => docxOf("<w:p>".repeat(1_000_000))],
  [
    "tables in tables",
    () =>
      docxOf(
        "<w:tbl><w:tr><w:tc>".repeat(60) +
          `<w:p>${run}</w:p>`.repeat(50_000) +
          "</w:tc></w:tr></w:tbl>".repeat(60),
      ),
  ],
  [
    "a million styles that are based on each other",
    () => docxWith(`<w:p>${run}</w:p>`, { styles: times(60_000, style, "") }),
  ],
  [
    "one style chained to thousands",
    () =>
      docxWith(`<w:p><w:pPr><w:pStyle w:val="S0"/></w:pPr>${run}</w:p>`.repeat(2000), {
        styles: times(4900, style, ""),
      }),
  ],
  [
    "hundreds of thousands of attributes",
    () => docxOf(`<w:p ${times(300_000, (at) => `a${at}="1"`)}>${run}</w:p>`),
  ],
  [
    "a million names of vocabularies",
    () => docxOf(`<w:p ${times(200_000, (at) => `xmlns:a${at}="urn:a${at}"`)}>${run}</w:p>`),
  ],
  ["a text of fifteen MiB", () => docxOf(`<w:p><w:r><w:t>${"a".repeat(15 * 1024 * 1024)}</w:t></w:r></w:p>`)],
  ["a million paragraphs", () => docxOf("<w:p/>".repeat(1_500_000))],
  [
    "pictures and paragraphs",
    () => {
      const picture =
        '<w:p><w:r><w:drawing><wp:anchor><wp:extent cx="9999999" cy="9999999"/><wp:wrapNone/><a:graphic><a:graphicData><pic:pic/></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>';
      return docxWith(picture.repeat(20_000) + `<w:p>${run}</w:p>`.repeat(20_000));
    },
  ],
  [
    "headers that are one and the same file",
    () => {
      const header = Buffer.from(`<w:hdr ${wordNames}>${`<w:p>${run}</w:p>`.repeat(190_000)}</w:hdr>`);
      const sections = times(
        200,
        (at) =>
          `<w:p><w:pPr><w:sectPr><w:headerReference w:type="default" r:id="h${at}"/></w:sectPr></w:pPr></w:p>`,
        "",
      );
      return zipOfFiles([
        [
          "word/document.xml",
          Buffer.from(
            `<w:document ${wordNames} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><w:body>${sections}</w:body></w:document>`,
          ),
        ],
        [
          "word/_rels/document.xml.rels",
          Buffer.from(
            `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${times(200, (at) => `<Relationship Id="h${at}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/header" Target="h.xml"/>`)}</Relationships>`,
          ),
        ],
        ["word/h.xml", header],
      ]);
    },
  ],
  ["five thousand entries that are one", () => overlapping(4900)],
  ["an archive of archives", () => zipOfFiles([["word/document.xml", docxOf(`<w:p>${run}</w:p>`)]])],
  [
    "a part that unpacks to hundreds of MiB",
    () => zipOfFiles([["word/document.xml", Buffer.alloc(300 * 1024 * 1024)]]),
  ],
];

/** An archive whose entries all have the same octets, which unpack to 8 MiB each. */
function overlapping(count: number): Buffer {
  const content = deflateRawSync(Buffer.alloc(8 * 1024 * 1024, "<w:p/>"));
  const local = Buffer.alloc(30);
  local.write("PK\x03\x04", "latin1");
  local.writeUInt16LE(8, 8);
  const entries = Array.from({ length: count }, (_, at) => {
    const name = Buffer.from(at === 0 ? "word/document.xml" : `word/h${at}.xml`);
    const entry = Buffer.alloc(46);
    entry.write("PK\x01\x02", "latin1");
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(content.length, 20);
    entry.writeUInt16LE(name.length, 28);
    return Buffer.concat([entry, name]);
  });
  const central = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(30 + content.length, 16);
  return Buffer.concat([local, content, central, end]);
}
