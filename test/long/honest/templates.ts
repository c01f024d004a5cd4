/** Honest mail by chance: templates as designers and frameworks write them, in colours and sizes that a person reads. The same seed gives the
 *  same template. Every sentence of it is there to be read. */
import { type RandomSource, randomSource } from "../../support/random.ts";
import { box, raw } from "../adversary/bulky.ts";
import { type Box, marksMax, type Page, type PageNode, type Rule } from "../adversary/page.ts";

interface Tools {
  readonly random: RandomSource;
  /** A sentence of so many words; none after the last. */
  say(words: number): PageNode[];
  readonly ink: string;
  readonly ground: string;
  readonly accent: string;
}

interface Drawn {
  readonly nodes: readonly PageNode[];
  readonly rules?: readonly Rule[];
}

type Idiom = (tools: Tools) => Drawn;

const schemes = [
  ["#333333", "#ffffff", "#1b7f4b"],
  ["#2d3748", "#f4f4f4", "#2b6cb0"],
  ["#111", "#eee", "#b83280"],
  ["#edf2f7", "#1a202c", "#c05621"],
  ["#51545E", "#F4F4F7", "#3869D4"],
] as const;
const fonts = [
  "Arial, sans-serif",
  "Georgia, serif",
  "'Helvetica Neue', Helvetica, Arial, sans-serif",
  "Ubuntu, Helvetica, Arial, sans-serif",
];

function table(
  style: string,
  rows: readonly (readonly PageNode[])[],
  attributes: Box["attributes"] = [],
): Box {
  return box(
    "table",
    style,
    rows.map((cells) => box("tr", "", cells)),
    [["border", "0"], ["cellpadding", "0"], ["cellspacing", "0"], ["role", "presentation"], ...attributes],
  );
}

const link: Box["attributes"] = [["href", "https://shop.example/"]];

const preheader: Idiom = ({ random }) => ({
  nodes: [
    box(
      random.one(["div", "span"]),
      "display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden;mso-hide:all",
      [raw("Open this mail")],
    ),
  ],
});

const heading: Idiom = ({ random, say, ink }) => ({
  nodes: [
    box(
      random.one(["h1", "h2"]),
      `color:${ink};font-size:${random.one(["22px", "28px", "36px"])};line-height:${random.one(["1.1", "1.3", "40px"])};margin:0 0 16px;${random.one(["", "letter-spacing:-0.02em;", "text-shadow:0 1px 0 #fff;"])}text-align:${random.one(["left", "center"])}`,
      say(3),
    ),
  ],
});

const paragraphs: Idiom = ({ random, say }) => ({
  nodes: [
    box("p", `margin:0 0 1em;line-height:${random.one(["1.5", "24px", "150%"])}`, [
      ...say(9),
      raw(" "),
      box(
        "a",
        `color:inherit;${random.one(["text-decoration:underline", "border-bottom:1px solid #828282;text-decoration:none", "text-decoration:underline 1px"])}`,
        say(2),
        link,
      ),
    ]),
    box("p", "margin:0 0 1em", say(6)),
  ],
});

const button: Idiom = ({ random, say, accent }) => {
  const style = `background:${accent};color:#fff;text-decoration:none;padding:${random.one(["12px 24px", "10px 18px", "15px 25px"])};border-radius:${random.one(["3px", "6px", "24px"])};${random.one(["", "box-shadow:0 2px 3px rgba(0,0,0,.16);", "border:1px solid #000;"])}-webkit-text-size-adjust:none`;
  const inner = box("a", `display:inline-block;${style}`, say(2), link);
  const cell = box("td", `border-radius:6px;background:${accent};mso-padding-alt:10px 25px`, [
    box("a", `display:block;${style}`, say(2), link),
  ]);
  return {
    nodes: [
      random.below(2) === 0
        ? box("p", "text-align:center", [inner])
        : table("margin:0 auto", [[cell]], [["align", "center"]]),
    ],
  };
};

const picture: Idiom = ({ random, say }) => ({
  nodes: [
    box(
      "img",
      random.one([
        "width:100%;max-width:600px;height:auto;display:block",
        "border:0;outline:none;-ms-interpolation-mode:bicubic",
      ]),
      [],
      [
        ["src", "https://shop.example/a.png"],
        ["width", "600"],
        ["height", "200"],
        ["alt", ""],
      ],
    ),
    box("p", "font-size:12px;text-align:center;margin:8px 0", say(3)),
  ],
});

const tableColumns: Idiom = ({ random, say, ground }) => {
  const cell = (): Box =>
    box(
      "td",
      `padding:${random.one(["10px", "0 6%", "20px 10px"])};vertical-align:top;${random.one(["", `background-color:${ground};`])}`,
      say(4),
      [
        ["width", "50%"],
        ["valign", "top"],
      ],
    );
  return {
    nodes: [table("border-collapse:collapse", [[cell(), cell()]], [["width", random.one(["600", "100%"])]])],
  };
};

