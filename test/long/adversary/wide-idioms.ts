/** Idioms of what is wider than its box, of lines below links, of first letters and of pictures in lines. */
import { box, raw } from "./bulky.ts";
import { grounds, type Idiom, inks, lengths, paint, rule, some, words } from "./idiom-tools.ts";
import type { Box, PageNode } from "./page.ts";

/** Something wider than the window, in and beside grounds of other colours. */
export const wide: Idiom = (tools) => {
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
export const belowMost: Idiom = (tools) => {
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
export const lined: Idiom = (tools) => {
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

export const firstLetter: Idiom = (tools) => {
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
export const movedPicture: Idiom = (tools) => {
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
