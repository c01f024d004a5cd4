/** Idioms of boxes out of flow: a layer below what a box holds, bars in margins, boxes that lie on the one around them, and what is pulled
 *  up below boxes that are painted above it. */
import { box, raw } from "./bulky.ts";
import { grounds, type Idiom, type IdiomTools, inks, of, paint, rule, words } from "./idiom-tools.ts";
import type { Box, PageNode } from "./page.ts";

/** Some of the choices, most of the time none. */
function rarely(random: IdiomTools["random"], ...choices: readonly string[]): string {
  return choices.filter(() => random.below(6) === 0).join(";");
}

const pulls = "-60px -40px -24px -10px -4px".split(" ");

/** Words on a box of a colour that fills the box around, or not. */
export const layerBelow: Idiom = (tools) => {
  const { random } = tools;
  const ground = `position:${of(tools, ["absolute"], ["static", "relative"])};top:0;left:0;right:0;bottom:0;z-index:${of(tools, ["-1"], ["-2", "0", "auto"])};background:${random.one(grounds)};${rarely(random, `opacity:${random.one([".3", ".9", ".97"])}`, "width:100%")};${of(tools, [""], ["width:30%", "height:4px", "max-width:9px", "border-radius:200px", "visibility:hidden", "margin:20px", "display:table", "background-image:linear-gradient(transparent,#fff)"])}`;
  const inner = random.one([
    () => words(tools),
    () => words(tools),
    () => words(tools),
    () => [
      box("p", `margin-${random.one(["top", "left"])}:${random.one(pulls)};${paint(tools)}`, tools.mark()),
    ],
    () => [box("div", "float:left", tools.mark())],
    () => [box("span", "white-space:nowrap", [raw("some words ".repeat(random.below(9))), ...tools.mark()])],
    () => [box("p", "text-indent:-100px", tools.mark())],
  ])();
  const holder = `position:relative;z-index:${of(tools, ["0", "1"], ["auto", "-1"])};color:${random.one(inks)};${rarely(random, `background:${random.one(grounds)}`, `width:${random.one(["60px", "200px", "600px"])}`, "padding:20px", "margin-left:200px", `margin-top:${random.one(pulls)}`)};${of(tools, [""], ["height:0", "overflow:hidden", "float:left", "display:inline", "opacity:.5", "border:40px dashed #fff", "direction:rtl", "top:-20px"])}`;
  const layers = Array.from({ length: random.below(4) === 0 ? 2 : 1 }, () => box("div", ground));
  const one = box(
    random.one(["div", "div", "td"]),
    holder,
    random.below(2) === 0 ? [...layers, ...inner] : [...inner, ...layers],
  );
  const before = random.one([
    () => words(tools),
    () => words(tools),
    () => [box("div", "float:left", tools.mark())],
  ])();
  return { nodes: [...before, one.tag === "td" ? inTable(one) : one, ...words(tools)], rules: [] };
};

/** Boxes with a bar below each. */
export const bars: Idiom = (tools) => {
  const { random } = tools;
  const one = (depth: number): Box =>
    box(
      random.one(["div", "span", "h2"]),
      rarely(random, "font-size:7px", `height:${random.one(["0", "4px"])}`),
      depth === 0
        ? random.one([
            () => [],
            () => words(tools),
            () => words(tools),
            () => [box("b", "float:left", tools.mark())],
          ])()
        : [one(depth - 1)],
      [["class", `bar${random.below(3)}`]],
    );
  const many = Array.from({ length: 1 + random.below(6) }, () => one(random.below(3)));
  const around = random.one([
    "",
    "",
    "",
    "",
    "",
    `margin-bottom:${random.one(pulls)}`,
    "height:10px",
    "line-height:0",
    "overflow:hidden",
    "display:flex",
  ]);
  const after = random.one([
    "",
    "",
    "",
    `margin-top:${random.one(pulls)}`,
    "position:relative;top:-2px",
    "font-size:7px;line-height:7px",
  ]);
  const before = random.below(6) === 0 ? [box("div", "float:left;font-size:7px", tools.mark())] : [];
  const rules = [0, 1, 2].flatMap((at) => {
    const free = random.one([4, 8, 20]);
    const low = random.one([free, free, free, 4, 10]);
    return [
      rule(
        `.bar${at}`,
        `position:relative;display:${random.one(["block", "inline-block", "inline-block"])};margin-bottom:${free}px${of(tools, [""], ["!important;margin-bottom:0", ";margin:0"])}`,
      ),
      rule(
        `.bar${at}::after`,
        `content:"";position:absolute;left:0;right:0;bottom:-${low}px;height:${of(tools, ["4px", "2px"], ["20px", "1em"])};background:${random.one(grounds)};${of(tools, [""], ["width:100%;margin:0 auto", "padding:20px", "top:0", "min-height:40px", "width:300px", "border:9px solid #fff"])}`,
      ),
    ];
  });
  return { nodes: [...before, box("div", around, many), box("div", after, words(tools))], rules };
};

