/** Boxes with borders in the colour of the text. Content larger than the stated size, floats and moved text lie on the borders; other
 *  boxes cut off inside their borders. */
import { box, bulky, colours, raw, type SceneTools } from "./bulky.ts";
import type { Box, PageNode } from "./page.ts";

const widths = ["1px", "4px", "10px", "20px", "40px", "60px", "thick", "2em"];
const lengths = ["0", "1px", "3px", "10px", "20px", "25px", "40px", "60px", "1em", "50%"];
const tags = [
  "div",
  "div",
  "p",
  "pre",
  "ul",
  "center",
  "fieldset",
  "button",
  "table",
  "td",
  "caption",
  "span",
];

function border({ random }: SceneTools): string {
  const side = random.one(["", "", "-bottom", "-bottom", "-top", "-left", "-right"]);
  const line = random.one(["solid", "solid", "solid", "double", "ridge", "inset"]);
  return `border${side}:${random.one(widths)} ${line} ${random.one(["black", "black", ...colours])}`;
}

function size({ random }: SceneTools): string {
  return [
    random.below(4) > 0
      ? `${random.one(["height", "height", "max-height", "min-height"])}:${random.one(lengths)}`
      : "",
    random.below(4) === 0 ? `${random.one(["width", "max-width"])}:${random.one(lengths)}` : "",
    random.below(4) === 0 ? "box-sizing:border-box" : "",
    random.below(4) === 0 ? `padding${random.one(["", "-bottom", "-top"])}:${random.one(lengths)}` : "",
  ].join(";");
}

const places = [
  "",
  "",
  "float:left",
  "display:inline-block",
  "display:flow-root",
  "overflow:hidden",
  "overflow:hidden",
  "overflow:auto",
  "overflow:clip",
];

function bordered(tools: SceneTools, inner: readonly PageNode[]): Box {
  const { random } = tools;
  const tag = random.one(tags);
  const framed = box(tag, `${border(tools)};${size(tools)};${random.one(places)}`, inner);
  if (tag === "caption") return box("table", "", [framed, box("tr", "", [box("td", "", [raw("a")])])]);
  if (tag !== "td") return framed;
  const layout = random.one(["", "border-collapse:collapse", "table-layout:fixed;width:60px"]);
  return box("table", layout, [box("tr", "", [framed, box("td", size(tools), [raw("a")])])]);
}

const leavings = [
  "float:left",
  "float:right",
  "position:relative;top:6px",
  "position:relative;top:-6px",
  "vertical-align:-7px",
  "vertical-align:sub;line-height:10px",
  "line-height:14px",
  "line-height:40px",
  "text-indent:-40px",
  "white-space:nowrap",
  "margin-top:20px",
  "margin-bottom:30px",
  "font-size:30px;line-height:20px",
];

export function thickBorder(tools: SceneTools): PageNode[] {
  const { random, mark } = tools;
  const leaving = (): Box => box(random.one(["div", "span", "p", "sub"]), random.one(leavings), mark());
  let nodes: PageNode[] = random.one([
    () => mark(),
    () => [leaving()],
    () => [raw("a<br>"), ...mark()],
    () => [...bulky(tools), ...mark()],
    () => [bordered(tools, [raw("a")]), ...mark()],
    () => [leaving(), bordered(tools, [raw(random.one(["", "a"]))])],
  ])();
  for (let depth = 1 + random.below(3); depth > 0; depth--)
    nodes = [bordered(tools, nodes), ...(random.below(3) === 0 ? mark() : [])];
  return nodes;
}
