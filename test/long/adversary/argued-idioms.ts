/** Idioms that somebody found who argued against the rules: values that browsers drop after others that hide, boxes that begin beside
 *  the window, shares of a width that push, and what floats, margins, shadows and sizes lay over the words before. */
import { box, raw } from "./bulky.ts";
import { grounds, type Idiom, inks, lengths, of, paint, rule, some, widths, words } from "./idiom-tools.ts";

const shares = "5% 50% 95% 98%".split(" ");
const overs = "4px 20px 40px 55px".split(" ");

/** A value, and after it one that browsers drop, or not. */
const replaced: readonly (readonly [one: string, other: string])[] = [
  ["-webkit-text-stroke:10px #fff", "-webkit-text-stroke:0 0 red"],
  ["box-shadow:0 -10px 0 30px #fff", "box-shadow:0 red 0"],
  ["background:#fff", "background:#000 0 0/-5px"],
  ["text-decoration:line-through 20px #fff", "text-decoration:underline underline"],
  ["text-wrap-mode:nowrap", "text-wrap-mode:balance"],
  ["container-type:size", "container-type:none"],
  ["border-spacing:400px", "border-spacing:-1px"],
  ["filter:opacity(0)", "filter:alpha(opacity=90)"],
];

export const dropped: Idiom = (tools) => {
  const { random } = tools;
  const [one, other] = random.one(replaced);
  const style = `${of(tools, [other], [`${one};${other}`])};${some(random, "overflow:hidden", `width:${random.one(widths)}`)};${paint(tools)}`;
  return { nodes: [box(random.one(["p", "div", "table"]), style, words(tools)), ...words(tools)], rules: [] };
};

/** Paint of a line that reaches over what stands between it and the words before. */
export const reaching: Idiom = (tools) => {
  const { random } = tools;
  const between = random.one([
    () => [box("div", "margin:40px 0"), box("div", "margin:40px 0")],
    () => [box("div", `height:100px;max-height:${random.one(["0", "1%", "100px"])}`)],
    () => [box("div", "min-height:60px")],
    () => [box("div", "min-height:60px;display:contents")],
  ])();
  const before = random.one([
    () => words(tools),
    () => [box("div", "float:left", [raw("<br>".repeat(random.below(4))), ...tools.mark()])],
  ])();
  const line = box("div", "", [
    box("span", `padding-top:${random.one(overs)};background:${random.one(grounds)}`, [raw("word words")]),
  ]);
  return { nodes: [...before, ...between, line], rules: [] };
};

/** Widths that are shares, in boxes that cut off or stand beside others. */
export const pushing: Idiom = (tools) => {
  const { random } = tools;
  const style = some(
    random,
    `${random.one(["margin-left", "padding-left", "text-indent"])}:${random.one(shares)}`,
    `width:${random.one(["100%", "calc(100% + 150px)", "600px", "50%"])}`,
    `${random.one(["min-width", "max-width"])}:100%`,
    "box-sizing:border-box",
    "text-align:right",
    "white-space:nowrap",
    "overflow:hidden",
  );
  const around = `${of(tools, ["float:left"], ["overflow:hidden"])};width:${random.one(["100px", "200px", "300px", "auto"])}`;
  return {
    nodes: [
      box("div", around, [box("div", style, tools.mark())]),
      box("div", `float:left;width:300px;background:${random.one(grounds)}`, [raw("&nbsp;")]),
      box("div", "clear:both", words(tools)),
    ],
    rules: [],
  };
};

/** What begins left of the window, and what is moved a little. */
export const beside: Idiom = (tools) => {
  const { random } = tools;
  const sign = raw(random.one(["███", "word", "&nbsp;"]));
  const inner = box(
    "div",
    some(random, `margin-left:${random.one(["1000px", "10px"])}`, "width:1080px", "text-align:right"),
    [sign],
  );
  const away = `position:absolute;left:-1000px;top:0;color:${random.one(inks)};font-size:40px;${some(random, "right:0")}`;
  const moved = (depth: number): ReturnType<typeof box> =>
    box("div", `position:relative;top:${random.one(["-2px", "-.5px", "2px"])};${paint(tools)}`, [
      depth === 0 ? raw("word") : moved(depth - 1),
    ]);
  return {
    nodes: [...words(tools), random.below(2) === 0 ? box("div", away, [inner]) : moved(random.below(5))],
    rules: [],
  };
};

/** Shadows of many boxes around words, and pale layers over them. */
export const layered: Idiom = (tools) => {
  const { random } = tools;
  const shadow = `box-shadow:0 ${random.one(["0", "-4px", "-8px"])} 0 ${random.one(["0", "4px", "8px"])} rgba(255,255,255,${random.one([".1", ".5", ".6"])})`;
  const small = `font-size:${random.one(["7px", "8px", "14px"])};line-height:1;${paint(tools)}`;
  const many = 1 + random.below(12);
  const boxes = random.one([
    () =>
      Array.from({ length: many }, () =>
        box("span", `display:inline-block;width:${random.one(["1px", "20px"])};${shadow}`),
      ),
    () => Array.from({ length: many }, () => box("div", shadow)),
    () => [box("div", `${shadow};padding:${random.one(lengths)}`, [raw("word")])],
  ])();
  return {
    nodes: [box("div", small, words(tools)), box("div", "line-height:0;font-size:0", boxes), ...words(tools)],
    rules: [rule(".nothing", "color:red")],
  };
};
