/** Tables that float in cells, with words wider than the stated width, and content beside and below them. */
import { box, colours, raw, type SceneTools, widths } from "./bulky.ts";
import type { Box, PageNode } from "./page.ts";

const saids = ["", "width:100%", "width:100%", "width:10px", "width:50%", "width:150px", "min-width:300px"];
const mosts = ["", "", "max-width:580px", "max-width:150px", "max-width:10px", "max-width:50%"];
const others = ["", "", "margin:20px", "padding:20px", "border:5px solid", "white-space:nowrap"];
const outers = [
  "",
  "width:100%",
  "width:200px",
  "width:10px",
  "table-layout:fixed;width:200px",
  "max-width:100px",
];
const cellWidths = ["", "", "width:20px", "width:300px", "width:50%", "width:100%", "white-space:nowrap"];

function ground({ random }: SceneTools): string {
  return random.below(3) === 0 ? `background:${random.one(colours)};color:${random.one(colours)}` : "";
}

/** Words that may be wider than the boxes around them. */
function words(tools: SceneTools): PageNode[] {
  const { random, mark } = tools;
  const long = raw("a".repeat(1 + random.below(60)));
  return random.one([
    () => mark(),
    () => [long, raw(" "), ...mark()],
    () => [...mark(), raw(" "), long],
    () => [box("nobr", ground(tools), [long, ...mark()])],
    () => [
      box("div", `display:inline-block;width:${random.one(widths)};${ground(tools)}`, mark()),
      box("div", `display:inline-block;width:${random.one(widths)}`, mark()),
    ],
  ])();
}

function floating(tools: SceneTools): Box {
  const { random } = tools;
  const cells = Array.from({ length: 1 + random.below(2) }, () =>
    box(
      "td",
      random.one([
        "",
        "",
        "width:50px",
        `display:inline-block;width:${random.one(widths)}`,
        "overflow-wrap:anywhere",
      ]),
      words(tools),
    ),
  );
  const style = [
    random.below(6) === 0 ? "display:table" : "",
    `float:${random.one(["left", "left", "right"])}`,
    random.one(saids),
    random.one(mosts),
    random.one(others),
    random.below(12) === 0 ? "table-layout:fixed" : "",
    ground(tools),
  ].join(";");
  const tag = random.below(8) === 0 ? "div" : "table";
  return box(tag, style, [box("tr", "", cells)]);
}

function beside(tools: SceneTools): PageNode[] {
  const { random, mark } = tools;
  return random.one([
    () => [],
    () => mark(),
    () => [floating(tools)],
    () => [box("div", ground(tools), mark())],
    () => [box("div", `overflow:hidden;${ground(tools)}`, mark())],
    () => [box("nobr", ground(tools), mark())],
    () => [box("div", `height:20px;${ground(tools)}`, mark())],
    () => [box("div", `position:relative;background:${random.one(colours)}`, [raw("a")])],
    () => [box("span", `display:inline-block;height:40px;width:200px;background:${random.one(colours)}`)],
    () => [
      box("table", `width:${random.one(widths)};background:${random.one(colours)}`, [
        box("tr", "", [box("td", "", mark())]),
      ]),
    ],
  ])();
}

export function floatingTable(tools: SceneTools): PageNode[] {
  const { random, mark } = tools;
  const cell = box(random.one(["td", "td", "th", "div"]), `${random.one(cellWidths)};${ground(tools)}`, [
    ...beside(tools),
    floating(tools),
    ...beside(tools),
  ]);
  const next = (): Box => box("td", `${random.one(cellWidths)};${ground(tools)}`, mark());
  const row = [
    ...(random.below(3) === 0 ? [next()] : []),
    cell,
    ...Array.from({ length: random.below(3) }, next),
  ];
  const table = box("table", `${random.one(outers)};${ground(tools)}`, [box("tr", "", row)]);
  switch (random.below(5)) {
    case 0:
      return [box("div", `${random.one(["overflow:hidden", ""])};width:${random.one(widths)}`, [table])];
    case 1:
      return [
        box("table", random.one(outers), [
          box("tr", "", [
            box("td", random.one(cellWidths), [table]),
            ...(random.below(2) === 0 ? [next()] : []),
          ]),
        ]),
      ];
    default:
      return [table, ...beside(tools)];
  }
}
