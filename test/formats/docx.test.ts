/** Which text of a Word document a person sees: styles, themes, tables, frames, text boxes. */
import { describe, expect, it } from "vitest";
import { themeColour } from "#/src/formats/documents/docx-theme.ts";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { docxWith } from "../support/documents.ts";

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

interface Parts {
  readonly styles?: string;
  readonly theme?: string;
}
type Case = readonly [name: string, body: string, parts: Parts | undefined];

function withParts(cases: readonly (readonly [string, string, Parts?])[]): Case[] {
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
    '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r><w:r><w:t>shown</w:t></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r></w:p>',
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
]);

describe("text of a Word document is given with", () => {
  it.each(shown)("%s", async (_, body, parts) => {
    const { text } = await readDocument(docxWith(body, parts), "docx");
    expect(text).toBe("shown");
  });
});

it("colours of a theme have tint and shade", () => {
  const colours = new Map([["accent1", "4472c4"]]);
  expect(themeColour(colours, "accent1", "", "")).toBe("4472c4");
  expect(themeColour(colours, "accent1", "", "80")).toBe("223962");
  expect(themeColour(colours, "accent1", "33", "")).toBe("dae3f3");
  expect(themeColour(colours, "text1", "", "")).toBe("000000");
  expect(themeColour(colours, "accent9", "", "")).toBeUndefined();
});
