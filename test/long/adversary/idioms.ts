/** Idioms of the mail of today, as frameworks and designers write them, with values near the limits at which they hide text: clearfix,
 *  words before and after, text for screen readers, pills, badges, cards that are pulled up, columns, and the output of MJML. */
import { box, raw, type SceneTools } from "./bulky.ts";
import type { Box, PageNode, Rule } from "./page.ts";

export interface Drawn {
  readonly nodes: readonly PageNode[];
  readonly rules: readonly Rule[];
}

interface IdiomTools extends SceneTools {
  /** Variants are drawn too that a careful reader leaves out with the whole page. */
  readonly isBold: boolean;
}

type Idiom = (tools: IdiomTools) => Drawn;

const inks = "#000 #111 #333 #555 #777 #fff #fff #ffffff white #eee #2d3748 navy".split(" ");
const grounds = "#fff #ffffff white #f4f4f4 #eee #edf2f7 #000 #222 navy #2d3748 #e53e3e transparent".split(
  " ",
);
const lengths = "0 1px 2px 4px 5px 6px 8px 10px 12px 16px 20px 24px 30px 40px".split(" ");
const widths = "0 40px 100px 180px 200px 280px 300px 600px 25% 33.33% 50% 100% auto".split(" ");
/** Some of `bold` in bold pages alone. */
function of<Value>({ random, isBold }: IdiomTools, usual: readonly Value[], bold: readonly Value[]): Value {
  return random.one(isBold ? [...usual, ...bold] : usual);
}

const fills = ["word ", "some words here ", "Aaaaaaaaaaaaaaaaaaaaaaaa ", "&nbsp;", "<br>"];

function rule(selector: string, style: string, within: readonly string[] = []): Rule {
  return { within, selector, style: box("b", style).style };
}

function paint({ random }: IdiomTools): string {
  return random.below(3) === 0 ? "" : `background:${random.one(grounds)};color:${random.one(inks)};`;
}

/** A sentence, sometimes with other words or in a box of its own. */
function words(tools: IdiomTools): PageNode[] {
  const { random, mark } = tools;
  return random.one([
    () => mark(),
    () => [raw(random.one(fills)), ...mark()],
    () => [box(random.one(["p", "h2", "span", "b", "div"]), paint(tools), mark())],
    () => [...mark(), raw(random.one(fills).repeat(1 + random.below(12)))],
  ])();
}

function some(random: IdiomTools["random"], ...choices: readonly string[]): string {
  return choices.filter(() => random.below(2) === 0).join(";");
}

const clearfix: Idiom = (tools) => {
  const { random } = tools;
  const after = `content:${random.one(['""', '" "', '"."', "none"])};display:${of(tools, ["table", "block"], ["inline-block"])};clear:both;${some(random, "visibility:hidden", `height:${random.one(["0", "1px", "20px"])}`, "line-height:0", "font-size:0")}`;
  const column = (): Box =>
    box(
      "div",
      `float:${random.one(["left", "left", "right"])};width:${random.one(widths)};${paint(tools)}`,
      words(tools),
    );
  const around = box(
    "div",
    `${paint(tools)}${some(random, "overflow:hidden", "zoom:1", `padding:${random.one(lengths)}`)}`,
    [column(), ...(random.below(2) === 0 ? [column()] : []), ...(random.below(3) === 0 ? words(tools) : [])],
    [["class", "cf"]],
  );
  return {
    nodes: [around, ...words(tools)],
    rules: [
      rule(random.one([".cf:after", ".cf::after", ".cf:before,.cf:after"]), after),
      ...(random.below(3) === 0 ? [rule(".cf", "*zoom:1")] : []),
    ],
  };
};

