/** What tabs, columns and rows of a Word document take off the page, or cut off. */
import { describe, expect, it } from "vitest";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { type DocxParts, docxWith } from "../support/documents.ts";

const paragraph = (properties: string, text: string): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const words = paragraph("", "HIDDEN");
const tabbed = (stop: string, text = "HIDDEN"): string =>
  `<w:p><w:pPr>${stop === "" ? "" : `<w:tabs>${stop}</w:tabs>`}</w:pPr><w:r><w:tab/><w:t>${text}</w:t></w:r></w:p>`;
const cell = (properties: string, inside = words): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${inside}</w:tc>`;
const row = (properties: string, ...cells: readonly string[]): string =>
  `<w:tr><w:trPr>${properties}</w:trPr>${cells.join("")}</w:tr>`;
const table = (rows: string, properties = "", grid: readonly number[] = []): string =>
  `<w:tbl><w:tblPr>${properties}</w:tblPr><w:tblGrid>${grid.map((one) => `<w:gridCol w:w="${one}"/>`).join("")}</w:tblGrid>${rows}</w:tbl>`;
const exact = (twentieths: number): string => `<w:trHeight w:val="${twentieths}" w:hRule="exact"/>`;
const other = paragraph("", "x");
const fixed = '<w:tblLayout w:type="fixed"/>';
const wide = (twentieths: number): string => `<w:tcW w:w="${twentieths}" w:type="dxa"/>`;
const section = (inside: string): string => `<w:sectPr>${inside}</w:sectPr>`;
const ruby = (properties: string): string =>
  `<w:p><w:r><w:ruby><w:rubyPr>${properties}</w:rubyPr><w:rt><w:r><w:t>HIDDEN</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>base</w:t></w:r></w:rubyBase></w:ruby></w:r></w:p>`;

const hidden: readonly (readonly [name: string, body: string, parts: DocxParts])[] = (
  [
    ["a tab that leads off the page", tabbed('<w:tab w:val="left" w:pos="25000"/>')],
    ["a tab that leads off this page", tabbed('<w:tab w:val="left" w:pos="12500"/>')],
    ["a tab that leads to its left", tabbed('<w:tab w:val="left" w:pos="-20000"/>')],
    [
      "a tab of a style",
      `<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr><w:r><w:tab/><w:t>HIDDEN</w:t></w:r></w:p>`,
      {
        styles:
          '<w:style w:type="paragraph" w:styleId="A"><w:pPr><w:tabs><w:tab w:val="right" w:pos="25000"/></w:tabs></w:pPr></w:style>',
      },
    ],
    ["tabs that are far apart", tabbed(""), { settings: '<w:defaultTabStop w:val="25000"/>' }],
    [
      "the tab of a list",
      paragraph('<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>', "HIDDEN"),
      {
        numbering:
          '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:pPr><w:tabs><w:tab w:val="num" w:pos="25000"/></w:tabs></w:pPr></w:lvl></w:abstractNum>',
      },
    ],
    ["a wide cell before it", table(row("", cell(wide(20_000), other), cell(wide(2000))), fixed)],
    [
      "a wide cell before it, on this page",
      table(row("", cell(wide(12_300), other), cell(wide(2000))), fixed),
    ],
    ["a wide column before it", table(row("", cell("", other), cell("")), fixed, [20_000, 2000])],
    [
      "a wide cell over two columns",
      table(row("", cell('<w:gridSpan w:val="2"/>', other), cell("")), fixed, [9000, 9000, 2000]),
    ],
    ["a narrow column", table(row("", cell(""), cell("", other)), fixed, [5, 2000])],
    [
      "a wide cell before it, in a cell behind one",
      table(
        row(
          "",
          cell(wide(7000), other),
          cell(wide(9000), table(row("", cell(wide(7000), other), cell(wide(2000))), fixed) + other),
        ),
        fixed,
      ),
    ],
    [
      "a wide cell before it, in a table that is moved in",
      table(
        row("", cell(wide(6000), other), cell(wide(2000))),
        `<w:tblInd w:w="7000" w:type="dxa"/>${fixed}`,
      ),
    ],
    [
      "a wide cell before it, in a table that floats",
      table(row("", cell(wide(6000), other), cell(wide(2000))), `<w:tblpPr w:tblpX="7000"/>${fixed}`),
    ],
    [
      "a wide cell before it, and an indent",
      table(
        row("", cell(wide(6000), other), cell(wide(9000), paragraph('<w:ind w:left="7000"/>', "HIDDEN"))),
        fixed,
      ),
    ],
    [
      "columns that are left out",
      table(row('<w:gridBefore w:val="1"/><w:wBefore w:w="20000" w:type="dxa"/>', cell(""))),
    ],
    [
      "columns of the grid that are left out",
      table(row('<w:gridBefore w:val="1"/>', cell("")), fixed, [20_000, 2000]),
    ],
    ["space between cells", table(row("", cell("")), '<w:tblCellSpacing w:w="9000" w:type="dxa"/>')],
    ["space between the cells of a row", table(row('<w:tblCellSpacing w:w="9000" w:type="dxa"/>', cell("")))],
    ["the margins of a cell", table(row("", cell('<w:tcMar><w:left w:w="20000" w:type="dxa"/></w:tcMar>')))],
    [
      "the margins of all cells",
      table(row(exact(300), cell("")), '<w:tblCellMar><w:top w:w="9000" w:type="dxa"/></w:tblCellMar>'),
    ],
    ["a low row with a line before it", table(row(exact(300), cell("", other + words)))],
    [
      "the end of a row that is higher than the page",
      table(row(exact(31_000), cell('<w:vAlign w:val="bottom"/>'))),
    ],
    ["a turned cell in a low row", table(row(exact(300), cell('<w:textDirection w:val="btLr"/>')))],
    [
      "two lines in one",
      `<w:p><w:r><w:rPr><w:eastAsianLayout w:combine="1"/></w:rPr><w:t>HIDDEN</w:t></w:r></w:p>`,
    ],
    ["small letters over others", ruby('<w:hps w:val="1"/>')],
    ["letters far over others", ruby('<w:hpsRaise w:val="4000"/>')],
    [
      "margins that leave no width",
      words + section('<w:pgSz w:w="12000" w:h="16000"/><w:pgMar w:left="7900" w:right="7900"/>'),
    ],
    [
      "margins that leave no height",
      words + section('<w:pgSz w:w="12000" w:h="10000"/><w:pgMar w:top="7900" w:bottom="7900"/>'),
    ],
    [
      "a column of no width",
      words + section('<w:cols w:num="2"><w:col w:w="1"/><w:col w:w="9000"/></w:cols>'),
    ],
  ] as readonly (readonly [name: string, body: string, parts?: DocxParts])[]
).map(([name, body, parts = {}]) => [name, body, parts] as const);

describe("text of a Word document is not given that may be taken off the page or cut off by", () => {
  it.each(hidden)("%s", async (_, body, parts) => {
    const { text, removed } = await readDocument(docxWith(body, parts), "docx");
    expect(text).not.toContain("HIDDEN");
    expect(removed.some(([what]) => what === "doubtful")).toBe(true);
  });
});

const lying = section(
  '<w:pgSz w:w="16838" w:h="11906" w:orient="landscape"/><w:pgMar w:left="1440" w:right="1440" w:top="1440" w:bottom="1440"/>',
);
const shown: readonly (readonly [name: string, body: string])[] = [
  ["behind a tab to the right edge", tabbed('<w:tab w:val="right" w:pos="9360"/>', "shown")],
  [
    "behind such a tab on a page that lies on its side",
    tabbed('<w:tab w:val="right" w:pos="13950"/>', "shown") + lying,
  ],
  ["behind a tab that is taken back", tabbed('<w:tab w:val="clear" w:pos="25000"/>', "shown")],
  [
    "in a paragraph with a far stop and no tab",
    paragraph('<w:tabs><w:tab w:val="left" w:pos="25000"/></w:tabs>', "shown"),
  ],
  [
    "in the last of some columns",
    table(row("", cell("", other), cell("", paragraph("", "shown"))), fixed, [7000, 2000]),
  ],
  [
    "in the last column of a page that lies on its side",
    table(row("", cell("", other), cell("", paragraph("", "shown"))), fixed, [12_000, 1900]) + lying,
  ],
  [
    "in a row of one line",
    table(row(exact(300), cell("", paragraph("", "shown")), cell("", paragraph("", "too")))),
  ],
  [
    "in a cell with borders and margins",
    table(
      row(
        "",
        cell(
          '<w:tcBorders><w:left w:val="single" w:sz="8"/></w:tcBorders><w:tcMar><w:left w:w="108" w:type="dxa"/></w:tcMar>',
          paragraph("", "shown"),
        ),
      ),
    ),
  ],
  ["behind a tab up to the edge of the page", tabbed('<w:tab w:val="right" w:pos="12240"/>', "shown")],
  [
    "in a table that begins left of the margin and is wider than the page, in cells that begin on it",
    table(
      row("", cell(wide(6000), paragraph("", "shown")), cell(wide(6000), other), cell(wide(2000), other)),
      `<w:tblInd w:w="-800" w:type="dxa"/>${fixed}`,
    ),
  ],
  ["over other letters", ruby('<w:hps w:val="10"/><w:hpsRaise w:val="18"/>').replace("HIDDEN", "shown")],
];

describe("text of a Word document is given that stands", () => {
  it.each(shown)("%s", async (_, body) => {
    const { text, removed } = await readDocument(docxWith(body), "docx");
    expect([text.includes("shown"), removed]).toEqual([true, []]);
  });
});

const said = paragraph("", "shown");
const beside: readonly (readonly [name: string, body: string])[] = [
  ["a tab that leads off the page", `${said}${tabbed('<w:tab w:val="left" w:pos="12500"/>')}${said}`],
  [
    "a tab, before it in its paragraph",
    tabbed('<w:tab w:val="left" w:pos="12500"/>').replace("<w:r>", "<w:r><w:t>shown shown</w:t></w:r><w:r>"),
  ],
  [
    "the last cell of a table that is wider than the page",
    table(
      row("", cell(wide(6000), said), cell(wide(6300), said), cell(wide(2000))) +
        row("", cell(wide(6000), said), cell(wide(6300), said)),
      fixed,
    ),
  ],
  [
    "a cell of another row",
    table(row("", cell(wide(12_300), said), cell(wide(2000))) + row("", cell(wide(12_300), said)), fixed) +
      said,
  ],
];

describe("text of a Word document is given beside what may be off the page behind", () => {
  it.each(beside)("%s", async (_, body) => {
    const { text, removed } = await readDocument(docxWith(body), "docx");
    expect(text.match(/shown/g)?.length).toBe(body.match(/shown/g)?.length);
    expect(text).not.toContain("HIDDEN");
    expect(removed).toEqual([["doubtful", 1, "may-be-off-screen"]]);
  });
});