const hybridColumns: Idiom = ({ random, say }) => {
  const most = random.one(["260px", "280px", "300px"]);
  const column = (): Box =>
    box(
      "div",
      `display:inline-block;width:100%;min-width:200px;max-width:${most};vertical-align:top;${random.one(["", "margin:0 -1px"])}`,
      [table("", [[box("td", "padding:10px;font-size:14px;text-align:left", say(4))]], [["width", "100%"]])],
    );
  return {
    nodes: [
      table(
        "",
        [[box("td", "font-size:0;text-align:center", [column(), column()])]],
        [
          ["width", "100%"],
          ["align", "center"],
        ],
      ),
    ],
  };
};

const mjmlColumns: Idiom = ({ random, say }) => {
  const share = random.one(["50", "100"]);
  const column = (): Box =>
    box(
      "div",
      "font-size:0px;text-align:left;direction:ltr;display:inline-block;vertical-align:top;width:100%",
      [
        table(
          "vertical-align:top",
          [
            [
              box(
                "td",
                "font-size:0px;padding:10px 25px;word-break:break-word",
                [
                  box(
                    "div",
                    "font-family:Ubuntu, Helvetica, Arial, sans-serif;font-size:13px;line-height:1.5;text-align:left",
                    say(4),
                  ),
                ],
                [["align", "left"]],
              ),
            ],
          ],
          [["width", "100%"]],
        ),
      ],
      [["class", `mj-column-per-${share} mj-outlook-group-fix`]],
    );
  return {
    nodes: [
      box("div", "margin:0px auto;max-width:600px", [
        table(
          "width:100%",
          [[box("td", "direction:ltr;font-size:0px;padding:20px 0;text-align:center", [column(), column()])]],
          [["align", "center"]],
        ),
      ]),
    ],
    rules: [
      {
        within: ["@media only screen and (min-width:480px)"],
        selector: `.mj-column-per-${share}`,
        style: [
          ["width", `${share}% !important`],
          ["max-width", `${share}%`],
        ],
      },
    ],
  };
};

const floatColumns: Idiom = ({ random, say }) => ({
  nodes: [
    box(
      "div",
      random.one(["overflow:hidden", "", "width:100%"]),
      [
        box("div", "float:left;width:48%", say(4)),
        box("div", `float:${random.one(["left", "right"])};width:48%`, say(4)),
      ],
      [["class", "clearfix"]],
    ),
    box("p", "clear:both", say(3)),
  ],
  rules: [
    {
      within: [],
      selector: ".clearfix::after",
      style: [
        ["content", '""'],
        ["display", "table"],
        ["clear", "both"],
      ],
    },
  ],
});

const flexRow: Idiom = ({ random, say }) => ({
  nodes: [
    box(
      "div",
      `display:flex;gap:16px;${random.one(["align-items:center", "flex-wrap:wrap", "justify-content:space-between"])}`,
      [box("div", "flex:1", say(3)), box("div", "flex:1;padding:8px", say(3))],
    ),
  ],
});

const gridCards: Idiom = ({ random, say, ground }) => ({
  nodes: [
    box(
      "div",
      `display:grid;grid-template-columns:${random.one(["1fr 1fr", "200px 1fr", "repeat(2, 1fr)"])};gap:12px`,
      [box("div", `background:${ground};padding:10px`, say(3)), box("div", "", say(3))],
    ),
  ],
});

const pulledCard: Idiom = ({ random, say, accent, ink, ground }) => ({
  nodes: [
    box("div", `background:${accent};color:#fff;padding:30px 20px 60px;text-align:center`, say(3)),
    box(
      "div",
      `margin:-${random.one(["16px", "30px", "40px"])} 20px 16px;background:${ground};color:${ink};padding:20px;border-radius:8px`,
      say(5),
    ),
  ],
});

const badges: Idiom = ({ random, say, accent }) => ({
  nodes: [
    box("p", "font-size:16px", [
      ...say(3),
      raw(" "),
      box(
        "span",
        `display:inline-block;padding:4px 12px;border-radius:20px;font-size:12px;background:${accent};color:#fff;${random.one(["", "white-space:nowrap;", "vertical-align:top;"])}`,
        say(1),
      ),
    ]),
  ],
});

const list: Idiom = ({ random, say }) => ({
  nodes: [
    box(
      random.one(["ul", "ol"]),
      random.one(["padding-left:20px", "list-style:none;padding:0", ""]),
      [box("li", "margin-bottom:8px", say(4)), box("li", "", say(4))],
      [["class", "ticks"]],
    ),
  ],
  rules: [
    {
      within: [],
      selector: ".ticks li:before",
      style: [
        ["content", '"\u2713 "'],
        ["color", "#1b7f4b"],
      ],
    },
  ],
});

const receipt: Idiom = ({ random, say }) => {
  const row = (): PageNode[] => [
    box("td", "padding:8px;border-bottom:1px solid #ddd", say(3)),
    box("td", "padding:8px;border-bottom:1px solid #ddd;text-align:right;white-space:nowrap", say(1), [
      ["align", "right"],
    ]),
  ];
  return {
    nodes: [
      table(
        random.one([
          "border-collapse:collapse;width:100%",
          "width:100%;-premailer-width:100%",
          "max-width:600px;margin:0 auto",
        ]),
        [row(), row()],
      ),
    ],
  };
};

