/** What shapes of a Word document may cover, and which text of boxes, headers, footers and notes a person sees. */
import { describe, expect, it, test } from "vitest";
import { readDocument } from "#/src/formats/documents/read-document.ts";
import { docxWith } from "../support/documents.ts";

const paragraph = (text: string, properties = ""): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
const emu = (points: number): number => Math.round(points * 12_700);
/** Text that is longer than a page. */
const pageOfText = paragraph("line").repeat(130);
const sectionOfA4 =
  '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/></w:sectPr>';

interface PictureForm {
  readonly size?: readonly [number, number];
  readonly at?: readonly [across: number, down: number];
  readonly from?: readonly [across: string, down: string];
  readonly wrap?: string;
  readonly anchor?: string;
  readonly inside?: string;
  readonly more?: string;
}

const pictureInside = "<a:graphic><a:graphicData><pic:pic/></a:graphicData></a:graphic>";

/** A picture that stands before the text. */
function picture(form: PictureForm = {}): string {
  const { size = [500, 30], at = [0, 0], from = ["column", "paragraph"], wrap = "<wp:wrapNone/>" } = form;
  return `<w:p><w:r><w:drawing><wp:anchor behindDoc="0" ${form.anchor ?? ""}><wp:positionH relativeFrom="${from[0]}"><wp:posOffset>${emu(at[0])}</wp:posOffset></wp:positionH><wp:positionV relativeFrom="${from[1]}"><wp:posOffset>${emu(at[1])}</wp:posOffset></wp:positionV><wp:extent cx="${emu(size[0])}" cy="${emu(size[1])}"/>${wrap}${form.more ?? ""}${form.inside ?? pictureInside}</wp:anchor></w:drawing></w:r></w:p>`;
}

interface BoxForm {
  readonly size?: readonly [number, number];
  readonly inside?: string;
  readonly fill?: string;
  readonly at?: readonly [number, number];
  readonly wrap?: string;
}

/** A text box with these paragraphs. */
function box({ size = [200, 60], inside = "", fill = "", at = [0, 0], wrap }: BoxForm): string {
  return picture({
    ...(wrap === undefined ? {} : { wrap }),
    size,
    at,
    inside: `<a:graphic><a:graphicData><wps:wsp><wps:spPr>${fill}</wps:spPr><wps:txbx><w:txbxContent>${inside}</w:txbxContent></wps:txbx><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>`,
  });
}

const old = (kind: string): string =>
  `<w:p><w:r><w:pict><v:${kind} style="position:absolute;width:400pt;height:100pt;z-index:1" fillcolor="white"/></w:pict></w:r></w:p>`;
const shape = (properties: string): string =>
  `<a:graphic><a:graphicData><wps:wsp><wps:spPr>${properties}</wps:spPr><wps:bodyPr/></wps:wsp></a:graphicData></a:graphic>`;
const white = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>';
const hidden = paragraph("HIDDEN");
const columns = '<w:p><w:pPr><w:sectPr><w:cols w:num="2"/></w:sectPr></w:pPr></w:p>';

const behind = (body: string): string => body.replace('behindDoc="0"', 'behindDoc="1"');
const black = '<a:solidFill><a:srgbClr val="000000"/></a:solidFill>';

