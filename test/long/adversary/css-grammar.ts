/** Random values of CSS properties, made from the grammar in the index of CSS (`@webref/css`; CSS Values and Units 4 section 2, value
 *  definition syntax). Numbers are near the limits at which content becomes invisible. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { RandomSource } from "../../support/random.ts";

interface Entry {
  readonly name: string;
  readonly syntax?: string;
}

const index = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve("@webref/css/css.json"), "utf8"),
) as Record<"properties" | "types" | "functions", readonly Entry[]>;

const syntaxOfProperty = new Map(index.properties.map(({ name, syntax }) => [name, syntax ?? "<ident>"]));
const syntaxOfType = new Map(
  [...index.types, ...index.functions].flatMap(({ name, syntax }) =>
    syntax === undefined ? [] : [[name, syntax] as const],
  ),
);
export const properties: readonly string[] = [...syntaxOfProperty.keys()];

type Syntax =
  | { readonly kind: "all" | "any" | "one" | "row"; readonly parts: readonly Syntax[] }
  | {
      readonly kind: "times";
      readonly part: Syntax;
      readonly from: number;
      readonly to: number;
      readonly by: string;
    }
  | { readonly kind: "type" | "word"; readonly text: string };

const token =
  /<(?:[^<>[]|\[[^\]]*\])+>|\|\||&&|\{\d+(?:,\d*)?\}|'[^']+'|[[\]|*+?#!,/():;]|[^\s<>[\]|*+?#!,/(){}':;]+/g;

class SyntaxReader {
  readonly #tokens: readonly string[];
  #at = 0;
  constructor(text: string) {
    this.#tokens = text.match(token) ?? [];
  }

  /** Reads from the loosest to the tightest combinator: |, ||, &&, juxtaposition. */
  read(level = 0): Syntax {
    const operator = ["|", "||", "&&"][level];
    if (operator === undefined) return this.#row();
    const parts = [this.read(level + 1)];
    while (this.#tokens[this.#at] === operator) {
      this.#at++;
      parts.push(this.read(level + 1));
    }
    return parts.length === 1 ? parts[0]! : { kind: (["one", "any", "all"] as const)[level]!, parts };
  }

  #row(): Syntax {
    const parts: Syntax[] = [];
    for (let next = this.#tokens[this.#at]; next !== undefined; next = this.#tokens[this.#at]) {
      if (["|", "||", "&&", "]"].includes(next)) break;
      this.#at++;
      if (next === "[") {
        const inner = this.read();
        this.#at++;
        parts.push(this.#multiplied(inner));
      } else if (next.startsWith("<"))
        parts.push(this.#multiplied({ kind: "type", text: next.slice(1, -1) }));
      else parts.push(this.#multiplied({ kind: "word", text: next.replaceAll("'", "") }));
    }
    return { kind: "row", parts };
  }

  #multiplied(part: Syntax): Syntax {
    let result = part;
    for (;;) {
      const next = this.#tokens[this.#at];
      const range = /^\{(\d+)(?:,(\d*))?\}$/.exec(next ?? "");
      if (next === "?") result = { kind: "times", part: result, from: 0, to: 1, by: " " };
      else if (next === "*") result = { kind: "times", part: result, from: 0, to: 2, by: " " };
      else if (next === "+") result = { kind: "times", part: result, from: 1, to: 2, by: " " };
      else if (next === "#") result = { kind: "times", part: result, from: 1, to: 2, by: ", " };
      else if (range !== null && result.kind === "times" && result.by === ", ")
        result = { ...result, from: Number(range[1]), to: Number(range[2] ?? range[1]) || 3 };
      else if (range !== null)
        result = {
          kind: "times",
          part: result,
          from: Number(range[1]),
          to: Number(range[2] ?? range[1]) || 3,
          by: " ",
        };
      else if (next !== "!") return result;
      this.#at++;
    }
  }
}

