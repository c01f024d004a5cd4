/** Which text of a Word document a person sees: styles, themes, tables, frames, text boxes. */
import { describe, expect, it } from "vitest";
import { themeColour } from "#/src/formats/documents/docx-theme.ts";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { type DocxParts, docxOf, docxWith, zipOfFiles } from "../support/documents.ts";

const run = (properties: string, text = "HIDDEN"): string =>
  `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
const paragraph = (properties: string, text = "HIDDEN"): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const style = (id: string, inside: string, type = "paragraph"): string =>
  `<w:style w:type="${type}" w:styleId="${id}">${inside}</w:style>`;
const theme = (slots: Readonly<Record<string, string>>): string =>
  `<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:themeElements><a:clrScheme name="x">${Object.entries(
    slots,
  )
    .map(([name, colour]) => `<a:${name}><a:srgbClr val="${colour}"/></a:${name}>`)
    .join("")}</a:clrScheme></a:themeElements></a:theme>`;

interface BoxForm {
  readonly extent?: readonly [number, number];
  readonly offset?: readonly [number, number];
  readonly anchor?: string;
  readonly shape?: string;
  readonly letters?: string;
}

/** A text box as Word writes it, lengths in points. */
function box(text: string, form: BoxForm = {}): string {
  const { extent = [200, 60], offset, anchor = "", shape = "", letters = "" } = form;
  const emu = (points: number): number => Math.round(points * 12_700);
  const inside = `<wp:extent cx="${emu(extent[0])}" cy="${emu(extent[1])}"/><a:graphic><a:graphicData><wps:wsp><wps:spPr>${shape}</wps:spPr><wps:txbx><w:txbxContent><w:p>${run(letters, text)}</w:p></w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>`;
  const placed =
    offset === undefined
      ? `<wp:inline>${inside}</wp:inline>`
      : `<wp:anchor ${anchor}><wp:positionH><wp:posOffset>${emu(offset[0])}</wp:posOffset></wp:positionH><wp:positionV><wp:posOffset>${emu(offset[1])}</wp:posOffset></wp:positionV>${inside}</wp:anchor>`;
  return `<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:drawing>${placed}</w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent><w:p>${run("", text)}</w:p></w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`;
}

const table = (rows: string, properties = ""): string =>
  `<w:tbl><w:tblPr>${properties}</w:tblPr>${rows}</w:tbl>`;
const row = (properties: string, inside: string): string =>
  `<w:tr><w:trPr>${properties}</w:trPr><w:tc>${inside}</w:tc></w:tr>`;

type Case = readonly [name: string, body: string, parts: DocxParts | undefined];

function withParts(cases: readonly (readonly [string, string, DocxParts?])[]): Case[] {
  return cases.map(([name, body, parts]) => [name, body, parts] as const);
}

const hidden: readonly Case[] = withParts([
  [
    "a colour of the theme that is white",
    `<w:p>${run('<w:color w:val="000000" w:themeColor="text1"/>')}</w:p>`,
    { theme: theme({ dk1: "FFFFFF" }) },
  ],
  [
    "a tint that leaves nothing",
    `<w:p>${run('<w:color w:val="auto" w:themeColor="accent1" w:themeTint="08"/>')}</w:p>`,
    { theme: theme({ accent1: "4472C4" }) },
  ],
  [
    "a shade behind letters",
    `<w:p>${run('<w:color w:val="000000"/><w:shd w:val="clear" w:fill="auto" w:themeFill="accent1" w:themeFillShade="10"/>')}</w:p>`,
    { theme: theme({ accent1: "4472C4" }) },
  ],
  [
    "a pattern",
    `<w:p>${run('<w:color w:val="FF0000"/><w:shd w:val="solid" w:color="FF0000" w:fill="FFFFFF"/>')}</w:p>`,
  ],
  [
    "a pattern of half its colour",
    `<w:p>${run('<w:color w:val="FF0000"/><w:shd w:val="pct50" w:color="FF0000" w:fill="FFFFFF"/>')}</w:p>`,
  ],
  [
    "a highlight before a shading",
    `<w:p>${run('<w:highlight w:val="black"/><w:shd w:val="clear" w:fill="FFFFFF"/>')}</w:p>`,
  ],
  ["letters that are not filled", `<w:p>${run("<w14:textFill><w14:noFill/></w14:textFill>")}</w:p>`],
  [
    "a fill beside the colour",
    `<w:p>${run('<w:color w:val="000000"/><w14:textFill><w14:solidFill><w14:srgbClr w14:val="FFFFFF"/></w14:solidFill></w14:textFill>')}</w:p>`,
  ],
  [
    "a fill that lets all through",
    `<w:p>${run('<w14:textFill><w14:solidFill><w14:srgbClr w14:val="000000"><w14:alpha w14:val="100000"/></w14:srgbClr></w14:solidFill></w14:textFill>')}</w:p>`,
  ],
  [
    "what was before a change",
    `<w:p>${run('<w:color w:val="FFFFFF"/><w:rPrChange><w:rPr><w:color w:val="000000"/></w:rPr></w:rPrChange>')}</w:p>`,
  ],
  [
    "a style that another one does not show",
    `<w:p><w:pPr><w:pStyle w:val="A"/></w:pPr>${run('<w:rStyle w:val="B"/>')}</w:p>`,
    {
      styles:
        style("A", "<w:rPr><w:vanish/></w:rPr>") +
        style("B", '<w:rPr><w:vanish w:val="0"/></w:rPr>', "character"),
    },
  ],
  ["letters on each other", `<w:p>${run('<w:spacing w:val="-200"/>')}</w:p>`],
  ["letters far over the line", `<w:p>${run('<w:position w:val="400"/>')}</w:p>`],
  ["a line of a point", paragraph('<w:spacing w:line="20" w:lineRule="exact"/>')],
  ["an indent over the page", paragraph('<w:ind w:left="20000"/>')],
  ["an indent to the left of the page", paragraph('<w:ind w:left="-9000"/>')],
  ["a frame off the page", paragraph('<w:framePr w:w="3000" w:x="-20000" w:y="100"/>')],
  ["a narrow frame", paragraph('<w:framePr w:w="10"/>')],
  [
    "a frame without a size off the page",
    paragraph('<w:framePr w:w="0" w:h="0" w:hRule="exact" w:x="20000"/>'),
  ],
  [
    "a frame without a size below the page",
    paragraph('<w:framePr w:w="0" w:h="0" w:hRule="exact" w:y="20000"/>'),
  ],
  ["a low frame without a width", paragraph('<w:framePr w:w="0" w:h="1" w:hRule="exact"/>')],
  ["a low frame of a part of a unit", paragraph('<w:framePr w:w="0" w:h="0.5" w:hRule="exact"/>')],
  ["a low frame below its place", paragraph('<w:framePr w:h="-1" w:hRule="exact"/>')],
  ["a narrow frame without a height", paragraph('<w:framePr w:w="1" w:h="0" w:hRule="exact"/>')],
  ["a narrow frame of its own height", paragraph('<w:framePr w:w="1"/>')],
  [
    "a low frame and one without a size",
    paragraph('<w:framePr w:h="10" w:hRule="exact"/><w:framePr w:w="0" w:h="0" w:hRule="exact"/>'),
  ],
  [
    "a frame without a size and a low one",
    paragraph('<w:framePr w:w="0" w:h="0" w:hRule="exact"/><w:framePr w:h="10" w:hRule="exact"/>'),
  ],
  [
    "a frame without a size and lines without height",
    paragraph('<w:framePr w:w="0" w:h="0" w:hRule="exact"/><w:spacing w:line="20" w:lineRule="exact"/>'),
  ],
  ["a low frame", paragraph('<w:framePr w:w="3000" w:h="10" w:hRule="exact"/>')],
  ["a row that is hidden", table(row("<w:hidden/>", paragraph("")))],
  ["a row of a point", table(row('<w:trHeight w:val="20" w:hRule="exact"/>', paragraph("")))],
  [
    "a style of the table",
    table(row("", paragraph("")), '<w:tblStyle w:val="T"/>'),
    { styles: style("T", '<w:rPr><w:color w:val="FFFFFF"/></w:rPr>', "table") },
  ],
  [
    "a row of the style of the table",
    table(row("", paragraph("")), '<w:tblStyle w:val="T"/>'),
    {
      styles: style(
        "T",
        '<w:tblStylePr w:type="firstRow"><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:tblStylePr>',
        "table",
      ),
    },
  ],
  [
    "the code of a field",
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:t>HIDDEN</w:t></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>',
  ],
  ["a box off the page", box("HIDDEN", { offset: [-900, 10] })],
  ["a box far below", box("HIDDEN", { offset: [10, 5000] })],
  ["a box behind the text", box("HIDDEN", { offset: [10, 10], anchor: 'behindDoc="1"' })],
  ["a hidden box", box("HIDDEN", { offset: [10, 10], anchor: 'hidden="1"' })],
  ["a box without a size", box("HIDDEN", { extent: [0, 0] })],
  ["a low box", box("HIDDEN", { extent: [200, 3] })],
  ["a box that is too full", box("HIDDEN ".repeat(400), { extent: [200, 40] })],
  [
    "a box of the colour of its letters",
    box("HIDDEN", {
      shape: '<a:solidFill><a:srgbClr val="FF0000"/></a:solidFill>',
      letters: '<w:color w:val="FF0000"/>',
    }),
  ],
  ["a black box", box("HIDDEN", { shape: '<a:solidFill><a:srgbClr val="000000"/></a:solidFill>' })],
  ["a box filled with a picture", box("HIDDEN", { shape: "<a:blipFill/>" })],
  [
    "what is for other programs",
    '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps"><w:t>shown</w:t></mc:Choice><mc:Fallback><w:t>HIDDEN</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>',
  ],
  [
    "what is for programs that nobody has",
    '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="zz"><w:t>HIDDEN</w:t></mc:Choice><mc:Fallback><w:t>HIDDEN</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>',
  ],
  [
    "a text box of an old program",
    "<w:p><w:r><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r><w:t>HIDDEN</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>",
  ],
]);

describe("text of a Word document is not given that is hidden by", () => {
  it.each(hidden)("%s", async (_, body, parts) => {
    const { text, removed } = await readDocument(docxWith(`${body}${paragraph("", "after")}`, parts), "docx");
    expect(text).not.toContain("HIDDEN");
    expect(text).toContain("after");
    expect(removed.length).toBeGreaterThan(0);
    const isDoubtful = removed.some(([what]) => what === "doubtful");
    expect(text.includes("left out")).toBe(isDoubtful);
  });
});

const anchored = (attributes: string, inside: string): string =>
  `<w:p><w:r><w:drawing><wp:anchor ${attributes}>${inside}</wp:anchor></w:drawing></w:r></w:p>`;
const nearby =
  '<wp:positionH relativeFrom="column"><wp:posOffset>0</wp:posOffset></wp:positionH><wp:positionV relativeFrom="paragraph"><wp:posOffset>0</wp:posOffset></wp:positionV>';
/** More than a small shape is high. */
const lines = paragraph("", "line").repeat(14);
const wideBox = '<wp:extent cx="2540000" cy="762000"/>';
const textIn = (text = "HIDDEN", before = "", after = ""): string =>
  `<a:graphic><a:graphicData><wps:wsp><wps:spPr/>${before}<wps:txbx><w:txbxContent><w:p>${run("", text)}</w:p></w:txbxContent></wps:txbx>${after}</wps:wsp></a:graphicData></a:graphic>`;
const cell = (properties: string): string =>
  table(`<w:tr><w:tc><w:tcPr>${properties}</w:tcPr>${paragraph("")}</w:tc></w:tr>`);
const field = (code: string, text = "HIDDEN"): string =>
  `<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>${code}</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>${run("", text)}<w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>`;
const usualStyle = (inside: string, more = 'w:type="paragraph" w:default="1"'): string =>
  `<w:style ${more} w:styleId="N">${inside}</w:style>`;
const vanishing = "<w:rPr><w:vanish/></w:rPr>";
/** What is behind the text shows again, so that the rest of the document is read. */
const seen = '<w:rPr><w:vanish w:val="0"/></w:rPr>';
const chain = (length: number): string =>
  style("S0", vanishing) +
  Array.from({ length }, (_, at) => style(`S${at + 1}`, `<w:basedOn w:val="S${at}"/>`)).join("");

const branches = (taken: string, other: string, requires = "w14"): string =>
  `<mc:AlternateContent><mc:Choice Requires="${requires}">${taken}</mc:Choice><mc:Fallback>${other}</mc:Fallback></mc:AlternateContent>`;
const fieldMark = (kind: string): string => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`;
const whiteAndPlain = {
  styles:
    style("White", '<w:rPr><w:color w:val="FFFFFF"/></w:rPr>', "character") +
    style("Plain", "", "character") +
    style("WhiteP", '<w:rPr><w:color w:val="FFFFFF"/></w:rPr>') +
    style("PlainP", "") +
    style("WhiteT", '<w:rPr><w:color w:val="FFFFFF"/></w:rPr>', "table") +
    style("PlainT", "", "table"),
};
const red = '<a:solidFill><a:srgbClr val="FF0000"/></a:solidFill>';
const fontsOfTheme = (name: string): string =>
  theme({ dk1: "000000" }).replace(
    "</a:themeElements>",
    `<a:fontScheme><a:minorFont><a:latin typeface="${name}"/></a:minorFont></a:fontScheme></a:themeElements>`,
  );