const covers: readonly (readonly [name: string, body: string])[] = [
  ["a low picture", picture() + hidden],
  ["a black shape behind it", behind(picture({ inside: shape(black) })) + hidden],
  ["a picture behind it", behind(picture()) + hidden],
  [
    "an old black shape behind it",
    `${old("rect").replace("z-index:1", "z-index:-1").replace("white", "black")}${hidden}`,
  ],
  [
    "black letters of a box behind it",
    behind(box({ size: [400, 40], inside: paragraph("\u2588") })) + hidden,
  ],
  ["a low picture over what is before it", `${hidden}${picture({ at: [0, -20] })}`],
  [
    "a picture over the end of a long paragraph before it",
    `<w:p><w:r><w:t>${"many words ".repeat(400)}</w:t></w:r><w:r><w:t>HIDDEN</w:t></w:r></w:p>${picture({ at: [0, -20] })}`,
  ],
  [
    "a picture over the end of a long paragraph of a table before it",
    `<w:tbl><w:tr><w:tc><w:p><w:r><w:t>${"many words ".repeat(400)}</w:t></w:r><w:r><w:t>HIDDEN</w:t></w:r></w:p></w:tc></w:tr></w:tbl>${picture({ at: [0, -20] })}`,
  ],
  ["a picture that does not fit below", `${hidden}${picture({ size: [500, 200], at: [0, 10] })}`],
  ["many small pictures", `${picture({ size: [19, 19] }).repeat(12)}${hidden}`],
  [
    "a picture far below in the page",
    `${paragraph("x").repeat(20)}${hidden}${picture({ at: [0, 200], from: ["page", "page"] })}`,
  ],
  [
    "a picture on a page of which nothing is known",
    `${paragraph("x").repeat(20)}${hidden}${picture({ at: [0, 200], from: ["page", "bottomMargin"] })}`,
  ],
  [
    "a picture around which text flows by a polygon",
    picture({ wrap: "<wp:wrapTight><wp:wrapPolygon/></wp:wrapTight>" }) + hidden,
  ],
  [
    "a picture of a share of the page",
    picture({ size: [1, 1], more: "<wp14:sizeRelH><wp14:pctWidth>100000</wp14:pctWidth></wp14:sizeRelH>" }) +
      hidden,
  ],
  [
    "a picture that is drawn larger than it says",
    picture({
      size: [1, 1],
      inside: `<a:graphic><a:graphicData><pic:pic><pic:spPr><a:xfrm><a:ext cx="${emu(500)}" cy="${emu(50)}"/></a:xfrm></pic:spPr></pic:pic></a:graphicData></a:graphic>`,
    }) + hidden,
  ],
  [
    "a turned picture",
    `${picture({ size: [200, 4], at: [-90, 60], inside: pictureInside.replace("<pic:pic/>", '<pic:pic><pic:spPr><a:xfrm rot="5400000"/></pic:spPr></pic:pic>') })}${hidden}`,
  ],
  [
    "a thick edge",
    picture({ size: [300, 20], inside: shape('<a:noFill/><a:ln w="900000"><a:solidFill/></a:ln>') }) + hidden,
  ],
  [
    "a shadow that is scaled",
    picture({
      size: [3, 3],
      inside: shape(`${white}<a:effectLst><a:outerShdw sx="9000000" sy="9000000"/></a:effectLst>`),
    }) + hidden,
  ],
  [
    "a shadow far from its shape",
    picture({
      size: [19, 19],
      inside: shape(`${white}<a:effectLst><a:outerShdw dist="2540000"/></a:effectLst>`),
    }) + hidden,
  ],
  ["a white shape", picture({ inside: shape(white) }) + hidden],
  [
    "a chart",
    picture({ inside: "<a:graphic><a:graphicData><zz:chart/></a:graphicData></a:graphic>" }) + hidden,
  ],
  [
    "a group",
    picture({ inside: "<a:graphic><a:graphicData><zz:wgp/></a:graphicData></a:graphic>" }) + hidden,
  ],
  [
    "a box whose letters have a ground",
    box({
      size: [400, 40],
      inside: '<w:p><w:r><w:rPr><w:shd w:val="clear" w:fill="FFFFFF"/></w:rPr><w:t>x</w:t></w:r></w:p>',
    }) + hidden,
  ],
  [
    "a box of white letters",
    box({
      size: [400, 40],
      inside: '<w:p><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>█</w:t></w:r></w:p>',
    }) + hidden,
  ],
  ["a picture, in columns", `${columns}${picture()}${paragraph("x").repeat(40)}${hidden}`],
  [
    "a break of a page in hidden letters before a picture",
    `${hidden}<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:br w:type="page"/></w:r></w:p>${picture({ at: [0, -40] })}`,
  ],
  [
    "a break of a page in a box before a picture",
    `${hidden}${box({ inside: '<w:p><w:r><w:br w:type="page"/></w:r></w:p>' })}${picture({ at: [0, -40] })}`,
  ],
  [
    "a break of a page in a cell before a picture",
    `${hidden}<w:tbl><w:tr><w:tc><w:p><w:r><w:br w:type="page"/></w:r></w:p></w:tc></w:tr></w:tbl>${picture({ at: [0, -80] })}`,
  ],
  [
    "paragraphs in a frame before a picture",
    `${hidden}${paragraph("x", '<w:framePr w:w="3000"/>').repeat(40)}${picture({ at: [0, -40] })}`,
  ],
  [
    "a floating table before a picture",
    `${hidden}<w:tbl><w:tblPr><w:tblpPr/></w:tblPr>${`<w:tr><w:tc>${paragraph("x")}</w:tc></w:tr>`.repeat(40)}</w:tbl>${picture({ at: [0, -40] })}`,
  ],
  [
    "a picture over a text box, around which text flows",
    box({ inside: hidden }) + picture({ wrap: "<wp:wrapSquare/>" }),
  ],
  ["a text box over a text box", box({ inside: hidden }) + box({ fill: white, inside: paragraph("x") })],
  ["lines of its box before it", box({ inside: `${paragraph("x").repeat(5)}${hidden}` })],
  ["empty lines of its box before it", box({ inside: `${"<w:p/>".repeat(5)}${hidden}` })],
  [
    "breaks of lines in its box",
    box({ inside: `<w:p><w:r>${"<w:br/>".repeat(6)}<w:t>HIDDEN</w:t></w:r></w:p>` }),
  ],
  ["a gap in its box", box({ inside: `${paragraph("x", '<w:spacing w:after="4000"/>')}${hidden}` })],
  [
    "a gap in its box of its style",
    box({ inside: `${paragraph("x", '<w:spacing w:before="4000"/>')}${hidden}` }),
  ],
  [
    "a line that is many lines high",
    box({ inside: `${paragraph("x", '<w:spacing w:line="2400"/>')}${hidden}` }),
  ],
  ["lines that stand on each other", paragraph("HIDDEN", '<w:spacing w:line="10" w:lineRule="auto"/>')],
  ...["oval", "line", "group", "image", "polyline", "arc", "curve"].map(
    (kind) => [`an old shape: ${kind}`, old(kind) + hidden] as const,
  ),
  [
    "an old shape that is not filled, with a picture",
    old("shape").replace('fillcolor="white"/>', 'filled="f"><v:imagedata/></v:shape>') + hidden,
  ],
  [
    "an old shape whose style is in large letters",
    old("rect").replace("position:absolute", "POSITION:Absolute") + hidden,
  ],
];

