/** What each rule of the closed list (`src/formats/html/README.md`) is worth: the words of some folders of pages that are left out if the
 *  rule says nothing, beyond those that are left out anyway, and the lines that it takes. A rule is made blunt in the source while that is
 *  loaded. `node test/long/rule-worth.ts [--every=N] FOLDER…`: of every Nth page. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import path from "node:path";
import { parseArgs } from "node:util";

interface Rule {
  readonly rule: string;
  /** The text in the file, and what stands in its place where the rule is blunt. */
  readonly blunt: readonly [file: string, from: string, to: string];
  /** The lines that would go with the rule: from the one with the first text to the one with the second. */
  readonly code: readonly (readonly [file: string, first: string, last: string])[];
}

const rules: readonly Rule[] = [
  {
    rule: "H2 boxes in lines",
    blunt: [
      "flaws.ts",
      'if (display === "contents" ||',
      'if (display.startsWith("inline-") || display === "contents" ||',
    ],
    code: [["page.ts", 'if (display.startsWith("inline-")) {', "lines.box(wide"]],
  },
  {
    rule: "H3 flex containers",
    blunt: [
      "flaws.ts",
      "  const partsOf = ",
      '  if (box.display.endsWith("flex")) flaw("moves", "may-be-covered");\n  const partsOf = ',
    ],
    code: [
      ["items.ts", "const flow =", "return { isRow, isFitting: !isStretched"],
      ["items.ts", "export function basisOfItem", "return { size: { px, share }, keeps }"],
      ["fits.ts", "function overflowsBy", "return sum > 0"],
    ],
  },
  {
    rule: "H31 grids",
    blunt: [
      "flaws.ts",
      "  const partsOf = ",
      '  if (box.display.endsWith("grid")) flaw("moves", "may-be-covered");\n  const partsOf = ',
    ],
    code: [
      ["items.ts", 'if (display.endsWith("grid")) {', "track: fixed.length"],
      ["../css/tracks.ts", "/** The columns", "return px === undefined || px < 0"],
    ],
  },
  {
    rule: "H4 floats",
    blunt: [
      "flaws.ts",
      '  if (position === "") return;',
      '  if (box.isFloat) flaw("moves", "may-be-covered");\n  if (position === "") return;',
    ],
    code: [["judge.ts", "/** With all colours of the contexts", "return { colours, borders, stacked"]],
  },
  {
    rule: "H6 small side margins",
    blunt: ["flaws.ts", "if (isSide && px >= -edge &&", "if (isSide && px >= 0 &&"],
    code: [
      ["flaws.ts", "// H6", "if (isSide && px >= -edge"],
      ["flaws.ts", "/** Pixels by which the boxes around", "return sum;"],
    ],
  },
  {
    rule: "H7 pulled into a padding",
    blunt: ["flaws.ts", "-px > parent.box.padding[side] + 0.01", "-px > 0"],
    code: [["flaws.ts", "// H7", 'flaw("parentPaint"']],
  },
  {
    rule: "margins below zero, local",
    blunt: ["flaws.ts", "const pullMost = 60;", "const pullMost = 0;"],
    code: [
      ["flaws.ts", "// A picture in a line is painted", 'else if (side === "bottom")'],
      ["reach.ts", "/** Takes what may stand less than", "return Math.max(one, other) * marginSure"],
    ],
  },
  {
    rule: "H8 the one measure",
    blunt: [
      "fits.ts",
      "if (room.isGrowing || part.content <= room.room + 0.5) return;",
      "if (room.isGrowing) return;",
    ],
    code: [
      ["demand.ts", "/** Demand:", "const columnsMost"],
      ["room.ts", "function roomOf", "return roomOf;"],
      ["fits.ts", "function judgeWidth", "/** H12"],
      ["contents.ts", "/** What a box needs", "return number === 0"],
    ],
  },
  {
    rule: "widths of letters (blunt: 1.3 em)",
    blunt: [
      "fonts.ts",
      "  if (unit >= 32 && unit < 127) {",
      "  return 1.3;\n  if (unit >= 32 && unit < 127) {",
    ],
    code: [["fonts.ts", "/** An upper bound on the width", ".map(([last, width])"]],
  },
  {
    rule: "H8 below a greatest width",
    blunt: ["room.ts", "(box.maxWidth?.share === 0 && part.content <= most - outer)", "false"],
    code: [["room.ts", "// Below a greatest width", "const isBelowMost"]],
  },
  {
    rule: "H8 whole shares in growing boxes",
    blunt: ["room.ts", "    const isWhole =\n", "    const isWhole = false &&\n"],
    code: [["room.ts", "// A whole share in a box", "inside + outsideOf(box) === 0"]],
  },
  {
    rule: "H8 calculated widths",
    blunt: ["../css/length.ts", "if (!maths.has(name)) return undefined;", "return undefined;"],
    code: [
      [
        "../css/length.ts",
        "/** undefined for a function that is not understood",
        "keptOf({ size, isBare: false })",
      ],
    ],
  },
  {
    rule: "shares as paddings fit a long line",
    blunt: [
      "room.ts",
      "    const isCell = box.display === ",
      "    return 0;\n    const isCell = box.display === ",
    ],
    code: [["room.ts", "/** The width that is left of the line", "return Math.max(0, around.line"]],
  },
  {
    rule: "H10 heights of boxes without letters",
    blunt: ["fits.ts", "if (!hasWords && held <= limit + edge) return;", ""],
    code: [["declared-heights.ts", "  /** The heights that the content is declared", "return high;"]],
  },
  {
    rule: "H11 heights in percent",
    blunt: ["fits.ts", "const isAuto = ", "const isAuto = false && "],
    code: [["fits.ts", "const isAuto = ", "if (limit === undefined || isGrown"]],
  },
  {
    rule: "H12 boxes that cut off",
    blunt: ["fits.ts", "    const isOpen =\n", "    const isOpen = true ||\n"],
    code: [["fits.ts", "/** H12", "if (isPartOfTable(part.box.display) && !isGrownCell)"]],
  },
  {
    rule: "H13 relative in its place",
    blunt: [
      "flaws.ts",
      '  const layer = values.get("z-index");',
      '  flaw("moves", "may-be-covered");\n  const layer = values.get("z-index");',
    ],
    code: [["flaws.ts", "// H13", 'flaw(far <= edge ? "nudges" : "moves"']],
  },
  {
    rule: "H14 opacity",
    blunt: ["flaws.ts", "const opacityLeast = 0.4;", "const opacityLeast = 1;"],
    code: [["contrast.ts", "if (opacity >= 1) return shown.every", "return over([top[0]"]],
  },
  {
    rule: "H16 borders",
    blunt: ["flaws.ts", "const borderMost = 60;", "const borderMost = 0;"],
    code: [["flaws.ts", "// H16", "if (box.border[side] > borderMost)"]],
  },
  {
    rule: "H17 round corners",
    blunt: ["corners.ts", "const cornerMost = 30;", "const cornerMost = 0;"],
    code: [["corners.ts", "/** Round corners", "/** The height of its lowest line"]],
  },
  {
    rule: "H17 one text in a circle",
    blunt: [
      "corners.ts",
      "  if (growsWithOthers(part)) return false;",
      "  return false;\n  if (growsWithOthers(part)) return false;",
    ],
    code: [["corners.ts", "function isInside", "return isTable ||"]],
  },
  {
    rule: "H18 shadows of boxes",
    blunt: ["colours.ts", "if (shown.length > shadowsMost || box.isInline) return flaw;", "return flaw;"],
    code: [["colours.ts", "/** H18", "return all;"]],
  },
  {
    rule: "H19 shadows of letters",
    blunt: ["flaws.ts", "if (far > shadowFar) flaw", "if (far > 0) flaw"],
    code: [["flaws.ts", "// H19", 'flaw("over", "may-be-covered", far);']],
  },
  {
    rule: "H20 paint in lines",
    blunt: ["paint.ts", "= overLine(part);", "= [100, 100];"],
    code: [["paint.ts", "/** H20: an inline box", 'flaws.push({ reach: "after"']],
  },
  {
    rule: "H20 thin lines",
    blunt: ["page.ts", "if (behind.paints || !isThinLine(part, values))", "if (true)"],
    code: [["paint.ts", "/** H20: borders alone", "isSure && sideNames"]],
  },
  {
    rule: "H21 light letters",
    blunt: ["contrast.ts", "const isLight = ", "const isLight = false && "],
    code: [
      [
        "contrast.ts",
        "/** A stroke of a light face",
        "isSeen(style, letter, behind, stroke, thinContrastMin)",
      ],
    ],
  },
  {
    rule: "H22 letters raised in their line",
    blunt: ["flaws.ts", "else if (Math.abs(px) > style.fontSize / 2)", "else if (Math.abs(px) > 0)"],
    code: [["flaws.ts", "// H22", "else if (Math.abs(px) > style.fontSize / 2)"]],
  },
  {
    rule: "H23 indents",
    blunt: ["flaws.ts", "  const hasEdge = ", '  flaw("moves", "may-be-off-screen");\n  const hasEdge = '],
    code: [["flaws.ts", "// H23", "else if (-textIndent > box.padding.left)"]],
  },
  {
    rule: "H24 fixed tables",
    blunt: [
      "fixed-table.ts",
      '  if (row?.name !== "tr" ||',
      '  if (row !== undefined || row?.name !== "tr" ||',
    ],
    code: [["fixed-table.ts", "/** Widths of the columns", "const freeColumn"]],
  },
  {
    rule: "H25 before and after",
    blunt: ["pseudo.ts", "if (!isAll(placed) ||", "if (true ||"],
    code: [["pseudo.ts", "/** The signs that are drawn", 'return (textIn(value) ?? "?")']],
  },
  {
    rule: "H26 first letters and lines",
    blunt: ["pseudo.ts", "if (!isAll(firstOnes) ||", "if (true ||"],
    code: [["pseudo.ts", 'name === "first-letter" || name === "first-line"', 'worst = "inside"']],
  },
  {
    rule: "H27 words that break",
    blunt: ["demand.ts", "if (style.breaksWords) {", "if (style.breaksWords && style.fontSize < 0) {"],
    code: [
      ["demand.ts", "if (style.breaksWords) {", "return;"],
      ["letters.ts", "/** Whether every word surely breaks", ".test(values.word(name))"],
    ],
  },
  {
    rule: "H28 names that no engine has",
    blunt: ["../css/properties.ts", '{ kind: "inert", name }', '{ kind: "unknown", name }'],
    code: [["../css/understood.ts", "/** The first words of all names", "enginePrefix.test(name) ||"]],
  },
  {
    rule: "H29 properties that decide nothing",
    blunt: [
      "../css/neutral.ts",
      "  const proven = table.get(name);",
      "  const proven = table.get(name.toUpperCase());",
    ],
    code: [["../css/neutral.ts", "/** Properties that are not judged", "return proven === whatever"]],
  },
  {
    rule: "H30 heights of held pictures",
    blunt: [
      "replaced.ts",
      "heldHeight(element, widest, pictures)",
      "(heldHeight(element, widest, pictures) === 0 ? 0 : undefined)",
    ],
    code: [["held-pictures.ts", "/** Heights of the pictures", "height: bytes.readUInt16BE(at + 5)"]],
  },
  {
    rule: "H32 layers below",
    blunt: ["layer-below.ts", "  const [layer] = found;", "  found.length = 0;\n  const [layer] = found;"],
    code: [["layer-below.ts", "interface Layer", "const boundNames"]],
  },
  {
    rule: "H33 bars",
    blunt: ["bar.ts", "if (parts.size === 0 ||", "if (parts.size >= 0 ||"],
    code: [["bar.ts", "const heightMost", "function isNoMargin"]],
  },
  {
    rule: "H34 shares of columns",
    blunt: ["room.ts", "isAlone ? 0 : Math.max(0, columnShare", "true ? 0 : Math.max(0, columnShare"],
    code: [["column-shares.ts", "/** Tables with more rows", "cell.children.some(isFixed)"]],
  },
  {
    rule: "boxes out of flow, local",
    blunt: ["placed.ts", "const depthMost = 3;", "const depthMost = 0;"],
    code: [["placed.ts", "/** Dooms all", "const holders"]],
  },
  {
    rule: "opaque grounds end what is loose",
    blunt: ["judge.ts", "    const isCovering =\n", "    const isCovering = false &&\n"],
    code: [["judge.ts", "// The background of a box that grows", "return isCovering && next"]],
  },
  {
    rule: "windows between two widths",
    blunt: ["windows.ts", "const judgementsMost = 6;", "const judgementsMost = 0;"],
    code: [["windows.ts", "/** Judges a page", "differences: () =>"]],
  },
  {
    rule: "harmless values that may apply",
    blunt: ["cascade.ts", "(harmlessMaybes.has(name) || isUnbound(name, value))", '(name === "?")'],
    code: [["cascade.ts", "          reach:\n", ": understoodOf(name)!.reach"]],
  },
  {
    rule: "colours of the other scheme",
    blunt: ["../css/scope.ts", "scheme: scope.scheme ?? scheme", "scheme: undefined"],
    code: [
      ["../css/stylesheet.ts", "/** Whether a declaration changes nothing but colours", "class SheetReader"],
      ["../css/scope.ts", "/** The scope of rules for these windows", "return { ...scope, doubt"],
    ],
  },
  {
    rule: "filters of colour, scaled to nothing",
    blunt: ["../css/properties.ts", "return isInside ||", "return false && isInside ||"],
    code: [
      [
        "../css/properties.ts",
        "/** Stands for a value that is not understood, and changes only",
        'functions.join() === "scale"',
      ],
    ],
  },
  {
    rule: "plain pictures in noscript",
    blunt: ["survey.ts", '(hasPlainStyle(tag) ? "" : tag)', "tag"],
    code: [["survey.ts", "/** A client without scripts", "declarations.every((one)"]],
  },
];

