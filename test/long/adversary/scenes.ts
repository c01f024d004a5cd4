/** Tricks that a reader of the renderer's source would try: a box that cuts off content whose size is estimated too small, paint over
 *  content that is expected elsewhere, text that leaves its background or the window. Each trick is a small tree with a sentence that
 *  is probably not visible. Sizes, elements and colours are random. */
import { box, bulky, colours, heights, nested, raw, type SceneTools, sizes, widths } from "./bulky.ts";
import { floatingTable } from "./floating-tables.ts";
import { fromRight } from "./from-right.ts";
import type { PageNode } from "./page.ts";
import { thickBorder } from "./thick-borders.ts";

const roomOnly = [
  "",
  "",
  "width:50%",
  "width:min-content",
  "width:max-content",
  "max-width:30%",
  "height:100%",
  "padding-right:40%",
];

/** A box that cuts off its content, with the sentence after bulky content. */
function clipped(tools: SceneTools): PageNode[] {
  const { random, mark } = tools;
  const size = [
    random.below(4) > 0 ? `${random.one(["height", "max-height"])}:${random.one(heights)}` : "",
    random.below(2) > 0 ? `${random.one(["width", "max-width"])}:${random.one(widths)}` : "",
    random.below(3) === 0 ? "white-space:nowrap" : "",
    random.below(2) === 0 ? `line-height:${random.one(["18px", "20px", "100px"])}` : "",
    random.one(roomOnly),
  ].join(";");
  const inner = [
    ...Array.from({ length: 1 + random.below(3) }, () => bulky(tools)).flat(),
    ...(random.below(4) === 0
      ? [box(random.one(["div", "span", "p"]), random.one(roomOnly), mark())]
      : mark()),
  ];
  const tag = random.one(["div", "div", "div", "p", "caption", "td", "button", "li", "fieldset"]);
  const cutting = `${size};overflow:${random.one(["hidden", "hidden", "hidden", "clip", "auto"])}`;
  return around(
    tools,
    tag === "caption" || tag === "td" ? inTable(tools, tag, cutting, inner) : [box(tag, cutting, inner)],
  );
}

function inTable({ random }: SceneTools, tag: string, style: string, inner: readonly PageNode[]): PageNode[] {
  const table = random.one(["", "table-layout:fixed;width:100px", "width:200px", "border-collapse:collapse"]);
  const other = box(
    "td",
    random.one(["", "width:600px", "background:white", "background:black", "background:black;width:600px"]),
    [raw("word ".repeat(1 + random.below(40)))],
  );
  const rows =
    tag === "caption"
      ? [box("caption", style, inner), box("tr", "", [other])]
      : [box("tr", "", [box("td", style, inner), other])];
  return [box("table", table, rows)];
}

/** The content inside and beside which the box stands. */
function around({ random }: SceneTools, nodes: readonly PageNode[]): PageNode[] {
  switch (random.below(6)) {
    case 0:
      return [
        box(
          "div",
          random.one([
            "float:left",
            "display:inline-block",
            "display:table",
            "overflow:auto;height:60px",
            "width:200px",
          ]),
          nodes,
        ),
      ];
    case 1:
      return [
        box("div", `float:left;width:${random.one(["300px", "600px", "900px"])};height:200px`),
        ...nodes,
      ];
    case 2:
      return [
        box("table", random.one(["", "width:200px"]), [
          box("tr", "", [box("td", "", nodes, [["width", random.one(["100", "900"])]])]),
        ]),
      ];
    default:
      return [...nodes];
  }
}

/** The sentence, and after it a box that may lie on top of it or under it. */
function covered(tools: SceneTools): PageNode[] {
  const { random, mark } = tools;
  const first = random.one([
    "float:left",
    "float:right",
    "display:inline-block",
    "",
    "float:left;width:0;white-space:nowrap",
    "display:inline-block;width:10px;white-space:nowrap",
    "width:100px;white-space:nowrap",
    "font-size:7px;line-height:8px",
  ]);
  const context = random.one([
    "position:relative",
    "opacity:.99",
    "isolation:isolate",
    "float:left",
    "display:inline-block",
    "display:flow-root",
    "z-index:1;position:relative",
    "transform-style:preserve-3d",
    "overflow:hidden",
    "",
  ]);
  const indent =
    random.below(3) === 0 ? `text-indent:${random.one(["-60px", "-20px", "60px", "120px", "300px"])}` : "";
  const paint = random.one([
    `background:${random.one(colours)}`,
    `border:${random.one(["5px", "60px"])} solid ${random.one(colours)}`,
  ]);
  const second = box(
    "div",
    `${context};${paint};${random.one(["", "height:50px", "width:500px", "padding:20px"])}`,
    [raw(random.one(["", "b", "b b b b"]))],
  );
  return [box(random.one(["div", "span", "p"]), `${first};${indent}`, mark()), second];
}

/** Large letters or generated signs that reach far out of their lines. */
function overdrawn({ random, mark }: SceneTools): PageNode[] {
  const size = `font-size:${random.one(["40px", "60px", "120px", "200px"])}`;
  const line = `line-height:${random.one([".75", ".8", "1", "100px", "150px"])}`;
  const large = random.one([
    box("q", `quotes:"█" "█"`),
    box("div", "", [raw(random.one([`a${"&#x305;".repeat(12)}`, "ǺǺǺǺ", "MMMM", "────", "ﷺﷺ", "一一"]))]),
    box(
      "div",
      `text-decoration:${random.one(["underline", "overline", "line-through"])} white;text-underline-offset:${random.one(["-60px", "-100px", "-150px", "50px"])}`,
      [raw("aaaa")],
    ),
    box("ul", "margin:0;padding:0", [box("li", "", [raw("a")])]),
    box("p", "", [raw("a")], [["class", "k"]]),
  ]);
  const style = [...large.style, ...box("", `${size};${line};color:${random.one(colours)}`).style];
  const small = box(
    "div",
    random.one(["font-size:7px;line-height:8px", "", "margin-top:40px;font-size:8px"]),
    mark(),
  );
  return random.below(3) === 0 ? [{ ...large, style }, small] : [small, { ...large, style }];
}