describe("text of a Word document is not given that may be covered or cut off by", () => {
  it.each(covers)("%s, and the next page is given", async (_, body) => {
    const far = `${pageOfText}${paragraph("far")}<w:p><w:r><w:br w:type="page"/></w:r></w:p>${paragraph("after")}`;
    const { text, removed } = await readDocument(docxWith(`${body}${far}${sectionOfA4}`), "docx");
    expect(text).not.toContain("HIDDEN");
    expect(text).toContain("after");
    expect(removed.map(([what]) => what)).toContain("doubtful");
  });
});

const shownBeside: readonly (readonly [name: string, body: string])[] = [
  [
    "below a picture at the top of the page",
    `${picture({ size: [120, 50], at: [60, 20], from: ["page", "page"] })}${paragraph("x").repeat(4)}${paragraph("shown")}`,
  ],
  [
    "to the left of a picture at its right",
    `${picture({ size: [100, 100], at: [400, 40], from: ["page", "page"] })}${paragraph("shown: a short line")}`,
  ],
  [
    "far below a signature",
    `${picture({ size: [150, 50], at: [0, -20] })}${paragraph("x").repeat(14)}${paragraph("shown")}`,
  ],
  [
    "above a signature",
    `${paragraph("shown")}${paragraph("x").repeat(14)}${picture({ size: [150, 50], at: [0, -20] })}`,
  ],
  [
    "behind a break of the page",
    `${picture({ size: [500, 700], from: ["page", "page"] })}<w:p><w:r><w:br w:type="page"/></w:r></w:p>${paragraph("shown")}`,
  ],
  ["beside a picture around which it flows", `${picture({ wrap: "<wp:wrapSquare/>" })}${paragraph("shown")}`],
  [
    "below a picture in a line of its own",
    `${picture({ wrap: "<wp:wrapTopAndBottom/>" })}${paragraph("shown")}`,
  ],
  [
    "over a light shape that is behind it",
    `${behind(picture({ inside: shape('<a:solidFill><a:srgbClr val="DDDDDD"/></a:solidFill>') }))}${paragraph("shown")}`,
  ],
  [
    "beside a shape that is not painted",
    `${picture({ inside: shape('<a:noFill/><a:ln w="9525"/>') })}${paragraph("shown")}`,
  ],
  [
    "beside an old shape that is not painted",
    old("shape").replace('fillcolor="white"', 'filled="f"') + paragraph("shown"),
  ],
  ["beside small signs", `${picture({ size: [12, 12] }).repeat(3)}${paragraph("shown")}`],
  [
    "in boxes beside each other",
    `${box({ inside: paragraph("shown"), fill: white })}${box({ inside: paragraph("x"), fill: white, at: [250, 0] })}`.replace(
      "</w:p><w:p><w:r><w:drawing>",
      "<w:r><w:drawing>",
    ),
  ],
  [
    "in a box with an address",
    box({ inside: ["Ann Example", "shown 12", "10115 Berlin"].map((one) => paragraph(one)).join("") }),
  ],
];

