/** Parts of pages that take more space than their text suggests. In a box that cuts off, they push the text after them out of sight. */
import type { RandomSource } from "../../support/random.ts";
import type { Box, PageNode } from "./page.ts";

type Pairs = Box["style"];

export interface SceneTools {
  readonly random: RandomSource;
  /** A sentence of a few words whose visibility is judged. */
  mark(): PageNode[];
}

export function box(
  tag: string,
  style: string,
  children: readonly PageNode[] = [],
  attributes: Box["attributes"] = [],
): Box {
  const pairs = style
    .split(";")
    .filter((one) => one.includes(":"))
    .map((one): Pairs[number] => [one.slice(0, one.indexOf(":")), one.slice(one.indexOf(":") + 1)]);
  return { kind: "box", tag, attributes, style: pairs, children };
}

export function raw(html: string): PageNode {
  return { kind: "raw", html };
}

/** Nests this number of elements around the nodes. */
export function nested(times: number, tag: string, style: string, inner: readonly PageNode[]): PageNode[] {
  let nodes = [...inner];
  for (let time = 0; time < times; time++) nodes = [box(tag, style, nodes)];
  return nodes;
}

const letters = [
  "font-weight:bold;font-family:DejaVu Sans",
  "text-transform:uppercase",
  "font-family:monospace",
];
export const widths = ["20px", "60px", "100px", "200px", "300px", "600px"];
export const heights = ["16px", "20px", "30px", "40px", "60px", "100px", "150px", "300px"];
export const sizes = ["10px", "30px", "50px", "100px", "190px"];
export const colours = ["white", "black", "#fff", "#eee", "navy"];

/** Content that takes more space than its text suggests. */
export function bulky({ random }: SceneTools): PageNode[] {
  const some = (text: string, most: number): string => text.repeat(1 + random.below(most));
  const size = random.one(sizes);
  const choices: readonly (() => PageNode[])[] = [
    () => [box("span", random.one(letters), [raw(some("mmmm ", 12))])],
    () => [box("span", "text-transform:uppercase", [raw(some("wwww ", 10))])],
    () => [raw(some("word ", 20))],
    () => [raw(some("i ", 15))],
    () => [box("b", "", [raw(some("&emsp;", 20))])],
    () => [box("b", "", [raw(some("&nbsp;", 20))])],
    () => [box("span", "white-space:pre;tab-size:16", [raw(some("a\t", 4))])],
    () => nested(1 + random.below(12), "q", "", [raw("a")]),
    () => nested(1 + random.below(8), "sup", "font-size:16px", [raw("a")]),
    () =>
      nested(1 + random.below(6), "span", `vertical-align:${random.one(["16px", "-16px", "sub"])}`, [
        raw("a"),
      ]),
    () => [
      box("ruby", "", [raw("a"), box("rt", `font-size:${random.one(["10px", "30px"])}`, [raw("a")])]),
      raw("<br>"),
    ],
    () => [
      box("span", `${random.one(["font-size", "line-height"])}:${size}`, [
        raw(random.one(["", " ", "&nbsp;", "&#8203;"])),
      ]),
    ],
    () => [
      box(
        "img",
        `${random.one(["margin-bottom", "padding-bottom", "margin-left"])}:${size}`,
        [],
        [
          ["src", "x.png"],
          ["width", "10"],
          ["height", "10"],
        ],
      ),
    ],
    () => [box("hr", "", [], [["size", random.one(["2", "50", "100"])]])],
    () => [
      box(
        random.one(["textarea", "select"]),
        "",
        [],
        [[random.one(["rows", "size", "cols"]), random.one(["5", "50"])]],
      ),
    ],
    () => [
      raw(`<svg viewBox='0 0 10 ${random.one(["10", "100"])}' width=${random.one(["10", "200"])}></svg>`),
    ],
    () => [box("input", `margin:${size}`)],
    () => [box(random.one(["style", "script", "template", "title", "area"]), `display:block;height:${size}`)],
    () => [box("div", `display:inline-block;padding-${random.one(["top", "bottom"])}:${size}`, [raw("a")])],
    () => [
      box(
        "ol",
        "margin:0;padding:0;list-style-position:inside",
        [box("li", `font-size:${random.one(["16px", "60px"])}`, [raw("a")])],
        [["start", "99999999"]],
      ),
    ],
    () => [
      box(
        "div",
        `float:${random.one(["left", "right"])};width:${random.one(widths)};height:${random.one(heights)}`,
      ),
    ],
    () => [
      raw(random.one(["<br>", "<br><br>", "<p>a</p>", "<noscript><br><br></noscript>", "&#8203;", "<wbr>"])),
    ],
    () => [box("p", "", [raw("a")], [["class", "k"]])],
    () => [box("div", `border-top:${random.one(["5px", "50px"])} solid`, [])],
    () => [
      box(
        random.one(["div", "img", "table"]),
        `${random.one(["height", "min-height"])}:${random.one(["50%", "100%", "200%"])}`,
        [],
        [["width", "10"]],
      ),
    ],
    () => [box(random.one(["img", "table"]), "", [], [["height", "100%"]])],
    () => [
      box(
        "img",
        "",
        [],
        [
          ["alt", some("aaaa ", 600)],
          ["src", "x.png"],
        ],
      ),
    ],
    () => [
      box(
        random.one(["img", "iframe", "object"]),
        "",
        [],
        [
          ["align", random.one(["left", "right"])],
          ["width", "900"],
          ["height", "200"],
        ],
      ),
    ],
    () => [box("span", "white-space:pre-wrap", [raw(`a${some(" ", 200)}`)])],
    () =>
      nested(1 + random.below(4), random.one(["fieldset", "blockquote", "dl", "form", "center"]), "", [
        raw("a"),
      ]),
    () => [
      box("span", `display:inline-table;border-spacing:${size}`, [
        box("span", "display:table-cell", [raw("a")]),
      ]),
    ],
    () => [box("b", "", [raw(some("ǄѬ", 8))])],
  ];
  return random.one(choices)();
}