/** Text that leaves its background or the window. */
function leaving(tools: SceneTools): PageNode[] {
  const { random, mark } = tools;
  if (random.below(6) === 0) {
    const narrow = random.one(["width:0", "width:10px", "max-width:0", "width:50%"]);
    const inner = box(random.one(["div", "pre", "p", "ul"]), `${narrow};white-space:nowrap`, [
      raw("aaaa "),
      ...mark(),
    ]);
    return inTable(tools, "td", random.one(["", "width:10px", "max-width:10px"]), [inner]);
  }
  const ground = random.one([
    "background:black;color:white",
    "background:black;color:white",
    "background:black;-webkit-background-clip:text;color:transparent",
    "border-left:60px solid black",
    "border-right:60px solid black",
    "overflow:hidden",
    "",
    "direction:rtl",
    "unicode-bidi:plaintext",
  ]);
  const size = random.one([
    "",
    "width:0",
    "width:10px",
    "width:60px",
    "width:60px;white-space:nowrap",
    "width:300px",
    "margin-left:300px",
  ]);
  const indent = random.one([
    "",
    "",
    "text-indent:150px",
    "text-indent:290px",
    "text-indent:-60px",
    "text-indent:-300px",
  ]);
  const push = random.one([
    [] as PageNode[],
    [
      box(
        "img",
        "",
        [],
        [
          ["src", "x.png"],
          ["width", "200"],
          ["height", "10"],
        ],
      ),
    ],
    [box("b", "", [raw("aaaa")]), box("b", "", [raw("aaaa")])],
    [box("span", `padding-left:${random.one(sizes)}`)],
    [raw("aaaa&nbsp;"), raw("bbbb&nbsp;")],
    [box("input", "")],
  ]);
  const inner = [
    ...push,
    ...random.one([
      mark(),
      [box("span", `padding-left:${random.one(sizes)}`, mark())],
      nested(
        random.below(8),
        "span",
        random.one([
          "vertical-align:7px",
          "vertical-align:sub",
          "position:relative;left:-6px",
          "position:relative;top:-6px",
          "position:relative;left:60px",
        ]),
        mark(),
      ),
    ]),
  ];
  const holder = box(
    random.one(["div", "div", "p", "span", "table", "caption"]),
    `${ground};${size};${indent}`,
    inner,
  );
  if (holder.tag === "table")
    return [
      box("table", `${ground};${size}`, [
        box("caption", "", mark()),
        box("tr", "", [box("td", indent, inner)]),
      ]),
    ];
  if (holder.tag === "caption") return inTable(tools, "caption", `${ground};${size};${indent}`, inner);
  return random.below(3) === 0
    ? nested(
        1 + random.below(8),
        "div",
        random.one([
          "position:relative;top:-6px",
          "position:relative;left:-6px",
          "padding-left:20px",
          "margin-left:-5px",
          "overflow:hidden",
        ]),
        [holder],
      )
    : [holder];
}

/** A float, and beside it a line that does not break or leaves its box and ends with a painted element. */
function besideFloat({ random, mark }: SceneTools): PageNode[] {
  const float = box(
    "div",
    `float:${random.one(["left", "right"])};${random.one(["width:700px", "width:900px", "width:10px;white-space:nowrap", ""])}`,
    mark(),
  );
  const paint = random.one([
    box("span", `padding:${random.one(sizes)};background:${random.one(colours)}`, [raw("a")]),
    box(
      "span",
      `display:inline-block;width:${random.one(widths)};height:60px;background:${random.one(colours)}`,
    ),
    box("img", `background:${random.one(colours)};width:300px;height:60px`, [], [["src", "x.png"]]),
    box("table", `width:900px;background:${random.one(colours)}`, [
      box("tr", "", [box("td", "", [raw("a")])]),
    ]),
    box("button", "width:300px;height:60px"),
  ]);
  const line = box(
    random.one(["div", "p", "pre", "nobr"]),
    random.one(["white-space:nowrap", "white-space:nowrap;width:60px", "width:100px", ""]),
    [raw("a".repeat(1 + random.below(40))), paint],
  );
  return random.below(3) === 0 ? [box("div", "width:600px", [float, line])] : [float, line];
}

/** Rules for the class `k`, which the scenes use. */
export const sceneRules: readonly string[] = [
  '.k::before{content:"";display:block;height:60px}',
  '.k::before{content:"";display:block;height:10px}',
  '.k::before{content:"aaaa aaaa aaaa aaaa aaaa aaaa "}',
  '.k::after{content:"MMMM";color:white}',
  '.k::before{content:"";float:left;width:190px;height:60px}',
  ".k:foo,.k{display:block}",
  "noscript{font-size:60px}",
];

const scenes = [
  clipped,
  clipped,
  covered,
  overdrawn,
  leaving,
  leaving,
  besideFloat,
  floatingTable,
  fromRight,
  thickBorder,
];

export function randomScene(tools: SceneTools): PageNode[] {
  return tools.random.one(scenes)(tools);
}