describe("text of a Word document is given that stands", () => {
  it.each(shownBeside)("%s", async (_, body) => {
    const { text } = await readDocument(docxWith(`${body}${sectionOfA4}`), "docx");
    expect(text).toContain("shown");
  });
});

const relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A document with headers, footers and notes: the name of each file without its number is its kind. */
function around(
  body: string,
  files: Readonly<Record<string, string>>,
  settings = "",
  change: (relations: string) => string = (relations) => relations,
): Buffer {
  const kindOf = (name: string): string => name.replace(/\d+$/, "");
  const element = (name: string): string => ({ header: "hdr", footer: "ftr" })[kindOf(name)] ?? kindOf(name);
  const all = Object.entries(files);
  const vocabulary =
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"';
  return docxWith(body, {
    root: `xmlns:r="${relation}" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"`,
    settings,
    files: [
      [
        "word/_rels/document.xml.rels",
        change(
          `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="settings" Type="${relation}/settings" Target="settings.xml"/>${all
            .map(
              ([name]) =>
                `<Relationship Id="${name}" Type="${relation}/${kindOf(name)}" Target="${name}.xml"/>`,
            )
            .join("")}</Relationships>`,
        ),
      ],
      ...all.map(
        ([name, inside]) =>
          [`word/${name}.xml`, `<w:${element(name)} ${vocabulary}>${inside}</w:${element(name)}>`] as const,
      ),
    ],
  });
}

const reference = (id: string, type = "default"): string =>
  `<w:${id.startsWith("header") ? "header" : "footer"}Reference w:type="${type}" r:id="${id}"/>`;
const note = (id: number, text: string): string => `<w:footnote w:id="${id}">${paragraph(text)}</w:footnote>`;
const mark = (properties = ""): string =>
  `<w:p><w:r><w:t>text</w:t></w:r><w:r><w:rPr>${properties}</w:rPr><w:footnoteReference w:id="2"/></w:r></w:p>`;

const usualType =
  '<v:shapetype id="_x0000_t202" coordsize="21600,21600" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t"/></v:shapetype>';
interface OldForm {
  readonly type?: string;
  readonly style?: string;
  readonly attributes?: string;
  readonly inside?: string;
  readonly textbox?: string;
}
/** A text box of an old program. */
function oldBox(
  text: string,
  { type = usualType, style = "", attributes = "", inside = "", textbox = "" }: OldForm,
): string {
  const usualStyle = "position:absolute;margin-left:20pt;margin-top:10pt;width:200pt;height:60pt;z-index:5";
  return `<w:p><w:r><w:pict>${type}<v:shape type="#_x0000_t202" style="${usualStyle};${style}" ${attributes}>${inside}<v:textbox ${textbox}><w:txbxContent>${text}</w:txbxContent></v:textbox></v:shape></w:pict></w:r></w:p>`;
}
const coloured = (colour: string): string =>
  `<w:p><w:r><w:rPr><w:color w:val="${colour}"/></w:rPr><w:t>HIDDEN</w:t></w:r></w:p>`;