/** A box that lies on the box around it, and beyond. */
export const placed: Idiom = (tools) => {
  const { random } = tools;
  const held = random.one<() => PageNode[]>([
    () => [],
    () => words(tools),
    () => [raw("a<br>".repeat(random.below(9)))],
    () => [box("div", `height:${random.one(["20px", "90px", "300px"])};background:${random.one(grounds)}`)],
    () => [
      box("table", `border-spacing:${random.one(["0", "30px"])}`, [
        box("tr", "", [box("td", "padding:20px", [raw("a")])]),
      ]),
    ],
    () => [
      box(
        "div",
        `position:absolute;bottom:${random.one(pulls)};left:0;width:300px;height:40px;background:${random.one(grounds)}`,
      ),
    ],
    () => [box("b", "white-space:pre;font-size:30px", [raw("█\n".repeat(random.below(9)))])],
  ])();
  const style = `position:absolute;${random.one(["top:0", "top:50%", "bottom:0", "bottom:-20px", "top:-40px", "top:200px", ""])};left:${random.one(["0", "50%", "-60px", "100%"])};${rarely(random, "right:0", `width:${random.one(["60px", "300px", "600px"])}`, `height:${random.one(["20px", "90px", "100%"])}`, "padding:30px", `margin-top:${random.one(["-25px", "60px"])}`)};background:${random.one(grounds)};color:${random.one(inks)}`;
  const holder = box(
    random.one(["div", "td", "span"]),
    `position:${of(tools, ["relative"], ["static"])};${rarely(random, `height:${random.one(["0", "40px", "200px"])}`, "display:inline-block", "float:left", "padding:20px")}`,
    random.below(2) === 0
      ? [box("div", style, held)]
      : [raw("word"), box("div", style, held), ...words(tools)],
  );
  const other = box("td", "", words(tools));
  const there = holder.tag === "td" ? inTable(holder, ...(random.below(2) === 0 ? [other] : [])) : holder;
  const gap = (): PageNode[] =>
    random.below(2) === 0 ? [] : [box("div", `height:${random.one(["10px", "60px", "150px"])}`)];
  const after = box("div", random.one(["", `margin-top:${random.one(pulls)}`, "float:left"]), words(tools));
  return { nodes: [...words(tools), ...gap(), there, ...gap(), after], rules: [] };
};

/** A box that ends with the box around it, or beyond its lower or upper edge: between two distances, or as high as a share of it. */
export const filling: Idiom = (tools) => {
  const { random } = tools;
  const ends = random.one([
    `top:0;bottom:${random.one([...pulls, "0"])}`,
    `inset:${random.one(["0", "-10px", "40px"])} 0 ${random.one([...pulls, "0"])}`,
    `top:${random.one(["0", "30px", "50%", "200px"])};${random.one(["height", "min-height", "max-height"])}:${random.one(["100%", "50%", "5%", "calc(100% + 40px)"])}`,
    `bottom:${random.one(["0", "-20px"])};${random.one(["height:5%", "height:0", "max-height:9px", "height:100%"])}`,
    `top:0;bottom:0;margin:${random.one(["auto", "-40px 0", "0 0 -40px", "auto 0 0"])};${random.one(["", "height:120px", "min-height:90px"])}`,
  ]);
  const held = random.one<() => PageNode[]>([
    () => [],
    () => words(tools),
    () => [
      box(
        "div",
        `height:${random.one(["0", "20px", "90px"])};background:${random.one(grounds)};${rarely(random, `margin-top:${random.one(pulls)}`, `margin-bottom:${random.one(pulls)}`)}`,
      ),
    ],
    () => [
      box("b", `line-height:${random.one(["0", "1"])};font-size:40px`, [
        raw("█<br>".repeat(random.below(5))),
      ]),
    ],
  ])();
  const style = `position:absolute;left:0;width:600px;${ends};${rarely(random, "padding:20px 0", "border-bottom:30px solid #fff", "box-sizing:border-box", "display:flex")};background:${random.one(grounds)};color:${random.one(inks)}`;
  const holder = box(
    random.one(["div", "div", "td"]),
    `position:relative;${random.one(["", "height:20px", "height:100px", "height:300px"])};${rarely(random, "border:30px solid #eee", "padding:20px 0", "display:inline-block", `margin-bottom:${random.one(pulls)}`)}`,
    random.below(2) === 0
      ? [box(random.one(["div", "div", "div", "table", "img"]), style, held)]
      : [box("div", style, held), box("div", `height:${random.one(["30px", "200px"])}`, [raw("word")])],
  );
  const gap = (): PageNode[] => (random.below(2) === 0 ? [] : [box("div", "height:20px")]);
  return {
    nodes: [
      ...words(tools),
      ...gap(),
      holder.tag === "td" ? inTable(holder) : holder,
      ...gap(),
      ...words(tools),
    ],
    rules: [],
  };
};