const pseudo: Idiom = (tools) => {
  const { random } = tools;
  const plain = [
    `color:${random.one(inks)};margin-right:${random.one(lengths.slice(0, 9))};font-weight:bold`,
    "display:table;clear:both",
    "display:block;clear:both",
  ];
  const shape = of(tools, plain, [
    `width:${random.one(lengths)};height:${random.one(lengths)};display:${random.one(["block", "inline-block"])};${paint(tools)}`,
    `width:0;height:0;border:${random.one(lengths)} solid transparent;border-left-color:${random.one(inks)}`,
    `position:absolute;${some(random, "top:0", "left:0", "right:0", "bottom:0", "width:100%", "height:3px")};${paint(tools)}`,
    `float:left;margin-left:${random.one(["-20px", "-8px", "4px"])}`,
  ]);
  const content = of(
    tools,
    ['""', '"→"', '"•"', '"“"', '"NEW"', '"\\2014"'],
    ["attr(title)", '"" / "x"', "counter(i)"],
  );
  return {
    nodes: [
      box(
        random.one(["p", "div", "li", "a", "span"]),
        `${paint(tools)}${some(random, "position:relative", "padding-left:20px")}`,
        words(tools),
        [["class", "q"]],
      ),
      ...words(tools),
    ],
    rules: [rule(random.one([".q:before", ".q::before", ".q::after"]), `content:${content};${shape}`)],
  };
};

const screenReader: Idiom = (tools) => {
  const { random } = tools;
  const all =
    "position:absolute;width:1px;height:1px;padding:0;margin:-1px;overflow:hidden;clip:rect(0,0,0,0);clip-path:inset(50%);white-space:nowrap;border:0".split(
      ";",
    );
  const style = of(
    tools,
    [all.join(";"), "display:none"],
    [
      all.filter(() => random.below(10) > 0).join(";"),
      all.filter(() => random.below(4) > 0).join(";"),
      `position:absolute;${random.one(["left", "top"])}:${random.one(["-10000px", "-9999px", "-999px", "-100px"])}`,
      `text-indent:-9999px;${some(random, "overflow:hidden", "display:block")}`,
      "height:0;overflow:hidden;opacity:0",
    ],
  );
  return {
    nodes: [
      ...words(tools),
      box(random.one(["span", "div", "p", "a"]), "", words(tools), [["class", "sr"]]),
      ...words(tools),
    ],
    rules: [rule(".sr", style)],
  };
};

function pillOf(tools: IdiomTools, more = ""): Box {
  const { random } = tools;
  return box(
    random.one(["span", "a", "b"]),
    `display:${of(tools, ["inline-block"], ["inline", "inline-flex"])};padding:${random.one(lengths)} ${random.one(lengths)};border-radius:${of(tools, ["3px", "20px", "1em"], ["9999px", "50%"])};background:${random.one(grounds)};color:${random.one(inks)};${some(random, `font-size:${random.one(["9px", "11px", "12px", "14px"])}`, `line-height:${random.one(["1", "18px", "1.4"])}`, "white-space:nowrap", `border:1px solid ${random.one(inks)}`)};${more}`,
    words(tools),
  );
}

const pill: Idiom = (tools) => ({
  nodes: [
    box("p", paint(tools), [...words(tools), pillOf(tools), raw(" "), pillOf(tools), ...words(tools)]),
    ...words(tools),
  ],
  rules: [],
});

const badge: Idiom = (tools) => {
  const { random } = tools;
  const place = of(
    tools,
    ["margin-left:4px;vertical-align:top", "float:right", ""],
    [
      `position:absolute;top:${random.one(["-10px", "-8px", "0", "4px"])};right:${random.one(["-8px", "0", "8px"])}`,
      `margin-left:${random.one(["-10px", "-6px", "-2px", "4px"])};vertical-align:top`,
      "position:relative;top:-8px",
    ],
  );
  const round = of(
    tools,
    ["", "min-width:20px"],
    ["width:18px;height:18px;line-height:18px;text-align:center"],
  );
  return {
    nodes: [
      box(random.one(["div", "p", "td"]), `position:relative;${paint(tools)}`, [
        ...words(tools),
        pillOf(tools, `${place};${round}`),
        ...words(tools),
      ]),
      ...words(tools),
    ],
    rules: [],
  };
};