const room = path.resolve(import.meta.dirname, "../../src/formats/html");
const fileOf = (file: string): string => path.resolve(room, file);

/** Of a child: the words in doubt of the folders, with the rule of this number made blunt. */
async function count(number: number, every: number, folders: readonly string[]): Promise<void> {
  const blunt = rules[number]?.blunt;
  if (blunt !== undefined) {
    const [file, from, to] = blunt;
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        if (!url.startsWith(`file://${fileOf(file)}`)) return loaded;
        const source = String(loaded.source);
        if (!source.includes(from)) throw new Error(`${file} has no longer: ${from}`);
        return { ...loaded, source: source.replace(from, () => to) };
      },
    });
  }
  const { visibleWords } = await import("../support/visible-words.ts");
  let [seen, lost, page] = [0, 0, 0];
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!/\.html?$/i.test(name) || page++ % every !== 0) continue;
      try {
        const { given, doubtful } = visibleWords(readFileSync(path.join(folder, name), "utf8"));
        const left = doubtful.values().reduce((sum, one) => sum + one, 0);
        seen += given + left;
        lost += left;
      } catch (error) {
        // Too large to be looked at, under each rule.
        if (!(error instanceof Error) || error.constructor.name !== "OverBudget") throw error;
      }
    }
  console.log(JSON.stringify({ seen, lost }));
}