describe("text in a box of an old program is not given", () => {
  it.each([
    ["off the page", oldBox(hidden, {}).replace("margin-left:20pt", "margin-left:2000pt")],
    ["below the page", oldBox(hidden, {}).replace("margin-top:10pt", "margin-top:900pt")],
    ["that is low", oldBox(hidden, {}).replace("height:60pt", "height:5pt")],
    ["that is narrow", oldBox(hidden, {}).replace("width:200pt", "width:8pt")],
    ["that its lines do not fit", oldBox(`${paragraph("x").repeat(8)}${hidden}`, {})],
    ["that is not visible", oldBox(hidden, { style: "visibility:hidden" })],
    ["that is turned", oldBox(hidden, { style: "rotation:90" })],
    ["that is mirrored", oldBox(hidden, { style: "flip:x" })],
    ["that stands behind the text", oldBox(hidden, {}).replace("z-index:5", "z-index:-5")],
    ["whose place is said twice", oldBox(hidden, { style: "margin-left:3000pt" })],
    ["whose place is a share", oldBox(hidden, { style: "mso-left-percent:990" })],
    ["that is as small as its page wants", oldBox(hidden, { style: "mso-width-percent:1" })],
    ["of its colour", oldBox(coloured("CFE7F5"), { attributes: 'fillcolor="#cfe7f5"' })],
    ["white on white", oldBox(coloured("FFFFFF"), {})],
    ["black on black", oldBox(hidden, { attributes: 'fillcolor="black"' })],
    ["of a colour that is not known", oldBox(hidden, { attributes: 'fillcolor="#000"' })],
    [
      "that lets its ground through",
      oldBox(hidden, { inside: '<v:fill opacity="0.1"/>', attributes: 'fillcolor="white"' }),
    ],
    ["of a picture", oldBox(hidden, { inside: '<v:imagedata src="x"/>' })],
    ["with a shadow", oldBox(hidden, { inside: '<v:shadow on="t" offset="0,0"/>' })],
    ["with thick edges", oldBox(hidden, { attributes: 'strokeweight="80pt" strokecolor="white"' })],
    ["with wide margins", oldBox(hidden, { textbox: 'inset="190pt,0,0,0"' })],
    ["that goes on in another", oldBox(hidden, { textbox: 'style="mso-next-textbox:#a"' })],
    ["of no known type", oldBox(hidden, { type: "" })],
    ["of a type of another form", oldBox(hidden, { type: usualType.replace("21600r", "1r") })],
    [
      "of a type whose text stands elsewhere",
      oldBox(hidden, {
        type: usualType.replace("gradientshapeok", 'textboxrect="90000,0,99000,900" gradientshapeok'),
      }),
    ],
    ["of a type that is said twice", oldBox(hidden, { type: usualType + usualType.replace("21600r", "1r") })],
    [
      "in a group",
      oldBox(hidden, {})
        .replace(
          "<v:shape ",
          '<v:group style="position:absolute;width:1pt;height:1pt" coordsize="9,9"><v:shape ',
        )
        .replace("</v:shape>", "</v:shape></v:group>"),
    ],
    [
      "of letters with a ground, over other text",
      `${hidden}${oldBox('<w:p><w:r><w:rPr><w:shd w:val="clear" w:fill="FFFFFF"/></w:rPr><w:t>xxxxxxxxxxxxxxxx</w:t></w:r></w:p>', { attributes: 'filled="f" stroked="f"' }).replace("margin-top:10pt", "margin-top:-10pt")}`,
    ],
    [
      "with a ground, over other text",
      `${hidden}${oldBox(paragraph("x"), {}).replace("margin-top:10pt", "margin-top:-10pt")}`,
    ],
    ["of a header, over the same colour", oldBox(hidden, { attributes: 'fillcolor="black"' }) + hidden],
    ["under a picture", `${oldBox(hidden, {})}${picture({ at: [0, 0], size: [500, 90] })}`],
  ])("%s", async (_, body) => {
    const { text, removed } = await readDocument(docxWith(body), "docx");
    expect(text).not.toContain("HIDDEN");
    expect(removed.length).toBeGreaterThan(0);
  });

  it.each([
    ["a plain one", oldBox(paragraph("Words"), {})],
    [
      "one with a ground",
      oldBox(paragraph("Words"), {
        attributes: 'fillcolor="#cfe7f5" strokecolor="#09f" strokeweight="1.01mm"',
        inside: '<v:fill type="solid"/><v:stroke endcap="flat"/>',
      }),
    ],
    [
      "one that takes the theme's white",
      oldBox(paragraph("Words"), { attributes: 'fillcolor="white [3212]"' }),
    ],
    ["one without a ground", oldBox(paragraph("Words"), { attributes: 'filled="f" stroked="f"' })],
    [
      "one beside which text flows",
      oldBox(paragraph("Words"), { style: "mso-wrap-style:square;mso-position-horizontal-relative:text" }),
    ],
  ])("but in %s", async (_, body) => {
    const { text } = await readDocument(docxWith(body), "docx");
    expect(text).toContain("Words");
  });
});

test("a colour with the name of a member of every object is one that is not known, and the document is whole", async () => {
  const said = oldBox(hidden, { attributes: 'fillcolor="constructor"' });
  const { text, removed } = await readDocument(docxWith(`${paragraph("Words")}${pageOfText}${said}`), "docx");
  expect(text).toContain("Words");
  expect(text).not.toContain("HIDDEN");
  expect(removed.map(([what]) => what)).not.toContain("undecodable");
});

/** A black shape of a header or footer: in the paragraph with this number, so far down from it, so tall. */
const inHeader = (before: string, down: number, tall: number): string =>
  `${before}${behind(picture({ size: [500, tall], at: [0, down], inside: shape(black) }))}`;
const margins = (more: string, top = 1440, bottom = 1440): string =>
  `<w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="${top}" w:right="1440" w:bottom="${bottom}" w:left="1440" ${more} w:gutter="0"/>`;