const pulledCard: Idiom = (tools) => {
  const { random } = tools;
  const up = of(tools, ["-2px", "-8px", "-16px", "-20px", "-30px", "-40px"], ["-60px", "-61px"]);
  const card = `margin-top:${up};${some(random, `margin-left:${random.one(lengths)}`, "position:relative", `border-radius:${random.one(lengths)}`, "box-shadow:0 4px 12px rgba(0,0,0,.12)", `width:${random.one(widths)}`, ...(tools.isBold ? ["z-index:1"] : []))};padding:${random.one(lengths)};${paint(tools)}`;
  const band = `${paint(tools)}padding:${random.one(lengths)} ${random.one(lengths)} ${random.one(["0", "20px", "40px", "60px"])};${some(random, ...(tools.isBold ? [`height:${random.one(["40px", "80px", "120px"])}`] : []), "min-height:60px")}`;
  return {
    nodes: [
      box("div", band, words(tools)),
      box(random.one(["div", "div", "table", "p"]), card, words(tools)),
      ...words(tools),
    ],
    rules: [],
  };
};

const floats: Idiom = (tools) => {
  const { random } = tools;
  const column = (): Box =>
    box(
      random.one(["div", "div", "table"]),
      `${paint(tools)}float:${random.one(["left", "left", "right"])};width:${random.one(widths)};${some(random, `padding:${random.one(lengths)}`, `margin-right:${of(tools, ["10px", "2%"], ["-10px"])}`, "box-sizing:border-box")}`,
      words(tools),
    );
  return {
    nodes: [
      box(
        "div",
        `${paint(tools)}${random.one(["", "width:600px", "max-width:600px;margin:0 auto", "overflow:hidden"])}`,
        [
          column(),
          column(),
          ...(random.below(2) === 0 ? [column()] : []),
          random.below(2) === 0 ? box("div", "clear:both") : box("br", "", [], [["clear", "all"]]),
          ...words(tools),
        ],
      ),
    ],
    rules: [],
  };
};

const flex: Idiom = (tools) => {
  const { random } = tools;
  const item = (): Box =>
    box(
      random.one(["div", "div", "p", "span", "a"]),
      `${paint(tools)}${some(random, `flex:${random.one(["1", "0 0 50%", "1 1 200px", "none", "0 1 auto"])}`, `padding:${random.one(lengths)}`, `width:${random.one(widths)}`, "min-width:0", `margin-left:${of(tools, ["auto", "10px"], ["-10px"])}`, "align-self:center")}`,
      words(tools),
    );
  const style = `display:${of(tools, ["flex"], ["inline-flex", "-webkit-box"])};${some(random, `gap:${random.one(lengths)}`, "flex-wrap:wrap", `flex-direction:${of(tools, ["column", "row"], ["row-reverse"])}`, `justify-content:${random.one(["center", "space-between", "flex-end"])}`, "align-items:center", `width:${random.one(widths)}`, `height:${random.one(["40px", "100%", "auto"])}`)};${paint(tools)}`;
  return {
    nodes: [box("div", style, [item(), item(), ...(random.below(2) === 0 ? [item()] : [])]), ...words(tools)],
    rules: [],
  };
};

const grid: Idiom = (tools) => {
  const { random } = tools;
  const item = (): Box =>
    box(
      "div",
      `${paint(tools)}${some(random, `padding:${random.one(lengths)}`, ...(tools.isBold ? ["grid-column:1", "grid-row:1", "justify-self:end"] : []), "min-width:0")}`,
      words(tools),
    );
  const style = `display:${random.one(["grid", "grid", "inline-grid"])};${some(random, `grid-template-columns:${random.one(["1fr 1fr", "200px 1fr", "repeat(2,minmax(0,1fr))", "40px 40px", "auto auto"])}`, `gap:${random.one(lengths)}`, `grid-template-rows:${random.one(["auto", "auto", "1fr", "20px 20px"])}`, `width:${random.one(widths)}`)};${paint(tools)}`;
  return { nodes: [box("div", style, [item(), item(), item()]), ...words(tools)], rules: [] };
};