function linesOf({ code }: Rule): number {
  let sum = 0;
  for (const [file, first, last] of code) {
    const source = readFileSync(fileOf(file), "utf8");
    const begin = source.indexOf(first);
    const end = source.indexOf(last, begin);
    if (begin === -1 || end === -1) throw new Error(`${file} has no longer: ${begin === -1 ? first : last}`);
    sum += source.slice(begin, end).split("\n").length;
  }
  return sum;
}

interface Counted {
  readonly seen: number;
  readonly lost: number;
}

function counted(number: number, args: readonly string[]): Counted {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", import.meta.filename, `--rule=${number}`, ...args],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Counted;
}

const { values, positionals } = parseArgs({
  options: { rule: { type: "string" }, every: { type: "string", default: "1" } },
  allowPositionals: true,
});
if (values.rule !== undefined) await count(Number(values.rule), Number(values.every), positionals);
else {
  const args = [`--every=${values.every}`, ...positionals];
  const { seen, lost } = counted(-1, args);
  const share = (words: number): string => ((100 * words) / seen).toFixed(2);
  console.log(`${seen} words, ${lost} left out (${share(lost)} %)\n`);
  console.log("| rule | words saved | of a hundred | lines |\n| --- | --- | --- | --- |");
  for (const [number, rule] of rules.entries()) {
    const saved = counted(number, args).lost - lost;
    console.log(`| ${rule.rule} | ${saved} | ${share(saved)} | ${linesOf(rule)} |`);
  }
}