/** Columns that are shares of a fixed table, some with much distance from their edges, and words that just fit. */
export const paddedColumns: Idiom = (tools) => {
  const { random } = tools;
  const cell = (width: string): Box =>
    box(
      "td",
      `${width};${random.one(["", `padding:0 0 0 ${random.one(["20px", "5em", "150px", "300px"])}`, "padding:0 2.5em", "box-sizing:border-box;padding:0 90px"])}`,
      [
        box("div", random.one(["overflow:hidden;white-space:nowrap", "overflow:hidden", ""]), [
          raw(random.one(["w", "ww ", "word "]).repeat(random.below(24))),
          ...tools.mark(),
        ]),
      ],
    );
  const width = (): string =>
    random.one(["width:50%", "width:30%", "width:70%", "width:200px", "", "width:90%"]);
  const cells = Array.from({ length: 2 + random.below(2) }, () => cell(width()));
  const style = `table-layout:${random.one(["fixed", "auto"])};width:${random.one(["600px", "600px", "300px", "100%"])};font:bold 16px DejaVu Sans`;
  const rows = [
    box("tr", "", cells),
    ...(random.below(3) === 0
      ? [
          box(
            "tr",
            "",
            cells.map(() => cell(width())),
          ),
        ]
      : []),
  ];
  const table = box("table", style, rows);
  // As wide as there is room, since it holds a fixed table whose width is a share.
  const around = box(
    random.one(["div", "div", "td"]),
    random.one(["width:300px", "width:600px", "float:left", "display:flex;width:300px", ""]),
    [
      ...rarelyFloat(tools),
      box("table", random.one(["", "", "max-width:200px", "margin-left:100px"]), [
        box("tr", "", [
          box("td", width(), [
            box("table", "table-layout:fixed;width:100%;font:bold 16px DejaVu Sans", rows),
          ]),
          box("td", width(), random.one([() => [raw("word")], () => words(tools)])()),
        ]),
      ]),
    ],
  );
  const one = random.one([table, around]);
  return { nodes: [one.tag === "td" ? inTable(one) : one, ...words(tools)], rules: [] };
};

/** Words that are pulled up below a box that is painted above them. */
export const pulledBelow: Idiom = (tools) => {
  const { random } = tools;
  const over = box(
    "div",
    `${random.one(["position:relative", "opacity:.99", "opacity:.9"])};background:${random.one(grounds)};padding:${random.one(["20px 0", "10px 0 60px"])};color:${random.one(inks)}`,
    words(tools),
  );
  const first = random.one([
    () => over,
    () => inTable(box("td", "", [over])),
    () => box("div", "overflow:hidden", [over]),
  ])();
  const pulled = box(
    "div",
    `margin-top:${random.one(pulls)};${rarely(random, "height:1px")}`,
    random.below(2) === 0 ? [] : words(tools),
  );
  const next = random.one([() => box("div", "", words(tools)), () => inTable(box("td", "", words(tools)))])();
  return {
    nodes: [first, random.below(3) === 0 ? inTable(box("td", "", [pulled])) : pulled, next],
    rules: [],
  };
};

function rarelyFloat({ random }: IdiomTools): PageNode[] {
  return random.below(6) === 0 ? [box("div", "float:left;width:150px", [raw("word")])] : [];
}

function inTable(...cells: readonly Box[]): Box {
  return box(
    "table",
    "",
    [box("tr", "", cells)],
    [
      ["cellpadding", "0"],
      ["cellspacing", "0"],
      ["width", "600"],
    ],
  );
}