const tableColumns: Idiom = (tools) => {
  const { random } = tools;
  const cell = (): Box =>
    box(
      random.one(["td", "td", "th"]),
      `${paint(tools)}${some(random, `padding:${random.one(lengths)}`, `width:${random.one(widths)}`, "vertical-align:top", "white-space:nowrap", "font-size:0")}`,
      random.below(4) === 0 ? [hybrid(tools), hybrid(tools)] : words(tools),
      random.below(2) === 0 ? [["width", random.one(["50%", "300", "100", "20"])]] : [["valign", "top"]],
    );
  const rows = Array.from({ length: 1 + random.below(2) }, () =>
    box("tr", "", Array.from({ length: 1 + random.below(3) }, cell)),
  );
  const table = box(
    "table",
    `${some(random, "border-collapse:collapse", `width:${random.one(widths)}`, "max-width:600px", "table-layout:fixed")};${paint(tools)}`,
    rows,
    [
      ["width", random.one(["600", "100%", "300"])],
      ["cellpadding", random.one(["0", "10"])],
      ["cellspacing", random.one(["0", "5"])],
    ],
  );
  return { nodes: [random.below(2) === 0 ? box("center", "", [table]) : table, ...words(tools)], rules: [] };
};

/** A column of the hybrid kind: a box in a line, or a table beside others. */
function hybrid(tools: IdiomTools): Box {
  const { random } = tools;
  if (random.below(2) === 0)
    return box(
      "table",
      `width:${random.one(widths)};${paint(tools)}`,
      [box("tr", "", [box("td", "", words(tools))])],
      [["align", "left"]],
    );
  return box(
    "div",
    `display:inline-block;width:100%;max-width:${random.one(widths)};vertical-align:top;font-size:${random.one(["16px", "14px"])};${some(random, ...(tools.isBold ? ["margin:0 -2px"] : []), "min-width:200px")};${paint(tools)}`,
    words(tools),
  );
}

const mjml: Idiom = (tools) => {
  const { random } = tools;
  const share = random.one(["50", "33", "25", "100"]);
  const column = (): Box =>
    box(
      "div",
      "font-size:0px;text-align:left;direction:ltr;display:inline-block;vertical-align:top;width:100%",
      [
        box(
          "table",
          `vertical-align:top;${some(random, `background-color:${random.one(grounds)}`, `border-radius:${random.one(lengths)}`)}`,
          [
            box("tr", "", [
              box("td", `font-size:0px;padding:10px ${random.one(lengths)};word-break:break-word`, [
                box(
                  "div",
                  `font-family:${random.one(["Ubuntu, Helvetica, Arial, sans-serif", "Georgia"])};font-size:${random.one(["13px", "20px", "11px"])};line-height:${random.one(["1", "1.5", "24px"])};text-align:left;color:${random.one(inks)}`,
                  words(tools),
                ),
              ]),
            ]),
            ...(random.below(2) === 0 ? [button()] : []),
          ],
          [
            ["border", "0"],
            ["cellpadding", "0"],
            ["cellspacing", "0"],
            ["width", "100%"],
          ],
        ),
      ],
      [["class", `mj-column-per-${share} mj-outlook-group-fix`]],
    );
  const button = (): Box =>
    box("tr", "", [
      box("td", "font-size:0px;padding:10px 25px", [
        box("table", "border-collapse:separate;line-height:100%", [
          box("tr", "", [
            box(
              "td",
              `border:none;border-radius:3px;cursor:auto;mso-padding-alt:10px 25px;background:${random.one(grounds)}`,
              [
                box(
                  "a",
                  `display:inline-block;background:${random.one(grounds)};color:${random.one(inks)};font-size:13px;line-height:120%;margin:0;text-decoration:none;padding:10px 25px;border-radius:3px`,
                  tools.mark(),
                ),
              ],
            ),
          ]),
        ]),
      ]),
    ]);
  const ground = random.one(grounds);
  const section = box(
    "div",
    `background:${ground};background-color:${ground};margin:0px auto;max-width:${random.one(["600px", "600px", "320px"])}`,
    [
      box(
        "table",
        `background:${ground};width:100%`,
        [
          box("tr", "", [
            box(
              "td",
              `direction:${random.one(["ltr", "ltr", "rtl"])};font-size:0px;padding:20px 0;text-align:center`,
              [column(), column()],
            ),
          ]),
        ],
        [["align", "center"]],
      ),
    ],
  );
  const wide = random.one(["480px", "480px", "600px", "1025px"]);
  return {
    nodes: [section, ...words(tools)],
    rules: [
      rule(`.mj-column-per-${share}`, `width:${share}%!important;max-width:${share}%`, [
        `@media only screen and (min-width:${wide})`,
      ]),
      rule("p", "display:block;margin:13px 0"),
    ],
  };
};

