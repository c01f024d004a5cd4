/** Idioms of what leaves its place, and may lie on words: signs in low lines and boxes, boxes that are pulled one after the other, round
 *  corners of boxes that something else makes high, and containers that centre what is wider than they are. */
import { box, raw } from "./bulky.ts";
import {
  grounds,
  type Idiom,
  type IdiomTools,
  inks,
  lengths,
  of,
  paint,
  rule,
  some,
  words,
} from "./idiom-tools.ts";
import type { Box, PageNode } from "./page.ts";

const signs = ["█████", "▀▀▀▀▀▀▀▀", "—————", "★★★★", "MWMWMW", "Ẫ̃Ẫ̃Ẫ̃", "囲囲囲"];
const sizes = "7px 8px 12px 16px 30px 60px 110px".split(" ");
const lines = "0 .5 .75 .8 1 1.2 8px 20px normal".split(" ");

/** Signs of a colour that the words around may have, in a line or a box that may be lower than they are. */
export const lowSigns: Idiom = (tools) => {
  const { random } = tools;
  const style = `color:${random.one(inks)};font-size:${random.one(sizes)};line-height:${random.one(lines)}`;
  const around = some(
    random,
    `height:${of(tools, ["40px", "60px"], ["0", "1px", "10px"])}`,
    `display:${random.one(["flex", "block", "table"])}`,
    "align-items:center",
    `position:${of(tools, ["static"], ["relative", "absolute"])}`,
    `margin:${random.one(lengths)}`,
  );
  const held = random.one([
    () => box("div", `${style};${around}`, [raw(random.one(signs))]),
    () => box("p", some(random, "line-height:0"), [box("span", style, [raw(random.one(signs))])]),
    () => box("div", `${style};${around}`, [box("div", "", [raw(random.one(signs))])]),
    () => box("div", style, [box(random.one(["option", "object", "b"]), "", [raw(random.one(signs))])]),
    () => box("div", `${style};${around}`, [], [["class", "sign"]]),
  ])();
  const sign = some(
    random,
    "display:block",
    `font-size:${random.one(["20px", "1em", "12px"])}`,
    `color:${random.one(inks)}`,
    of(tools, [], ["line-height:0", "height:0", "width:0"]) ?? "",
  );
  const small = `font-size:${random.one(sizes.slice(0, 4))};line-height:${random.one(["1", "1.2"])}`;
  return {
    nodes: [box("div", small, words(tools)), held, box("div", small, words(tools))],
    rules: [
      rule(`.sign::${random.one(["before", "after"])}`, `content:"${random.one(["███", "—", "→"])}";${sign}`),
    ],
  };
};

/** Boxes with margins below zero, in and after each other. */
export const pulls: Idiom = (tools) => {
  const { random } = tools;
  const pull = (): string => random.one(["-60px", "-59px", "-40px", "-20px", "-10px", "-3px"]);
  const one = (depth: number): Box =>
    box(
      random.one(["div", "div", "p", "table"]),
      `${some(random, `margin-top:${pull()}`, `margin-bottom:${pull()}`, `padding-top:${random.one(["1px", "20px"])}`, "position:relative")};${paint(tools)}`,
      depth === 0 || random.below(3) === 0 ? filling(tools) : [one(depth - 1), ...filling(tools)],
    );
  return {
    nodes: [
      ...words(tools),
      box("div", `height:${random.one(["0", "20px", "60px", "100px"])}`),
      ...Array.from({ length: 1 + random.below(3) }, () => one(random.below(3))),
      ...words(tools),
    ],
    rules: [],
  };
};

function filling(tools: IdiomTools): PageNode[] {
  return tools.random.one([() => [], () => [raw("<br><br>")], () => [raw("word")], () => words(tools)])();
}

/** A round box of few words, which may be higher than they are. */
export const highCorner: Idiom = (tools) => {
  const { random } = tools;
  const corner = random.one(["30px", "40px", "60px", "100px", "400px"]);
  const style = `background:${random.one(grounds)};color:${random.one(inks)};${random.one([`border-radius:${corner}`, `border-radius:${corner} 0 0 0`, `border-top-left-radius:${corner}`])};padding:${random.one(["0 9px", "2px 9px", "10px 24px", "1px 7px 200px", "12px 30px"])};${some(random, "vertical-align:top", `font-size:${random.one(sizes.slice(0, 4))}`, "line-height:1")}`;
  const inner = random.one([
    () => tools.mark(),
    () => [box("div", `margin-bottom:${random.one(["0", "20px", "200px"])}`, tools.mark())],
    () => [box("a", "display:inline-block;padding:11px 24px", tools.mark())],
  ])();
  const high = box("td", `height:${random.one(["20px", "300px"])}`, [raw("word")]);
  return {
    nodes: [
      random.one([
        () => box("div", style, inner),
        () => box("span", `display:inline-block;${style}`, inner),
        () =>
          box("table", "", [
            box("tr", "", [box("td", style, inner), ...(random.below(2) === 0 ? [high] : [])]),
          ]),
        () => box("table", "height:300px", [box("tr", "", [box("td", style, inner)])]),
        () =>
          box("div", "display:flex", [
            box("div", style, inner),
            box("div", "min-height:200px", [raw("word")]),
          ]),
      ])(),
      ...words(tools),
    ],
    rules: [],
  };
};

/** A container of items that are wider than it may be. */
export const centred: Idiom = (tools) => {
  const { random } = tools;
  const wide = random.one(["300px", "690px", "900px", "1500px", "1990px"]);
  const item = random.one([
    () => box("div", "white-space:nowrap", [...tools.mark(), raw("some words ".repeat(random.below(60)))]),
    () => box("div", `width:${wide}`, tools.mark()),
    () => box("table", `width:${wide}`, [box("tr", "", [box("td", "", tools.mark())])]),
  ])();
  const style = `display:${random.one(["flex", "flex", "grid", "inline-flex"])};${some(random, "flex-direction:column", "flex-wrap:wrap", `justify-content:${random.one(["center", "flex-end", "space-around"])}`, `align-items:${random.one(["center", "flex-end"])}`, `width:${random.one(["100%", "300px"])}`, "grid-template-columns:repeat(auto-fit,minmax(200px,1fr))")};${paint(tools)}`;
  return { nodes: [box("div", style, [item, ...words(tools)]), ...words(tools)], rules: [] };
};