const embedded = '<w:font w:name="Arial X"><w:embedRegular/></w:font>';

/** Each was given before, or read as something else. */
const attacks: readonly Case[] = withParts([
  ["vanish beside another switch", `<w:p>${run('<w:vanish/><w:webHidden w:val="0"/>')}</w:p>`],
  ["vanish said twice", `<w:p>${run('<w:vanish/><w:vanish w:val="0"/>')}</w:p>`],
  ["a switch of another vocabulary", `<w:p>${run('<w:vanish zz:val="0"/>')}</w:p>`],
  ["a switch of no vocabulary", `<w:p>${run('<w:vanish val="0"/>')}</w:p>`],
  ["the size of other scripts", `<w:p>${run('<w:rtl/><w:sz w:val="24"/><w:szCs w:val="1"/>')}</w:p>`],
  ["a size that is no number", `<w:p>${run('<w:sz w:val="x"/>')}</w:p>`],
  ["a width for all letters", `<w:p>${run('<w:fitText w:val="1"/>')}</w:p>`],
  ["a colour that is no number", `<w:p>${run('<w:color w:val="#FFFFFF"/>')}</w:p>`],
  ["a colour said twice", `<w:p>${run('<w:color w:val="FFFFFF"/><w:color w:val="000000"/>')}</w:p>`],
  [
    "a fill beside a shadow",
    `<w:p>${run('<w14:textFill><w14:solidFill><w14:srgbClr w14:val="FFFFFF"/></w14:solidFill></w14:textFill><w14:shadow><w14:srgbClr w14:val="000000"/></w14:shadow>')}</w:p>`,
  ],
  [
    "a change of the colour of a fill",
    `<w:p>${run('<w14:textFill><w14:solidFill><w14:schemeClr w14:val="tx1"><w14:lumMod w14:val="0"/><w14:lumOff w14:val="100000"/></w14:schemeClr></w14:solidFill></w14:textFill>')}</w:p>`,
  ],
  ["an element of nobody", `<w:p><zz:x>${run("")}</zz:x></w:p>`, { root: 'mc:Ignorable="zz"' }],
  ["an element that Word does not have", `<w:p><w:none>${run("")}</w:none></w:p>`],
  ["letters outside of a run", "<w:p><w:t>HIDDEN</w:t></w:p>"],
  ["a drawing without a box", `<w:p><a:graphic>${run("")}</a:graphic></w:p>`],
  [
    "a program that does not exist yet",
    '<w:p><w:r><mc:AlternateContent><mc:Choice Requires="later"><w:t>HIDDEN</w:t></mc:Choice><mc:Fallback><w:t>HIDDEN</w:t></mc:Fallback></mc:AlternateContent></w:r></w:p>',
  ],
  [
    "a control that takes its text from elsewhere",
    `<w:sdt><w:sdtPr><w:dataBinding w:xpath="/x"/></w:sdtPr><w:sdtContent>${paragraph("")}</w:sdtContent></w:sdt>`,
  ],
  ["a field that is computed anew", field(" PAGE ")],
  ["a field that nobody knows", field("ZZZ")],
  ["a simple field", `<w:p><w:fldSimple w:instr="DATE">${run("")}</w:fldSimple></w:p>`],
  [
    "a deleted row",
    `<w:tbl><w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>${paragraph("")}</w:tc></w:tr></w:tbl>`,
  ],
  ["a cell that continues another", cell("<w:vMerge/>")],
  ["a cell that continues the one beside it", cell('<w:hMerge w:val="continue"/>')],
  ["a narrow cell", cell('<w:tcW w:w="5" w:type="dxa"/>')],
  ["a cell that fits its text", cell("<w:tcFitText/>")],
  ["a table off the page", table(row("", paragraph("")), '<w:tblInd w:w="-20000" w:type="dxa"/>')],
  ["a floating table off the page", table(row("", paragraph("")), '<w:tblpPr w:tblpX="-20000"/>')],
  [
    "a table of the colour of its letters",
    table(
      row("", `<w:p>${run('<w:color w:val="FF0000"/>')}</w:p>`),
      '<w:shd w:val="clear" w:fill="FF0000"/>',
    ),
  ],
  ["an indent in letters", paragraph('<w:ind w:leftChars="100000"/>')],
  ["two indents together", paragraph('<w:ind w:left="7000" w:firstLine="7000"/>')],
  [
    "an indent beside the one of its style",
    paragraph('<w:pStyle w:val="A"/><w:ind w:right="0"/>'),
    { styles: style("A", '<w:pPr><w:ind w:left="-9000"/></w:pPr>') },
  ],
  [
    "the rule of a line without its height",
    paragraph('<w:pStyle w:val="A"/><w:spacing w:lineRule="exact"/>'),
    { styles: style("A", '<w:pPr><w:spacing w:line="20"/></w:pPr>') },
  ],
  [
    "the height of a line without its rule",
    paragraph('<w:pStyle w:val="A"/><w:spacing w:line="20"/>'),
    { styles: style("A", '<w:pPr><w:spacing w:line="240" w:lineRule="exact"/></w:pPr>') },
  ],
  ["properties behind those of the mark", paragraph('<w:rPr/><w:ind w:left="20000"/>')],
  [
    "a frame of a style",
    paragraph('<w:pStyle w:val="A"/>'),
    { styles: style("A", '<w:pPr><w:framePr w:w="3000" w:x="-20000"/></w:pPr>') },
  ],
  [
    "a list off the page",
    paragraph('<w:numPr><w:numId w:val="1"/></w:numPr>'),
    { numbering: '<w:abstractNum><w:lvl><w:pPr><w:ind w:left="20000"/></w:pPr></w:lvl></w:abstractNum>' },
  ],
  ["a font of signs", `<w:p>${run('<w:rFonts w:ascii="Wingdings"/>')}</w:p>`],
  [
    "a font of its own",
    `<w:p>${run('<w:rFonts w:ascii="Arial X"/>')}</w:p>`,
    { fontTable: '<w:font w:name="Arial X"><w:embedRegular/></w:font>' },
  ],
  [
    "the usual style, which is said to be usual in another word",
    paragraph('<w:pStyle w:val="none"/>'),
    { styles: usualStyle(vanishing, 'w:type="paragraph" w:default="true"') + style("V", seen) },
  ],
  [
    "a style of the usual table",
    table(row("", paragraph(""))),
    { styles: usualStyle('<w:rPr><w:color w:val="FFFFFF"/></w:rPr>', 'w:type="table" w:default="1"') },
  ],
  [
    "a style of a run that is the usual one",
    `<w:p>${run("")}</w:p>`,
    { styles: usualStyle(vanishing, 'w:type="character" w:default="1"') + style("V", seen, "character") },
  ],
  [
    "names of the theme that are exchanged",
    `<w:p>${run('<w:color w:val="auto" w:themeColor="text1"/>')}</w:p>`,
    { theme: theme({ dk1: "000000", lt1: "FFFFFF" }), settings: '<w:clrSchemeMapping w:t1="light1"/>' },
  ],
  [
    "a colour of the theme by its name",
    `<w:p>${run('<w:color w:val="000000" w:themeColor="text1"/>')}</w:p>`,
    { theme: theme({ lt1: "FFFFFF" }).replace("<a:lt1>", '<a:dk1><a:prstClr val="white"/></a:dk1><a:lt1>') },
  ],
  [
    "a colour of the system that lies about what it was",
    `<w:p>${run('<w:color w:val="000000" w:themeColor="text1"/>')}</w:p>`,
    {
      theme: theme({ lt1: "FFFFFF" }).replace(
        "<a:lt1>",
        '<a:dk1><a:sysClr val="window" lastClr="000000"/></a:dk1><a:lt1>',
      ),
    },
  ],
  ["a box behind the text, in another word", anchored('behindDoc="true"', wideBox + textIn())],
  ["a hidden box, in another word", anchored('hidden="true"', wideBox + textIn())],
  ["a simple place", anchored('simplePos="1"', `<wp:simplePos x="-9000000" y="0"/>${wideBox}${textIn()}`)],
  [
    "a place in shares of the page",
    anchored(
      "",
      `<wp:positionH><wp14:pctPosHOffset>-500000</wp14:pctPosHOffset></wp:positionH>${wideBox}${textIn()}`,
    ),
  ],
  [
    "a shape whose letters are white",
    `${anchored(
      "",
      nearby +
        wideBox +
        textIn(
          "HIDDEN",
          '<wps:style><a:fontRef idx="minor"><a:schemeClr val="lt1"/></a:fontRef></wps:style>',
        ),
    )}${lines}`,
  ],
  [
    "a style that only other programs take",
    `<w:p>${run(branches('<w:rStyle w:val="White"/>', '<w:rStyle w:val="Plain"/>'))}</w:p>`,
    whiteAndPlain,
  ],
  [
    "a style of a paragraph that only other programs take",
    paragraph(branches('<w:pStyle w:val="WhiteP"/>', '<w:pStyle w:val="PlainP"/>')),
    whiteAndPlain,
  ],
  [
    "a style of a table that only other programs take",
    table(row("", paragraph("")), branches('<w:tblStyle w:val="WhiteT"/>', '<w:tblStyle w:val="PlainT"/>')),
    whiteAndPlain,
  ],
  [
    "a highlight that only other programs take",
    `<w:p>${run(branches('<w:highlight w:val="black"/>', '<w:highlight w:val="yellow"/>'))}</w:p>`,
  ],
  [
    "a font that only other programs take",
    `<w:p>${run(branches('<w:rFonts w:ascii="Wingdings"/>', '<w:rFonts w:ascii="Arial"/>'))}</w:p>`,
  ],
  [
    "the end of a field that only other programs take",
    `<w:p>${fieldMark("begin")}${branches("", fieldMark("end"))}${run("")}${fieldMark("separate")}${fieldMark("end")}</w:p>`,
  ],
  [
    "a color that is said where not all programs read it",
    `<w:p><w:pPr><w:pStyle w:val="WhiteP"/></w:pPr>${run('<zz:x><w:color w:val="000000"/></zz:x>')}</w:p>`,
    whiteAndPlain,
  ],
  [
    "two styles of a run",
    `<w:p>${run('<w:rStyle w:val="White"/><w:rStyle w:val="Plain"/>')}</w:p>`,
    whiteAndPlain,
  ],
  [
    "two styles of a paragraph",
    paragraph('<w:pStyle w:val="WhiteP"/><w:pStyle w:val="PlainP"/>'),
    whiteAndPlain,
  ],
  ["two highlights", `<w:p>${run('<w:highlight w:val="black"/><w:highlight w:val="yellow"/>')}</w:p>`],
  ["two fonts", `<w:p>${run('<w:rFonts w:ascii="Wingdings"/><w:rFonts w:ascii="Arial"/>')}</w:p>`],
  [
    "a run in a run",
    "<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:ruby><w:rt><w:r/></w:rt></w:ruby><w:t>HIDDEN</w:t></w:r></w:p>",
  ],
  [
    "a row in a row that is hidden",
    `<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr><zz:x><w:tr/></zz:x><w:tc>${paragraph("")}</w:tc></w:tr></w:tbl>`,
  ],
  [
    "a shadow of another colour than the fill",
    box("HIDDEN", {
      shape: `${red}<a:effectLst><a:outerShdw><a:srgbClr val="FFFFFF"/></a:outerShdw></a:effectLst>`,
      letters: '<w:color w:val="FF0000"/>',
    }),
  ],
  [
    "a fill that only an extension has",
    box("HIDDEN", {
      shape: `${red}<a:extLst><a:ext><a:hiddenFill>${red.replace("FF0000", "FFFFFF")}</a:hiddenFill></a:ext></a:extLst>`,
      letters: '<w:color w:val="FF0000"/>',
    }),
  ],
  ...["inv", "lum", "comp", "gamma", "alphaOff"].map(
    (change) =>
      [
        `a fill that is changed by ${change}`,
        box("HIDDEN", {
          shape: `<a:solidFill><a:srgbClr val="FFFFFF"><a:${change}/></a:srgbClr></a:solidFill>`,
        }),
      ] as const,
  ),
  [
    "a fill in shares of colours",
    box("HIDDEN", { shape: '<a:solidFill><a:scrgbClr r="0" g="0" b="0"/></a:solidFill>' }),
  ],
  ["a fill without a colour", box("HIDDEN", { shape: "<a:solidFill/>" })],
  ["two fills", box("HIDDEN", { shape: red.replace("FF0000", "000000") + red.replace("FF0000", "FFFFFF") })],
  ["a fill in a branch", box("HIDDEN", { shape: branches(red.replace("FF0000", "000000"), "<a:noFill/>") })],
  [
    "a place in marked text",
    anchored(
      "",
      `<wp:positionH><wp:posOffset><![CDATA[99999999]]></wp:posOffset></wp:positionH>${wideBox}${textIn()}`,
    ),
  ],
  [
    "a place in pieces",
    anchored(
      "",
      `<wp:positionH><wp:posOffset>-1<!-- -->000000<!-- -->000</wp:posOffset></wp:positionH>${wideBox}${textIn()}`,
    ),
  ],
  ["the code of a field in marked text", field("<![CDATA[PAGE]]>")],
  [
    "more colours than are read",
    `<w:p>${run(Array.from({ length: 17 }, (_, at) => `<w:color w:val="0000${(at + 16).toString(16)}"/>`).join(""))}</w:p>`,
  ],
  [
    "a font of signs that the theme names",
    `<w:p>${run('<w:rFonts w:asciiTheme="minorHAnsi"/>')}</w:p>`,
    { theme: fontsOfTheme("Wingdings") },
  ],
  [
    "a font of its own that the theme names",
    `<w:p>${run('<w:rFonts w:asciiTheme="minorHAnsi"/>')}</w:p>`,
    { theme: fontsOfTheme("Arial X"), fontTable: embedded },
  ],
]);