const usual = 'w:header="720" w:footer="720"';
const lines = (count: number, properties = ""): string => paragraph("x", properties).repeat(count);

describe("text is not given over a black shape of", () => {
  it.each([
    ["a header that reaches into the page", usual, { header1: inHeader("", 10, 40) }],
    ["a header that begins further down", 'w:header="1200" w:footer="720"', { header1: inHeader("", 0, 20) }],
    ["a header behind ten empty lines", usual, { header1: inHeader(paragraph("").repeat(10), 0, 30) }],
    ["a header behind ten lines", usual, { header1: inHeader(lines(10), 0, 30) }],
    [
      "a header behind one large line",
      usual,
      { header1: inHeader('<w:p><w:r><w:rPr><w:sz w:val="200"/></w:rPr><w:t>x</w:t></w:r></w:p>', 0, 20) },
    ],
    [
      "a header behind a table",
      usual,
      { header1: inHeader(`<w:tbl><w:tr><w:tc>${paragraph("x")}</w:tc></w:tr></w:tbl>`, 0, 20) },
    ],
    [
      "a header whose paragraph has room before it",
      usual,
      { header1: inHeader("", 0, 20).replace("<w:p>", '<w:p><w:pPr><w:spacing w:before="1000"/></w:pPr>') },
    ],
    [
      "a header in a frame",
      usual,
      {
        header1: inHeader("", 0, 20).replace(
          "<w:p>",
          '<w:p><w:pPr><w:framePr w:vAnchor="page" w:y="8000"/></w:pPr>',
        ),
      },
    ],
    [
      "a header in a cell",
      usual,
      { header1: `<w:tbl><w:tr><w:tc>${inHeader("", 0, 20)}</w:tc></w:tr></w:tbl>` },
    ],
    ["a footer that reaches up", usual, { footer1: inHeader("", -60, 20) }],
    ["a footer that reaches up a little", usual, { footer1: inHeader("", -34, 20) }],
    ["a footer of many lines", usual, { footer1: `${inHeader("", -20, 18)}${lines(8)}` }],
    [
      "a footer of a high line",
      usual,
      { footer1: `${inHeader("", -20, 18)}${lines(1, '<w:spacing w:line="1200" w:lineRule="exact"/>')}` },
    ],
    ["a footer that stands higher", 'w:header="720" w:footer="1300"', { footer1: inHeader("", -10, 8) }],
    [
      "a footer with a picture in its line",
      usual,
      {
        footer1: `${inHeader("", -12, 8)}<w:p><w:r><w:drawing><wp:inline><wp:extent cx="${emu(90)}" cy="${emu(90)}"/></wp:inline></w:drawing></w:r></w:p>`,
      },
    ],
    [
      "a footer with a table",
      usual,
      {
        footer1: `${inHeader("", -12, 8)}<w:tbl><w:tr><w:trPr><w:trHeight w:val="3000"/></w:trPr><w:tc>${paragraph("x")}</w:tc></w:tr></w:tbl>`,
      },
    ],
  ] as const)("%s", async (_, form, files) => {
    const [name] = Object.keys(files) as [string];
    const { text, removed } = await readDocument(
      around(`${hidden}<w:sectPr>${reference(name)}${margins(form)}</w:sectPr>`, files),
      "docx",
    );
    expect(text).not.toContain("HIDDEN");
    expect(removed.length).toBeGreaterThan(0);
  });

  it.each([
    ["a header that stays above the page", { header1: inHeader("", 0, 30) }],
    ["a footer that stays below it", { footer1: inHeader("", 2, 20) }],
    ["a footer whose logo stands a little higher", { footer1: inHeader("", -5, 20) }],
  ] as const)("but beside one of %s", async (_, files) => {
    const [name] = Object.keys(files) as [string];
    const { text } = await readDocument(
      around(`${paragraph("Words")}<w:sectPr>${reference(name)}${margins(usual)}</w:sectPr>`, files),
      "docx",
    );
    expect(text).toContain("Words");
  });
});