const code: Idiom = ({ random, say }) => ({
  nodes: [
    box(
      random.one(["div", "p"]),
      `font-family:monospace;font-size:24px;letter-spacing:${random.one(["2px", "4px", ".1em"])};background:#f4f4f4;color:#333;padding:16px;border-radius:4px;text-align:center`,
      say(1),
    ),
  ],
});

const quote: Idiom = ({ random, say, accent }) => ({
  nodes: [
    box(
      "blockquote",
      `margin:16px 0;padding:0 0 0 16px;border-left:4px solid ${accent};${random.one(["", "font-style:italic;"])}`,
      [box("p", "", say(6))],
    ),
  ],
});

const wideLine: Idiom = ({ random, say }) => ({
  nodes: [
    random.below(2) === 0
      ? box("pre", "font-size:13px", [raw("word ".repeat(40))])
      : box(
          "img",
          "",
          [],
          [
            ["src", "https://shop.example/b.png"],
            ["width", "1200"],
            ["height", "40"],
            ["alt", ""],
          ],
        ),
    box("p", "", say(4)),
  ],
});

const footer: Idiom = ({ random, say }) => ({
  nodes: [
    box(
      "div",
      `font-size:${random.one(["11px", "12px", "13px"])};color:#666;background:#fafafa;padding:20px;text-align:center;${random.one(["", "border-top:1px solid #eee;"])}`,
      [...say(5), raw(" | "), box("a", "color:#555", say(1), link)],
    ),
  ],
});

const idioms: readonly Idiom[] = [
  heading,
  paragraphs,
  button,
  picture,
  tableColumns,
  hybridColumns,
  mjmlColumns,
  floatColumns,
  flexRow,
  gridCards,
  pulledCard,
  badges,
  list,
  receipt,
  code,
  quote,
  wideLine,
];

/** How the whole is held together: a table in a table, a centred box, or nothing. */
function shell({ random, ground, ink }: Tools, nodes: readonly PageNode[]): PageNode[] {
  const font = `font-family:${random.one(fonts)};font-size:${random.one(["14px", "15px", "16px"])};color:${ink}`;
  const padding = random.one(["20px", "30px 24px", "0 6.25%"]);
  return random.one([
    () => [
      table(
        `background:${ground}`,
        [
          [
            box(
              "td",
              "",
              [
                table(
                  `background:${ground}`,
                  [[box("td", `padding:${padding};${font}`, nodes)]],
                  [["width", "600"]],
                ),
              ],
              [["align", "center"]],
            ),
          ],
        ],
        [
          ["width", "100%"],
          ["bgcolor", ground],
        ],
      ),
    ],
    () => [
      box(
        "div",
        `max-width:600px;margin:0 auto;padding:24px;background:${ground};${font};${random.one(["", "border-radius:8px;", "box-shadow:0 4px 12px rgba(0,0,0,.12);"])}`,
        nodes,
      ),
    ],
    () => [
      box("center", "width:100%;table-layout:fixed", [
        box("div", `max-width:600px;background:${ground};text-align:left;${font}`, nodes),
      ]),
    ],
    () => [box("div", `background:${ground};${font};padding:16px`, nodes)],
  ])();
}

export function honestTemplate(seed: number): Page {
  const random = randomSource(seed);
  let marks = 0;
  const [ink, ground, accent] = random.one(schemes);
  const tools: Tools = {
    random,
    ink,
    ground,
    accent,
    say: (words) => (marks < marksMax ? [{ kind: "mark", mark: marks++, words }] : []),
  };
  const left = [...idioms];
  const chosen = Array.from({ length: 4 }, () => left.splice(random.below(left.length), 1)[0]!);
  const drawn = [preheader, ...chosen, footer].map((idiom) => idiom(tools));
  const rules: Rule[] = [
    {
      within: [],
      selector: "body",
      style: [
        ["margin", "0"],
        ["padding", "0"],
        ["-webkit-text-size-adjust", "100%"],
      ],
    },
    {
      within: [],
      selector: "table, td",
      style: [
        ["mso-table-lspace", "0pt"],
        ["mso-table-rspace", "0pt"],
      ],
    },
    {
      within: ["@media (max-width: 600px)"],
      selector: ".clearfix div",
      style: [
        ["width", "100% !important"],
        ["float", "none"],
      ],
    },
    {
      within: ["@media (prefers-color-scheme: dark)"],
      selector: "body",
      style: [["background-color", "#111"]],
    },
    ...drawn.flatMap((one) => one.rules ?? []),
  ];
  return {
    doctype: random.one([
      "<!doctype html>",
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">',
    ]),
    head: ['<meta name="viewport" content="width=device-width">'],
    rules,
    body: box(
      "body",
      `background:${ground}`,
      shell(
        tools,
        drawn.flatMap(({ nodes }) => nodes),
      ),
    ),
  };
}