describe("text of a Word document is not given that an attack hides by", () => {
  it.each(attacks)("%s", async (_, body, parts) => {
    const after = `<w:p><w:pPr><w:pStyle w:val="V"/></w:pPr>${run('<w:vanish w:val="0"/><w:rFonts w:ascii="Arial"/>', "after")}</w:p>`;
    const { text, removed } = await readDocument(docxWith(`${body}${after}`, parts), "docx");
    expect(text).not.toContain("HIDDEN");
    expect(text).toContain("after");
    expect(removed.length).toBeGreaterThan(0);
  });
});

/** What is said at the end, or of all of it. */
const wholes: readonly Case[] = withParts([
  ["a page that is too small", `${paragraph("")}<w:sectPr><w:pgSz w:w="10" w:h="10"/></w:sectPr>`],
  ["margins that leave no room", `${paragraph("")}<w:sectPr><w:pgMar w:left="30000"/></w:sectPr>`],
  ["a field that moves what follows", field("ADVANCE \\x 9000", "x") + paragraph("")],
  [
    "a picture before the text",
    paragraph("") +
      anchored(
        "",
        '<wp:extent cx="5080000" cy="5080000"/><wp:wrapNone/><a:graphic><a:graphicData><pic:pic/></a:graphicData></a:graphic>',
      ),
  ],
  [
    "an old shape before the text",
    paragraph("") +
      '<w:p><w:r><w:pict><v:rect style="position:absolute;width:500pt;height:500pt;z-index:1" fillcolor="white"/></w:pict></w:r></w:p>',
  ],
  [
    "a box whose edges leave no room",
    anchored("", wideBox + textIn("HIDDEN", "", '<wps:bodyPr tIns="9000000"/>')),
  ],
  ["a heading that is closed", `<w:p><w:pPr><w15:collapsed/></w:pPr>${run("")}</w:p>${paragraph("")}`],
  ["a style twice", paragraph('<w:pStyle w:val="A"/>'), { styles: style("A", "") + style("a", vanishing) }],
  ["a long chain of styles", paragraph('<w:pStyle w:val="S30"/>'), { styles: chain(30) }],
  [
    "styles that are based on each other",
    paragraph('<w:pStyle w:val="A"/>'),
    { styles: style("A", '<w:basedOn w:val="B"/>') + style("B", `<w:basedOn w:val="A"/>${vanishing}`) },
  ],
  [
    "more styles than are read",
    paragraph('<w:pStyle w:val="S30"/>'),
    { styles: Array.from({ length: 5001 }, (_, at) => style(`Z${at}`, "")).join("") + chain(30) },
  ],
  [
    "styles that are broken",
    paragraph('<w:pStyle w:val="A"/>'),
    { styles: `<w:style>${style("A", vanishing)}` },
  ],
  [
    "a mark of a field in a branch that not all programs take",
    `<w:p>${fieldMark("begin")}${branches("", fieldMark("end"), "later")}${run("")}${fieldMark("separate")}${fieldMark("end")}</w:p>`,
  ],
  ["a branch without alternatives", `<w:p><mc:Fallback>${run("")}</mc:Fallback></w:p>`],
  [
    "a simple field that moves what follows",
    `<w:p><w:fldSimple w:instr="ADVANCE \\x 9000"/></w:p>${paragraph("")}`,
  ],
  [
    "blanks before a field that moves what follows",
    field(`${" ".repeat(300)}ADVANCE \\x 9000`, "x") + paragraph(""),
  ],
  [
    "more fields in fields than are read",
    `<w:p>${fieldMark("begin").repeat(51)}${fieldMark("end").repeat(51)}</w:p>${paragraph("")}`,
  ],
  ["two backgrounds", `<w:background w:color="FFFFFF"/><w:background w:color="FFFFFF"/>${paragraph("")}`],
  [
    "more parts of a style of tables than are read",
    table(row("", paragraph("")), '<w:tblStyle w:val="T"/>'),
    { styles: style("T", "<w:tblStylePr/>".repeat(51), "table") },
  ],
  ...["8in", "20cm", "200mm", "700px"].map(
    (length) =>
      [
        `an old shape of ${length} before the text`,
        `${paragraph("")}<w:p><w:r><w:pict><v:rect style="position:absolute;width:${length};height:${length};z-index:1"/></w:pict></w:r></w:p>`,
      ] as const,
  ),
]);

