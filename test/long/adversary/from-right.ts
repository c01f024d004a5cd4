/** Text that begins at the right or is moved to the left: a reader cannot scroll to what then lies left of the page. */
import { box, colours, raw, type SceneTools, sizes, widths } from "./bulky.ts";
import type { Box, PageNode } from "./page.ts";

type Attributes = Box["attributes"];

const directions: readonly (readonly [style: string, attributes: Attributes])[] = [
  ["direction:rtl", []],
  ["", [["dir", "rtl"]]],
  ["", [["dir", "auto"]]],
  ["direction:rtl;unicode-bidi:bidi-override", []],
  ["unicode-bidi:plaintext", []],
  ["text-align:right", []],
  ["text-align:end", []],
  ["text-align:center", []],
  ["", [["align", "right"]]],
  ["float:right", []],
  ["direction:ltr", []],
];
const pushes = [
  "",
  "",
  "text-indent:-20px",
  "text-indent:-60px",
  "text-indent:-290px",
  "text-indent:290px",
  "text-indent:60px",
  "margin-left:-8px",
  "margin-right:-60px",
  "margin-inline-start:-8px",
  "margin-inline-start:300px",
  "margin-inline-end:-40px",
  "margin-right:390px",
  "padding-right:390px",
  "padding-inline-start:390px",
  "border-right:50px solid white",
  "position:relative;left:-6px",
  "position:relative;left:60px",
  "position:relative;right:6px",
  "position:relative;inset-inline-start:6px",
  "position:relative;inset-inline-start:60px",
  "position:absolute;right:900px",
  "letter-spacing:14px",
  "word-spacing:30px",
];
const rooms = [
  "",
  "",
  "width:10px",
  "width:60px",
  "width:200px",
  "width:1290px",
  "min-width:1200px",
  "max-width:60px",
  "width:100%",
  "display:inline-block;width:60px",
  "display:table",
  "float:left;width:60px",
  "float:right;width:60px",
];
const keeps = ["", "white-space:nowrap", "white-space:nowrap", "white-space:pre", "overflow-wrap:anywhere"];
const cuts = ["", "", "", "overflow:hidden", "overflow:clip", "overflow:auto", "overflow-x:hidden"];
/** Right-to-left letters and marks that stand before the sentence. */
const arabic = ["", "", "&#x5d0;&#x5d1; ", "&#x627; ", "&#x200f;", "&#x202e;", "<bdo dir=rtl>a</bdo>"];

function holder(tools: SceneTools, inner: readonly PageNode[]): Box {
  const { random } = tools;
  const [style, attributes] = random.one(directions);
  const ground =
    random.below(4) === 0 ? `background:${random.one(colours)};color:${random.one(colours)}` : "";
  return box(
    random.one(["div", "div", "p", "span", "center", "blockquote", "fieldset", "pre", "ul"]),
    [
      style,
      random.one(pushes),
      random.one(rooms),
      random.one(keeps),
      random.one(cuts),
      random.below(8) === 0 ? `height:${random.one(["20px", "40px"])}` : "",
      ground,
    ].join(";"),
    inner,
    attributes,
  );
}

function line(tools: SceneTools): PageNode[] {
  const { random, mark } = tools;
  const long = (): PageNode => raw("a".repeat(1 + random.below(150)));
  const lead = random.one(arabic);
  const front = lead === "" ? [] : [raw(lead)];
  return random.one([
    () => [...front, ...mark()],
    () => [...front, long(), raw(" "), ...mark()],
    () => [...mark(), raw(" "), long()],
    () => [long(), raw("&nbsp;"), ...mark()],
    () => [...front, box("span", `${random.one(["padding", "margin"])}-right:${random.one(sizes)}`, mark())],
    () => [box("span", `display:inline-block;width:${random.one(widths)}`), raw("&nbsp;"), ...mark()],
    () => [raw("<img width=900 height=10 src=x.png>"), ...mark()],
  ])();
}

function table(tools: SceneTools, inner: readonly PageNode[]): Box {
  const { random, mark } = tools;
  const [style, attributes] = random.one(directions);
  const cells = [
    box("td", random.one(["", "width:900px", "width:1200px"]), inner),
    box("td", random.one(["", "width:900px", "white-space:nowrap"]), line({ random, mark })),
  ];
  return box(
    "table",
    `${style};${random.one(["", "width:100%", "width:1250px", "width:60px;table-layout:fixed"])}`,
    [box("tr", "", random.below(2) === 0 ? cells : cells.reverse())],
    attributes,
  );
}

export function fromRight(tools: SceneTools): PageNode[] {
  const { random } = tools;
  let nodes = line(tools);
  for (let depth = 1 + random.below(4); depth > 0; depth--)
    nodes = [random.below(6) === 0 ? table(tools, nodes) : holder(tools, nodes)];
  return nodes;
}
