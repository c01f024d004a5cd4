/** Idioms of the mail of today, as frameworks and designers write them, with values near the limits at which they hide text: clearfix,
 *  words before and after, text for screen readers, pills, badges, cards that are pulled up, columns, and the output of MJML. */
import { beside, dropped, layered, pushing, reaching } from "./argued-idioms.ts";
import { box, raw, type SceneTools } from "./bulky.ts";
import { centred, highCorner, lowSigns, pulls } from "./covering-idioms.ts";
import {
  type Drawn,
  grounds,
  type Idiom,
  type IdiomTools,
  inks,
  lengths,
  of,
  paint,
  rule,
  some,
  widths,
  words,
} from "./idiom-tools.ts";
import type { Box } from "./page.ts";
import { bars, filling, layerBelow, paddedColumns, placed, pulledBelow } from "./placed-idioms.ts";
import { belowMost, firstLetter, lined, movedPicture, wide } from "./wide-idioms.ts";

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

export const idioms: readonly Idiom[] = [
  bars,
  filling,
  layerBelow,
  paddedColumns,
  placed,
  pulledBelow,
  dropped,
  reaching,
  pushing,
  beside,
  layered,
  lowSigns,
  pulls,
  highCorner,
  centred,
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

/** Each idiom by a chance of one in four. */
export function drawIdioms(some: SceneTools): Drawn {
  const tools: IdiomTools = { ...some, isBold: some.random.below(4) === 0 };
  const drawn = idioms.filter(() => tools.random.below(4) === 0).map((idiom) => idiom(tools));
  const first = tools.random.below(Math.max(1, drawn.length));
  const inOrder = [...drawn.slice(first), ...drawn.slice(0, first)];
  return { nodes: inOrder.flatMap(({ nodes }) => nodes), rules: inOrder.flatMap(({ rules }) => rules) };
}