describe("no text is given of a Word document with", () => {
  it.each(wholes)("%s", async (_, body, parts) => {
    const { text, removed } = await readDocument(docxWith(body, parts), "docx");
    expect(text).not.toContain("HIDDEN");
    expect(removed.map(([what]) => what)).toContain("doubtful");
  });
});

const relationships = (targets: Readonly<Record<string, string>>): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${Object.entries(
    targets,
  )
    .map(
      ([kind, target], at) =>
        `<Relationship Id="r${at}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${kind}" Target="${target}"/>`,
    )
    .join("")}</Relationships>`;
const plain = (text: string): string =>
  `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
const asFiles = (files: Readonly<Record<string, string>>): Buffer =>
  zipOfFiles(Object.entries(files).map(([name, content]) => [name, Buffer.from(content)]));

describe("the parts of a Word document are", () => {
  it("those that its relationships name, whatever else has their usual names", async () => {
    const { text } = await readDocument(
      asFiles({
        "word/document.xml": plain("HIDDEN"),
        "_rels/.rels": relationships({ officeDocument: "/word/Other.XML" }),
        "word/other.xml": plain("shown"),
      }),
      "docx",
    );
    expect(text).toBe("shown");
  });

  it("followed from the main part, for its styles too", async () => {
    const styles = (inside: string): string =>
      `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">${usualStyle(inside)}</w:styles>`;
    const { text } = await readDocument(
      asFiles({
        "word/document.xml": plain("HIDDEN"),
        "word/styles.xml": styles(""),
        "word/_rels/document.xml.rels": relationships({ styles: "more/../styles2.xml" }),
        "word/styles2.xml": styles(vanishing),
      }),
      "docx",
    );
    expect(text).toBe("");
  });

  it.each([
    [
      "there twice",
      [
        ["word/document.xml", "shown"],
        ["word/Document.xml", "HIDDEN"],
      ],
    ],
    [
      "there twice, the other way round",
      [
        ["word/document.xml", "HIDDEN"],
        ["word/document.xml", "shown"],
      ],
    ],
  ] as const)("not guessed when one is %s", async (_, files) => {
    const { text, removed } = await readDocument(
      zipOfFiles(files.map(([name, inside]) => [name, Buffer.from(plain(inside))])),
      "docx",
    );
    expect([text, removed]).toEqual(["", [["over-limit", 1]]]);
  });

  it("not guessed when two relationships name different ones", async () => {
    const both = relationships({ officeDocument: "word/document.xml" }).replace(
      "</Relationships>",
      relationships({ officeDocument: "word/other.xml" }).replace(/^<Relationships[^>]*>/, ""),
    );
    const { text } = await readDocument(
      asFiles({
        "word/document.xml": plain("HIDDEN"),
        "word/other.xml": plain("HIDDEN"),
        "_rels/.rels": both,
      }),
      "docx",
    );
    expect(text).not.toContain("HIDDEN");
  });

  it("read in a time that does not grow with how deep they nest", async () => {
    const deep = "<w:a>".repeat(400_000);
    const begun = process.cpuUsage();
    const { text } = await readDocument(docxOf("<w:p><w:r><w:t>HIDDEN</w:t></w:r></w:p>", deep), "docx");
    const { user } = process.cpuUsage(begun);
    expect(text).not.toContain("HIDDEN");
    expect(user / 1000).toBeLessThan(2000);
  });
});