/** Something wider than the window, in and beside grounds of other colours. */
const wide: Idiom = (tools) => {
  const { random } = tools;
  const size = random.one(["300px", "650px", "700px", "900px", "1300px", "1900px"]);
  const long = (): PageNode[] =>
    random.one([
      () => [box("pre", paint(tools), [raw("word ".repeat(random.below(60))), ...words(tools)])],
      () => [
        box(
          "img",
          "",
          [],
          [
            ["src", "https://x.example/a"],
            ["width", size.slice(0, -2)],
            ["height", "9"],
          ],
        ),
      ],
      () => [
        box(
          random.one(["div", "table", "p"]),
          `width:${size};text-align:${random.one(["left", "right", "center"])};${paint(tools)}`,
          words(tools),
        ),
      ],
      () => [
        box("div", `white-space:nowrap;${paint(tools)}`, [
          raw("some words ".repeat(random.below(30))),
          ...words(tools),
        ]),
      ],
    ])();
  const holder = (inner: readonly PageNode[]): Box =>
    box(
      random.one(["div", "div", "p", "li", "blockquote"]),
      `${paint(tools)}${some(random, `padding:${random.one(lengths)}`, `margin:${random.one(lengths)}`, `border:${random.one(lengths)} solid ${random.one(inks)}`)}`,
      inner,
    );
  return {
    nodes: [holder([...words(tools), holder([...long(), ...words(tools)]), ...words(tools)])],
    rules: [],
  };
};

/** A column whose greatest width is near the width of its words. */
const belowMost: Idiom = (tools) => {
  const { random } = tools;
  const most = random.one(["20px", "60px", "90px", "120px", "186px", "300px", "440px"]);
  const column = (): Box =>
    box(
      "div",
      `display:inline-block;max-width:${most};${some(random, "width:100%", `min-width:${random.one(["20px", "160px", "280px"])}`, "margin:0 -1px", "vertical-align:top", `padding:${random.one(lengths)}`, "box-sizing:border-box")};${paint(tools)}`,
      random.below(2) === 0
        ? words(tools)
        : [
            box("table", `${some(random, "width:100%", "table-layout:fixed")};${paint(tools)}`, [
              box("tr", "", [
                box("td", some(random, `padding:${random.one(["10px", "6.25%", "0 20%"])}`), words(tools)),
              ]),
            ]),
          ],
    );
  const cells = Array.from({ length: 1 + random.below(2) }, () =>
    box("td", `${paint(tools)}${some(random, "font-size:0", "direction:rtl")}`, [column(), column()]),
  );
  return {
    nodes: [
      box("table", `${some(random, "width:100%", "table-layout:fixed", "float:left")};${paint(tools)}`, [
        box("tr", "", cells),
      ]),
      ...words(tools),
    ],
    rules: [],
  };
};