const parsed = new Map<string, Syntax>();
function syntaxOf(text: string): Syntax {
  const known = parsed.get(text) ?? new SyntaxReader(text).read();
  parsed.set(text, known);
  return known;
}

const depthMax = 9;

export const lengths =
  "0 0px 1px -1px 2px 3px 4px 5px 6px 7px 8px 10px 12px 16px 20px 24px 30px 40px 50px 60px 64px 100px 200px 300px 600px 1000px 1024px 1300px 3000px 9999px -2px -5px -10px -20px -50px -100px -300px -1000px -9999px .5px .1em .5em .9em 1em 1.5em 3em 20em -1em -5em -20em 1ex 2ch 1rem .1rem 1pt 5pt 12pt 1cm 1in 1vw 50vw 100vw 1vh 100vh -100vh 1vmin 1lh 1cqw 5cqh 1dvh 1cap 1ic 1q".split(
    " ",
  );
export const percentages =
  "0% 1% 5% 10% 30% 50% 80% 99% 100% 120% 200% 1000% -1% -10% -50% -100% -200%".split(" ");
export const colours =
  "white #fff #ffffff #fefefe #eee #ddd #ccc #bbb #999 #777 #555 #333 #111 black #000 red #00f #ff0 navy silver gray whitesmoke transparent currentcolor #fff0 #0000 #0008 #0001 #ffff rgba(0,0,0,0) rgba(0,0,0,.1) rgba(0,0,0,.5) rgba(255,255,255,.9) rgb(255,255,255) rgb(250,250,250) hsl(0,0%,100%) hsl(0,0%,90%) hsla(0,0%,0%,.05) canvas canvastext windowtext linktext buttonface field".split(
    " ",
  );
const numbers = "0 1 -1 2 3 5 10 100 .001 .01 .05 .1 .3 .5 .9 1.5 1e9 -100".split(" ");
const picture = `url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9' fill='white'/></svg>")`;

const primitives: Readonly<Record<string, (random: RandomSource, depth: number) => string>> = {
  length: (random) => random.one(lengths),
  percentage: (random) => random.one(percentages),
  number: (random) => random.one(numbers),
  integer: (random) => random.one(["0", "1", "-1", "2", "3", "10", "999", "-999"]),
  zero: () => "0",
  angle: (random) =>
    random.one(["0", "1deg", "45deg", "90deg", "180deg", ".5turn", "-30deg", "1rad", "100grad"]),
  time: (random) => random.one(["0s", "1ms", "1s", "-1s", "1000s", "-1000s"]),
  frequency: () => "1khz",
  resolution: (random) => random.one(["1dppx", "96dpi", "2x"]),
  flex: (random) => random.one(["0fr", "1fr", ".001fr"]),
  decibel: () => "1dB",
  semitones: () => "1st",
  string: (random) => random.one(['""', '" "', '"x"', '"█████████████"']),
  color: (random, depth) =>
    random.below(3) > 0 || depth > depthMax
      ? random.one(colours)
      : generate(syntaxOf(syntaxOfType.get("color")!), random, depth + 3),
  "hex-color": (random) => random.one(["#fff", "#000", "#fff0", "#123456"]),
  url: (random) => random.one(["url(x.png)", "url(#f)", picture]),
  image: (random, depth) =>
    random.below(3) > 0
      ? random.one([
          "none",
          picture,
          "linear-gradient(#fff,#fff)",
          "linear-gradient(white,black)",
          "linear-gradient(#0000,#000)",
          "radial-gradient(#fff,#fff)",
        ])
      : generate(syntaxOf(syntaxOfType.get("image")!), random, depth + 2),
  ident: (random) => random.one(["none", "auto", "normal", "hidden", "a"]),
  "custom-ident": (random) => random.one(["a", "b", "k", "none"]),
  "dashed-ident": (random) => random.one(["--a", "--b"]),
  "custom-property-name": (random) => random.one(["--a", "--b"]),
  "declaration-value": (random) => random.one(["0", "none", "white", "1px", "hidden"]),
  "any-value": (random) => random.one(["0", "none", "white", "1px"]),
  "whole-value": (random) => random.one(["0", "none", "white", "initial"]),
  "size-keyword": (random) => random.one(["auto", "min-content", "max-content", "fit-content"]),
  "style-feature-name": () => "--a",
  id: () => "#k",
};