const shown: readonly Case[] = withParts([
  [
    "a colour of the theme",
    `<w:p>${run('<w:color w:val="2F5496" w:themeColor="accent1" w:themeShade="BF"/>', "shown")}</w:p>`,
    { theme: theme({ accent1: "4472C4" }) },
  ],
  [
    "white on a dark fill of the theme",
    `<w:p>${run('<w:color w:val="FFFFFF" w:themeColor="background1"/><w:shd w:val="clear" w:fill="1F3864" w:themeFill="accent1" w:themeFillShade="80"/>', "shown")}</w:p>`,
    { theme: theme({ accent1: "4472C4" }) },
  ],
  ["a highlight", `<w:p>${run('<w:highlight w:val="yellow"/>', "shown")}</w:p>`],
  [
    "letters wide apart and a raised one",
    `<w:p>${run('<w:spacing w:val="40"/><w:position w:val="6"/>', "shown")}</w:p>`,
  ],
  ["an indent of a list", paragraph('<w:ind w:left="720" w:hanging="360"/>', "shown")],
  [
    "a frame without a size",
    paragraph(
      '<w:framePr w:w="0" w:h="0" w:xAlign="left" w:y="0" w:hRule="exact" w:vAnchor="margin"/>',
      "shown",
    ),
  ],
  ["a large first letter", paragraph('<w:framePr w:dropCap="drop" w:lines="3" w:hSpace="5"/>', "shown")],
  [
    "the header of a table",
    table(row("", paragraph("", "shown")), '<w:tblStyle w:val="T"/>'),
    {
      styles: style(
        "T",
        '<w:tblStylePr w:type="firstRow"><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:tcPr><w:shd w:val="clear" w:fill="4472C4"/></w:tcPr></w:tblStylePr>',
        "table",
      ),
    },
  ],
  [
    "the result of a field",
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> REF _Ref1 \\h </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>shown</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>',
  ],
  [
    "a fill of its letters, as Word writes it beside the colour",
    `<w:p>${run('<w:color w:val="404040"/><w14:textOutline><w14:noFill/></w14:textOutline><w14:textFill><w14:solidFill><w14:srgbClr w14:val="404040"/></w14:solidFill></w14:textFill>', "shown")}</w:p>`,
  ],
  [
    "a size of other scripts that differs",
    `<w:p>${run('<w:sz w:val="24"/><w:szCs w:val="20"/>', "shown")}</w:p>`,
  ],
  [
    "a style that is based on others",
    paragraph('<w:pStyle w:val="S9"/>', "shown"),
    { styles: chain(9).replace(vanishing, "") },
  ],
  [
    "a control with its placeholder",
    `<w:sdt><w:sdtPr><w:alias w:val="x"/></w:sdtPr><w:sdtContent>${paragraph("", "shown")}</w:sdtContent></w:sdt>`,
  ],
  ["a hyperlink", `<w:p><w:hyperlink w:anchor="x">${run("", "shown")}</w:hyperlink></w:p>`],
  [
    "the usual page",
    `${paragraph("", "shown")}<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1417" w:right="1417" w:bottom="1134" w:left="1417" w:gutter="0"/><w:cols w:space="708"/></w:sectPr>`,
  ],
  [
    "a signature before the text",
    `${paragraph("", "shown")}${lines}${anchored("", `${nearby}<wp:extent cx="1270000" cy="635000"/><wp:wrapNone/><a:graphic><a:graphicData><pic:pic/></a:graphicData></a:graphic>`)}`,
  ],
  ["a text box, once", box("shown")],
  [
    "a text box beside the text",
    box("shown", {
      offset: [300, 100],
      anchor: 'behindDoc="0"',
      shape: '<a:solidFill><a:srgbClr val="DDEEFF"/></a:solidFill>',
    }),
  ],
  [
    "white in a dark box",
    box("shown", {
      shape: '<a:solidFill><a:srgbClr val="203864"/></a:solidFill>',
      letters: '<w:color w:val="FFFFFF"/>',
    }),
  ],
  [
    "a style that Word takes",
    `<w:p>${run(branches('<w:rStyle w:val="Plain"/>', '<w:rStyle w:val="White"/>'), "shown")}</w:p>`,
    whiteAndPlain,
  ],
  [
    "a shape that says that it is not filled",
    box("shown", { shape: "<a:noFill/>" }).replace(
      "<wps:txbx>",
      '<wps:style><a:fillRef idx="1"><a:schemeClr val="accent1"/></a:fillRef></wps:style><wps:txbx>',
    ),
  ],
  [
    "a light box with a shadow",
    box("shown", {
      shape:
        '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill><a:effectLst><a:outerShdw><a:srgbClr val="000000"><a:alpha val="40000"/></a:srgbClr></a:outerShdw></a:effectLst>',
    }),
  ],
  ["marked text", "<w:p><w:r><w:t><![CDATA[shown]]></w:t></w:r></w:p>"],
  ["a cell whose width is nothing", cell('<w:tcW w:w="0" w:type="dxa"/>').replace("HIDDEN", "shown")],
  ["a cell whose width is not said", cell('<w:tcW w:type="dxa"/>').replace("HIDDEN", "shown")],
  [
    "a font of the theme beside one of its own",
    `<w:p>${run('<w:rFonts w:asciiTheme="minorHAnsi" w:hAnsiTheme="minorHAnsi"/>', "shown")}</w:p>`,
    { theme: fontsOfTheme("Calibri"), fontTable: embedded },
  ],
  ...["1in", "3cm", "30mm", "90px"].map(
    (length) =>
      [
        `an old shape of ${length} before the text`,
        `${paragraph("", "shown")}${lines}<w:p><w:r><w:pict><v:rect style="position:absolute;width:${length};height:${length};z-index:1"/></w:pict></w:r></w:p>`,
      ] as const,
  ),
]);

