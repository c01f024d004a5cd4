/** What takes text of a Word document out of its cell, its box or its page, or gives it the colour of what is around. Each was given before;
 *  LibreOffice paints nothing of it. */
import { describe, expect, it } from "vitest";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { type DocxParts, docxWith } from "../support/documents.ts";

const run = (properties: string, text = "HIDDEN"): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
const paragraph = (properties = "", text = "HIDDEN", letters = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr>${run(letters, text)}</w:p>`;
const style = (id: string, inside: string, type = "paragraph"): string =>
  `<w:style w:type="${type}" w:styleId="${id}"><w:name w:val="Name of ${id}"/>${inside}</w:style>`;
const cell = (properties = "", inside = paragraph()): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${inside}</w:tc>`;
const row = (properties: string, ...cells: readonly string[]): string =>
  `<w:tr><w:trPr>${properties}</w:trPr>${cells.join("")}</w:tr>`;
const table = (rows: string, properties = "", grid: readonly number[] = [4000]): string =>
  `<w:tbl><w:tblPr>${properties}</w:tblPr><w:tblGrid>${grid.map((one) => `<w:gridCol w:w="${one}"/>`).join("")}</w:tblGrid>${rows}</w:tbl>`;
const exact = (twentieths: number): string => `<w:trHeight w:val="${twentieths}" w:hRule="exact"/>`;
const wide = (twentieths: number): string => `<w:tcW w:w="${twentieths}" w:type="dxa"/>`;
const fixed = '<w:tblLayout w:type="fixed"/>';
const white = '<w:color w:val="FFFFFF"/>';
const many = "many words here ".repeat(60);
const other = paragraph("", "x");
const rows = row("", cell("", other)).repeat(10);
const page = (margins = "", size = 'w:w="11906" w:h="16838"', more = ""): string =>
  `<w:sectPr><w:pgSz ${size}/><w:pgMar w:top="1440" w:bottom="1440" ${margins || 'w:left="1440" w:right="1440"'}/>${more}</w:sectPr>`;
const small = page("", 'w:w="6000" w:h="9000"');
const emu = (points: number): number => Math.round(points * 12_700);

interface BoxForm {
  readonly size?: readonly [number, number];
  readonly at?: readonly [number, number];
  readonly from?: readonly [string, string];
  readonly inside?: string;
  readonly shape?: string;
  readonly body?: string;
}

function box(form: BoxForm): string {
  const { size = [200, 60], at, from = ["column", "paragraph"], inside = paragraph() } = form;
  const drawn = `<wp:extent cx="${emu(size[0])}" cy="${emu(size[1])}"/><a:graphic><a:graphicData><wps:wsp><wps:spPr>${form.shape ?? ""}</wps:spPr><wps:txbx><w:txbxContent>${inside}</w:txbxContent></wps:txbx>${form.body ?? "<wps:bodyPr/>"}</wps:wsp></a:graphicData></a:graphic>`;
  const placed =
    at === undefined
      ? `<wp:inline>${drawn}</wp:inline>`
      : `<wp:anchor><wp:positionH relativeFrom="${from[0]}"><wp:posOffset>${emu(at[0])}</wp:posOffset></wp:positionH><wp:positionV relativeFrom="${from[1]}"><wp:posOffset>${emu(at[1])}</wp:posOffset></wp:positionV>${drawn}</wp:anchor>`;
  return `<w:p><w:r><w:drawing>${placed}</w:drawing></w:r></w:p>`;
}

const field = (code: string, more = ""): string =>
  `<w:p><w:r><w:fldChar w:fldCharType="begin" ${more}/></w:r><w:r><w:instrText>${code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run("")}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;

const hidden: readonly (readonly [name: string, body: string, parts: DocxParts])[] = (
  [
    [
      "letters of four points over the line",
      `<w:p>${run('<w:sz w:val="8"/><w:vertAlign w:val="superscript"/>')}</w:p>`,
    ],
    ["small capitals of three points", `<w:p>${run('<w:sz w:val="6"/><w:smallCaps/>')}</w:p>`],
    [
      "the mixed colour of a pattern",
      `<w:p>${run('<w:color w:val="808080"/><w:shd w:val="pct50" w:color="000000" w:fill="FFFFFF"/>')}</w:p>`,
    ],
    [
      "the mixed colour of a pattern of lines",
      `<w:p>${run('<w:color w:val="808080"/><w:shd w:val="horzStripe" w:color="000000" w:fill="FFFFFF"/>')}</w:p>`,
    ],
    [
      "a raise out of a line of an exact height",
      paragraph('<w:spacing w:line="240" w:lineRule="exact"/>', "HIDDEN", '<w:position w:val="70"/>'),
    ],
    ["a line that is higher than a page", paragraph('<w:spacing w:line="30000" w:lineRule="exact"/>')],
    [
      "a line that is at least as high as a page",
      paragraph('<w:spacing w:line="30000" w:lineRule="atLeast"/>'),
    ],
    ["letters that are higher than a page", paragraph("", "HIDDEN", '<w:sz w:val="3200"/>')],
    ["a space before it that is higher than a page", paragraph('<w:spacing w:before="30000"/>')],
    [
      "the colour of the cell around its table",
      table(
        row(
          "",
          cell(
            '<w:shd w:val="clear" w:fill="FF0000"/>',
            table(row("", cell("", paragraph("", "HIDDEN", '<w:color w:val="FF0000"/>')))) + other,
          ),
        ),
      ),
    ],
    [
      "the colour that a style gives the cell around its table",
      table(
        row(
          "",
          cell("", table(row("", cell("", paragraph("", "HIDDEN", '<w:color w:val="FF0000"/>')))) + other),
        ),
        '<w:tblStyle w:val="T"/>',
      ),
      {
        styles: style(
          "T",
          '<w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:fill="FF0000"/></w:tcPr></w:tblStylePr>',
          "table",
        ),
      },
    ],
    [
      "a row that is lower than its letters",
      table(row(exact(200), cell("", paragraph("", "HIDDEN", '<w:sz w:val="144"/>')))),
    ],
    [
      "a space before it in a low row",
      table(row(exact(300), cell("", paragraph('<w:spacing w:before="2000"/>')))),
    ],
    [
      "a long paragraph before it in a low row",
      table(row(exact(500), cell("", paragraph("", many) + paragraph()))),
    ],
    ["the words before it in a low row", table(row(exact(500), cell("", paragraph("", `${many}HIDDEN`))))],
    [
      "white words before it in a low row",
      table(row(exact(500), cell("", `<w:p>${run(white, many)}${run("")}</w:p>`))),
    ],
    [
      "a shape before it in a low row",
      table(row(exact(600), cell("", box({ size: [100, 100], inside: other }) + paragraph()))),
    ],
    ["a table before it in a low row", table(row(exact(600), cell("", table(rows) + paragraph())))],
    [
      "rows before it, of a table in a low row",
      table(row(exact(600), cell("", table(rows + row("", cell())) + other))),
    ],
    ["a space before it in a box", box({ inside: paragraph('<w:spacing w:before="4000"/>') })],
    ["white words before it in a box", box({ inside: paragraph("", many, white) + paragraph() })],
    ["tabs before it in a box", box({ inside: `<w:p><w:r>${"<w:tab/>".repeat(100)}</w:r>${run("")}</w:p>` })],
    ["a shape before it in a box", box({ inside: box({ size: [100, 100], inside: other }) + paragraph() })],
    [
      "the left end of a centred table that is wider than the page",
      table(row("", cell(wide(9000)), cell(wide(24_000), other)), `<w:jc w:val="center"/>${fixed}`) + page(),
    ],
    [
      "the left end of a table at the right that is wider than the page",
      table(row("", cell(wide(9000)), cell(wide(15_000), other)), `<w:jc w:val="right"/>${fixed}`) + page(),
    ],
    [
      "a cell left of the page, of a table from right to left",
      table(row("", cell(wide(9000), other), cell(wide(9000))), `<w:bidiVisual/>${fixed}`) + page(),
    ],
    [
      "the right end of a cell that is wider than the page",
      table(row("", cell(wide(20_000), paragraph('<w:jc w:val="right"/>'))), fixed),
    ],
    [
      "a tab in a cell",
      table(
        row(
          "",
          cell(wide(6000), other),
          cell(
            wide(3000),
            `<w:p><w:pPr><w:tabs><w:tab w:val="left" w:pos="7000"/></w:tabs></w:pPr><w:r><w:tab/></w:r>${run("")}</w:p>`,
          ),
        ),
        fixed,
      ),
    ],
    [
      "margins that leave no room in a cell",
      table(
        row(
          "",
          cell(
            `${wide(1400)}<w:tcMar><w:left w:w="1300" w:type="dxa"/><w:right w:w="1300" w:type="dxa"/></w:tcMar>`,
          ),
        ),
        fixed,
      ),
    ],
    [
      "margins of cells of a style",
      table(row("", cell(wide(1500))), `<w:tblStyle w:val="T"/>${fixed}`),
      {
        styles: style(
          "T",
          '<w:tblPr><w:tblCellMar><w:left w:w="20000" w:type="dxa"/></w:tblCellMar></w:tblPr>',
          "table",
        ),
      },
    ],
    [
      "the indent of a style of tables",
      table(row("", cell(wide(1500))), '<w:tblStyle w:val="T"/>'),
      { styles: style("T", '<w:tblPr><w:tblInd w:w="20000" w:type="dxa"/></w:tblPr>', "table") },
    ],
    [
      "the lower end of a row that may be higher than a page",
      table(row('<w:trHeight w:val="31000" w:hRule="atLeast"/>', cell('<w:vAlign w:val="bottom"/>'))),
    ],
    [
      "an indent left of a narrow margin",
      paragraph('<w:ind w:left="-1400"/>') + page('w:left="100" w:right="1440"'),
    ],
    [
      "an indent right of a narrow margin",
      paragraph('<w:ind w:right="-1400"/><w:jc w:val="right"/>') + page('w:left="1440" w:right="100"'),
    ],
    [
      "a list whose first lines hang off the page",
      paragraph('<w:numPr><w:numId w:val="1"/></w:numPr>'),
      {
        numbering:
          '<w:abstractNum><w:lvl><w:pPr><w:ind w:left="720" w:hanging="9000"/></w:pPr></w:lvl></w:abstractNum>',
      },
    ],
    ["a box left of the page", box({ at: [-70, 100], from: ["page", "page"], size: [60, 40] }) + page()],
    ["a box above the page", box({ at: [100, -70], from: ["page", "page"], size: [100, 40] }) + page()],
    [
      "a box right of the right margin",
      box({ at: [200, 100], from: ["rightMargin", "page"], size: [100, 40] }) + page(),
    ],
    [
      "a box below the lower margin",
      box({ at: [100, 200], from: ["page", "bottomMargin"], size: [100, 40] }) + page(),
    ],
    ["a box right of a small page", box({ at: [400, 100], from: ["page", "page"], size: [100, 40] }) + small],
    ["a box below a small page", box({ at: [100, 600], from: ["page", "page"], size: [100, 40] }) + small],
    [
      "a box that is wider than the page",
      box({ at: [0, 0], size: [2000, 40], inside: paragraph('<w:jc w:val="right"/>') }) + page(),
    ],
    [
      "a box in a line that is wider than the page",
      box({ size: [2000, 40], inside: paragraph('<w:jc w:val="right"/>') }) + page(),
    ],
    [
      "a box that is higher than the page",
      box({ at: [0, 0], size: [200, 3000], body: '<wps:bodyPr anchor="b"/>' }) + page(),
    ],
    [
      "an outline whose text stands elsewhere",
      box({
        shape: '<a:custGeom><a:rect l="90000000" t="90000000" r="91000000" b="91000000"/></a:custGeom>',
      }),
    ],
    [
      "another name of its font",
      `<w:p>${run('<w:rFonts w:ascii="Foo"/>')}</w:p>`,
      { fontTable: '<w:font w:name="Foo"><w:altName w:val="Wingdings"/></w:font>' },
    ],
    [
      "a font that is said to be one of signs",
      `<w:p>${run('<w:rFonts w:ascii="Foo"/>')}</w:p>`,
      { fontTable: '<w:font w:name="Foo"><w:charset w:val="02"/></w:font>' },
    ],
    ["the number of a page", field("PAGEREF x")],
    ["a list of which another part says what is chosen", field("FORMDROPDOWN")],
    ["a field that is computed when the document is opened", field("QUOTE x", 'w:dirty="true"')],
    [
      "the height of a row behind its cells",
      `<w:tbl><w:tr>${cell()}<w:trPr>${exact(20)}</w:trPr></w:tr></w:tbl>`,
    ],
    [
      "what is said of a cell behind its text",
      `<w:tbl><w:tr><w:tc>${paragraph("", "HIDDEN", '<w:color w:val="FF0000"/>')}<w:tcPr><w:shd w:val="clear" w:fill="FF0000"/></w:tcPr></w:tc></w:tr></w:tbl>`,
    ],
    [
      "what is said of a paragraph behind its text",
      `<w:p>${run("")}<w:pPr><w:ind w:left="20000"/></w:pPr></w:p>`,
    ],
    [
      "what is said of letters behind them",
      "<w:p><w:r><w:t>HIDDEN</w:t><w:rPr><w:vanish/></w:rPr></w:r></w:p>",
    ],
  ] as readonly (readonly [name: string, body: string, parts?: DocxParts])[]
).map(([name, body, parts = {}]) => [name, body, parts] as const);

describe("text of a Word document is not given that may not be seen because of", () => {
  it.each(hidden)("%s", async (_, body, parts) => {
    const { text, removed } = await readDocument(docxWith(body, parts), "docx");
    expect(text).not.toContain("HIDDEN");
    expect(removed.length).toBeGreaterThan(0);
  });
});

const shown: readonly (readonly [name: string, body: string, parts: DocxParts])[] = (
  [
    [
      "letters over the line",
      `<w:p>${run('<w:sz w:val="20"/><w:vertAlign w:val="superscript"/>', "shown")}</w:p>`,
    ],
    ["a light pattern", `<w:p>${run('<w:shd w:val="pct10" w:color="auto" w:fill="auto"/>', "shown")}</w:p>`],
    [
      "a table in a light cell",
      table(
        row(
          "",
          cell(
            '<w:shd w:val="clear" w:fill="DDEEFF"/>',
            table(row("", cell("", paragraph("", "shown", '<w:color w:val="1F3864"/>')))),
          ),
        ),
      ),
    ],
    [
      "some lines in a row that holds them",
      table(
        row(
          exact(900),
          cell(
            "",
            paragraph("", "a few words of one line") + paragraph('<w:spacing w:before="60"/>', "shown"),
          ),
        ),
      ),
    ],
    [
      "a centred table that is wider than its text",
      table(
        row("", cell(wide(5000), paragraph("", "shown")), cell(wide(5500), other)),
        `<w:jc w:val="center"/>${fixed}`,
      ) + page(),
    ],
    [
      "the right end of a usual cell",
      table(row("", cell(wide(9000), paragraph('<w:jc w:val="right"/>', "shown"))), fixed) + page(),
    ],
    [
      "a table from right to left",
      table(
        row("", cell(wide(4000), other), cell(wide(4000), paragraph("", "shown"))),
        `<w:bidiVisual/>${fixed}`,
      ) + page(),
    ],
    [
      "a box at the edge of the page",
      box({ at: [-5, 100], from: ["page", "page"], inside: paragraph("", "shown") }) + page(),
    ],
    ["the number of a page", field("PAGEREF x").replace("HIDDEN", "12") + paragraph("", "shown")],
  ] as readonly (readonly [name: string, body: string, parts?: DocxParts])[]
).map(([name, body, parts = {}]) => [name, body, parts] as const);

describe("text of a Word document is given with", () => {
  it.each(shown)("%s", async (_, body, parts) => {
    const { text, removed } = await readDocument(docxWith(body, parts), "docx");
    expect([text.includes("shown"), removed]).toEqual([true, []]);
  });
});