describe("headers, footers and notes of a Word document", () => {
  it("are given around its text", async () => {
    const { text, removed } = await readDocument(
      around(`${mark()}<w:sectPr>${reference("header1")}${reference("footer1")}</w:sectPr>`, {
        header1: paragraph("Letterhead"),
        footer1: `<w:p><w:r><w:t>Page </w:t></w:r><w:fldSimple w:instr=" PAGE "><w:r><w:t>12</w:t></w:r></w:fldSimple></w:p>`,
        footnotes: `<w:footnote w:type="separator" w:id="-1">${paragraph("HIDDEN")}</w:footnote>${note(2, "A note")}`,
      }),
      "docx",
    );
    expect(text).toBe("Letterhead\n\ntext\n\nA note\n\nPage 12");
    expect(removed).toEqual([["hidden-element", 1]]);
  });

  it("are given of the first page, and of even pages where they have their own", async () => {
    const section = `<w:sectPr>${reference("header1", "first")}<w:titlePg/></w:sectPr>`;
    const { text } = await readDocument(
      around(`${paragraph("text")}${section}`, { header1: paragraph("Letterhead") }),
      "docx",
    );
    expect(text).toBe("Letterhead\n\ntext");
  });

  it.each([
    ["no section names", "", { header1: hidden }, ""],
    [
      "are of a first page that is like the others",
      `<w:sectPr>${reference("header1", "first")}</w:sectPr>`,
      { header1: hidden },
      "",
    ],
    [
      "are of even pages that are like the others",
      `<w:sectPr>${reference("header1", "even")}</w:sectPr>`,
      { header1: hidden },
      "",
    ],
    [
      "are of even pages that may not be there",
      `<w:sectPr>${reference("header1", "even")}</w:sectPr>`,
      { header1: hidden },
      "<w:evenAndOddHeaders/>",
    ],
    [
      "are of pages behind a title page",
      `<w:sectPr>${reference("header1")}<w:titlePg/></w:sectPr>`,
      { header1: hidden },
      "",
    ],
    [
      "begin in a page of another section",
      `<w:p><w:pPr><w:sectPr/></w:pPr></w:p><w:sectPr>${reference("header1")}<w:type w:val="continuous"/></w:sectPr>`,
      { header1: hidden },
      "",
    ],
    [
      "a section in a cell names",
      `<w:tbl><w:tr><w:tc><w:p><w:pPr><w:sectPr>${reference("header1")}</w:sectPr></w:pPr></w:p></w:tc></w:tr></w:tbl>`,
      { header1: hidden },
      "",
    ],
    [
      "are white",
      `<w:sectPr>${reference("header1")}</w:sectPr>`,
      { header1: `<w:p><w:r><w:rPr><w:color w:val="FFFFFF"/></w:rPr><w:t>HIDDEN</w:t></w:r></w:p>` },
      "",
    ],
    [
      "stand far below the page",
      `<w:sectPr><w:pgMar w:header="90000"/>${reference("header1")}</w:sectPr>`,
      { header1: hidden },
      "",
    ],
    [
      "are under a picture",
      `${picture({ at: [0, 20], from: ["page", "page"] })}<w:sectPr>${reference("header1")}</w:sectPr>`,
      { header1: hidden },
      "",
    ],
    [
      "stand over a black shape of the page",
      `${behind(picture({ size: [600, 800], at: [0, 0], from: ["page", "page"], inside: shape(black) }))}<w:sectPr>${reference("header1")}</w:sectPr>`,
      { header1: hidden },
      "",
    ],
    [
      "are text over a black shape of the header",
      `${hidden}<w:sectPr>${reference("header1")}</w:sectPr>`,
      {
        header1: picture({ size: [600, 800], at: [0, 0], from: ["page", "page"], inside: shape(black) }),
      },
      "",
    ],
    ["have no mark in the text", "", { footnotes: note(2, "HIDDEN") }, ""],
    ["stand outside of the notes", mark(), { footnotes: note(2, "A note") + hidden }, ""],
    [
      "stand behind a note in a note without a mark",
      mark(),
      { footnotes: `<w:footnote w:id="9">${note(2, "A note")}${hidden}</w:footnote>` },
      "",
    ],
    ["are one of two with one number", mark(), { footnotes: note(2, "A note") + note(2, "HIDDEN") }, ""],
    [
      "are one of two of a section",
      `<w:sectPr>${reference("header1")}${reference("header2")}</w:sectPr>`,
      { header1: hidden, header2: paragraph("Letterhead") },
      "",
    ],
    [
      "begin in a column of a page of another section",
      `<w:p><w:pPr><w:sectPr/></w:pPr></w:p><w:sectPr>${reference("header1")}<w:type w:val="nextColumn"/></w:sectPr>`,
      { header1: hidden },
      "",
    ],
    [
      "are of odd pages where the first one is even",
      `<w:sectPr><w:pgNumType w:start="2"/>${reference("header1")}</w:sectPr>`,
      { header1: hidden },
      "<w:evenAndOddHeaders/>",
    ],
    ["have a hidden mark", mark("<w:vanish/>"), { footnotes: note(2, "HIDDEN") }, ""],
    [
      "have a deleted mark",
      mark().replace("<w:r><w:rPr>", "<w:del><w:r><w:rPr>").replace("</w:r></w:p>", "</w:r></w:del></w:p>"),
      { footnotes: note(2, "HIDDEN") },
      "",
    ],
  ])("are not given that %s", async (_, body, files, settings) => {
    const { text } = await readDocument(around(`${paragraph("text")}${body}`, files, settings), "docx");
    expect(text).not.toContain("HIDDEN");
  });

  it.each([
    [
      "of another type",
      (relations: string) => relations.replace(`${relation}/header"`, `${relation}/image"`),
    ],
    ["of a type of others", (relations: string) => relations.replace(`${relation}/header"`, 'x/header"')],
    ["outside", (relations: string) => relations.replace(' Target="header1', ' TargetMode="External"$&')],
    ["nowhere known", (relations: string) => relations.replace(' Target="header1', ' TargetMode="x"$&')],
    [
      "in the document and outside",
      (relations: string) =>
        relations.replace(
          "</Relationships>",
          `<Relationship Id="header1" Type="${relation}/header" TargetMode="External" Target="x"/>$&`,
        ),
    ],
  ])("are not given whose relationship leads to a part %s", async (_, change) => {
    const section = `<w:sectPr>${reference("header1")}</w:sectPr>`;
    const bytes = around(`${paragraph("text")}${section}`, { header1: hidden }, "", change);
    const { text, removed } = await readDocument(bytes, "docx");
    expect(text).not.toContain("HIDDEN");
    expect(removed.length).toBeGreaterThan(0);
  });

  it.each([
    ["a formula", "<m:oMath><m:r><m:t>HIDDEN</m:t></m:r></m:oMath>"],
    ["another document", '<w:altChunk r:id="x"/>'],
    [
      "the number of the page, said in more runs",
      `<w:p><w:fldSimple w:instr="PAGE">${["12", "34", "56"].map((one) => `<w:r><w:t>${one}</w:t></w:r>`).join("")}</w:fldSimple></w:p>`,
    ],
    [
      "the number of the page, said in letters of numerals",
      '<w:p><w:fldSimple w:instr="PAGE"><w:r><w:t>civil</w:t></w:r></w:fldSimple></w:p>',
    ],
    [
      "the number of the page, said in words",
      '<w:p><w:fldSimple w:instr="PAGE"><w:r><w:t>HIDDEN</w:t></w:r></w:fldSimple></w:p>',
    ],
  ])("and what else is not read is told: %s", async (_, body) => {
    const { text, removed } = await readDocument(around(`${paragraph("text")}${body}`, {}), "docx");
    expect(text).toContain("left out");
    expect(text).not.toMatch(/HIDDEN|56|civil/);
    expect(removed).toEqual([["doubtful", 1, "element-not-understood"]]);
  });

  it("and a control shows the text that is put into it, if it has that one", async () => {
    const control = (text: string): string =>
      `<w:sdt><w:sdtPr><w:dataBinding w:xpath="/ns1:coreProperties[1]/ns0:title[1]"/></w:sdtPr><w:sdtContent>${paragraph(text)}</w:sdtContent></w:sdt>`;
    const read = async (title: string): Promise<string> => {
      const files = [
        [
          "_rels/.rels",
          `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="word/document.xml"/><Relationship Id="b" Type="x/core-properties" Target="docProps/core.xml"/></Relationships>`,
        ],
        ["docProps/core.xml", `<c><title>${title}</title></c>`],
      ] as const;
      return (await readDocument(docxWith(control("A title"), { files }), "docx")).text;
    };
    expect(await read("A title")).toBe("A title");
    expect(await read("Another")).not.toContain("A title");
    expect(await read("A title</title><title>Another")).not.toContain("A title");
    expect(await read("</title><title>A title")).not.toContain("A title");
    const many = Array.from({ length: 2000 }, (_, at) => `<n${at}>x</n${at}>`).join("");
    expect(await read(`A title</title>${many}<title>Another`)).not.toContain("A title");
  });

  it("and signs of forms are given as letters, hidden ones not", async () => {
    const sign = '<w:sym w:font="Wingdings" w:char="F0FE"/>';
    const body = `<w:p><w:r>${sign}<w:t>yes</w:t><w:noBreakHyphen/><w:t>sir</w:t></w:r><w:r><w:rPr><w:vanish/></w:rPr>${sign}</w:r></w:p>`;
    expect((await readDocument(docxWith(body), "docx")).text).toBe("\u2611yes-sir");
  });
});