describe("text of a Word document is given with", () => {
  it.each(shown)("%s", async (_, body, parts) => {
    const { text } = await readDocument(docxWith(body, parts), "docx");
    expect(text.replace(/\n(?:line|\[\d+ passages left out: .*)/g, "")).toBe("shown");
  });
});

const colour = (at: number): string => at.toString(16).padStart(6, "0");

/** `n` times something that a document may repeat. */
const repeated: readonly (readonly [
  name: string,
  body: (n: number) => string,
  styles?: (n: number) => string,
])[] = [
  ["colours of a run", (n) => `<w:p>${run(times(n, (at) => `<w:color w:val="${colour(at)}"/>`))}</w:p>`],
  ["backgrounds", (n) => times(n, (at) => `<w:background w:color="${colour(at)}"/>`)],
  [
    "parts of a style of tables",
    (n) =>
      table(row("", `<w:p>${times(n, () => "<w:r><w:t>a</w:t></w:r>")}</w:p>`), '<w:tblStyle w:val="T"/>'),
    (n) =>
      style(
        "T",
        times(n, () => '<w:tblStylePr w:type="firstRow"/>'),
        "table",
      ),
  ],
  [
    "fields in fields",
    (n) =>
      `<w:p>${(fieldMark("begin") + fieldMark("separate")).repeat(n)}${"<w:r><w:t>a</w:t></w:r>".repeat(n)}</w:p>`,
  ],
];

function times(n: number, one: (at: number) => string): string {
  return Array.from({ length: n }, (_, at) => one(at)).join("");
}

it.each(repeated.map(([name, body, styles = () => ""]) => [name, body, styles] as const))(
  "%s are read in a time that grows no faster than their number",
  async (_, body, styles) => {
    const n = 8000;
    const begun = process.cpuUsage();
    await readDocument(docxWith(body(n), { styles: styles(n) }), "docx");
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(2500);
  },
);

it("colours of a theme have tint and shade", () => {
  const colours = new Map([["accent1", "4472c4"]]);
  expect(themeColour(colours, "accent1", "", "")).toBe("4472c4");
  expect(themeColour(colours, "accent1", "", "80")).toBe("223962");
  expect(themeColour(colours, "accent1", "33", "")).toBe("dae3f3");
  expect(themeColour(new Map(), "text1", "", "")).toBe("000000");
  expect(themeColour(colours, "text1", "", "")).toBeUndefined();
  expect(themeColour(colours, "accent9", "", "")).toBeUndefined();
});