/** A random text for a part of a value definition. */
function generate(syntax: Syntax, random: RandomSource, depth: number): string {
  switch (syntax.kind) {
    case "one":
      return generate(random.one(syntax.parts), random, depth);
    case "row":
      return syntax.parts.map((part) => generate(part, random, depth)).join(" ");
    case "all":
      return shuffled(syntax.parts, random)
        .map((part) => generate(part, random, depth))
        .join(" ");
    case "any": {
      const chosen = shuffled(syntax.parts, random).slice(0, 1 + random.below(syntax.parts.length));
      return chosen.map((part) => generate(part, random, depth)).join(" ");
    }
    case "times": {
      const least = depth > depthMax ? syntax.from : syntax.from + random.below(syntax.to - syntax.from + 1);
      return Array.from({ length: Math.min(least, 20) }, () => generate(syntax.part, random, depth)).join(
        syntax.by,
      );
    }
    case "word":
      return syntax.text;
    case "type":
      return ofType(syntax.text, random, depth + 1);
  }
}

function ofType(text: string, random: RandomSource, depth: number): string {
  const name = text.replace(/\s*\[.*$/, "");
  const ofProperty = /^'([-\w]+)'$/.exec(name)?.[1];
  if (ofProperty !== undefined)
    return generate(syntaxOf(syntaxOfProperty.get(ofProperty) ?? "none"), random, depth);
  const primitive = primitives[name];
  if (primitive !== undefined) return primitive(random, depth);
  const syntax = syntaxOfType.get(name);
  if (syntax === undefined || depth > depthMax)
    return random.one(["0", "none", "auto", "1px", "white", "50%"]);
  return generate(syntaxOf(syntax), random, depth);
}

function shuffled<T>(parts: readonly T[], random: RandomSource): T[] {
  const left = [...parts];
  return Array.from({ length: left.length }, () => left.splice(random.below(left.length), 1)[0]!);
}

const valueLengthMax = 300;
const wide = ["initial", "unset", "inherit", "revert", "revert-layer"];

/** A random value for a property of the index. Browsers drop some of them, because they are not valid. */
export function randomValue(property: string, random: RandomSource): string {
  const choice = random.below(20);
  if (choice === 0) return random.one(wide);
  if (choice === 1) return odd(random);
  const value = generate(syntaxOf(syntaxOfProperty.get(property) ?? "<length>"), random, 0)
    .replace(/\s*([(),])\s*/g, "$1")
    .trim();
  return value.length > valueLengthMax ? value.slice(0, value.lastIndexOf(" ", valueLengthMax)) : value;
}

/** Functions that may stand for any value, and other unusual values. */
function odd(random: RandomSource): string {
  const value = random.one([random.one(lengths), random.one(colours), "none", "hidden", random.one(numbers)]);
  return random.one([
    `var(--a,${value})`,
    "var(--a)",
    `env(x,${value})`,
    "attr(data-k)",
    "attr(data-k type(<length>))",
    `attr(data-x px,${value})`,
    `if(media(screen): ${value}; else: 16px)`,
    `if(style(--a:1): 16px; else: ${value})`,
    `calc(${value} - ${value})`,
    `calc(1px * sign(-1))`,
    `min(${value},100px)`,
    `max(${value},0px)`,
    `clamp(0px,${value},1px)`,
    `light-dark(${value},black)`,
    `calc(1px * sibling-index())`,
    `color-mix(in srgb,white,${value})`,
    `random(0px,1px)`,
    `first-valid(x,${value})`,
    `--f(${value})`,
    `${value} !ie`,
    `${value}\\9`,
  ]);
}