/** Lines below links, nested and in lines of any height. */
const lined: Idiom = (tools) => {
  const { random } = tools;
  const line = random.one(["1px", "2px", "2px", "3px", "6px"]);
  const link = (inner: readonly PageNode[]): Box =>
    box(
      random.one(["a", "span", "b"]),
      `${some(random, `border-bottom:${line} solid ${random.one(inks)}`, `border:${line} solid ${random.one(inks)}`, `border-top:${line} solid ${random.one(inks)}`, `padding:${random.one(lengths.slice(0, 9))}`, `text-decoration:underline ${random.one(["1px", "2px"])}`, `text-decoration-line:line-through;text-decoration-thickness:${random.one(["1px", "2px"])}`)}`,
      inner,
    );
  const inner =
    random.below(2) === 0 ? [link(words(tools))] : [link([...words(tools), link([link(words(tools))])])];
  const small = random.one(["", "font-size:8px;", "font-size:10px;", "font-size:13px;"]);
  return {
    nodes: [
      box("p", `${small}${some(random, `line-height:${random.one(["0.8", "1", "1.2"])}`)}`, [
        ...words(tools),
        raw(random.one(["<br>", " "])),
        ...inner,
        raw(random.one(["<br>", " "])),
        ...words(tools),
      ]),
    ],
    rules: [],
  };
};

const firstLetter: Idiom = (tools) => {
  const { random } = tools;
  const style = `font-size:${random.one(["30px", "54px", "60px"])};${some(random, "float:left", "line-height:0.9", `padding:${random.one(lengths.slice(0, 9))}`, `margin:${random.one(lengths.slice(0, 9))}`, "font-weight:700")}`;
  const around = random.one([
    "",
    "overflow:hidden",
    "white-space:nowrap",
    "width:100px",
    "overflow:hidden;width:120px",
  ]);
  return {
    nodes: [
      box("div", `${around};${paint(tools)}`, [
        box("p", "", random.below(2) === 0 ? [raw("a")] : words(tools), [["class", "drop"]]),
        ...words(tools),
      ]),
      ...words(tools),
    ],
    rules: [rule(".drop::first-letter", style)],
  };
};

/** Pictures that a margin moves in their line. */
const movedPicture: Idiom = (tools) => {
  const { random } = tools;
  const picture = box(
    "img",
    `margin-${random.one(["top", "bottom"])}:-${random.one(["1px", "2px", "3px", "10px", "30px", "60px"])};background:${random.one(grounds)};${some(random, `vertical-align:${random.one(["middle", "top", "bottom"])}`)}`,
    [],
    [
      ["src", "https://x.example/a"],
      ["width", random.one(["15", "200", "600"])],
      ["height", random.one(["15", "60", "120"])],
    ],
  );
  return {
    nodes: [
      box("div", paint(tools), [
        ...words(tools),
        box("p", some(random, `padding:${random.one(lengths)}`), [picture, ...words(tools)]),
        ...words(tools),
      ]),
      ...words(tools),
    ],
    rules: [],
  };
};

export const idioms: readonly Idiom[] = [
  wide,
  belowMost,
  lined,
  firstLetter,
  movedPicture,
  clearfix,
  pseudo,
  screenReader,
  pill,
  badge,
  pulledCard,
  floats,
  flex,
  grid,
  tableColumns,
  mjml,
];

/** Each idiom by a chance of one half. */
export function drawIdioms(some: SceneTools): Drawn {
  const tools: IdiomTools = { ...some, isBold: some.random.below(4) === 0 };
  const drawn = idioms.filter(() => tools.random.below(2) === 0).map((idiom) => idiom(tools));
  const first = tools.random.below(Math.max(1, drawn.length));
  const inOrder = [...drawn.slice(first), ...drawn.slice(0, first)];
  return { nodes: inOrder.flatMap(({ nodes }) => nodes), rules: inOrder.flatMap(({ rules }) => rules) };
}
