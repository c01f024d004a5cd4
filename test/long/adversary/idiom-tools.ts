/** What the idioms are drawn with: values near the limits at which text is hidden, and sentences among them. */
import { box, raw, type SceneTools } from "./bulky.ts";
import type { PageNode, Rule } from "./page.ts";

export interface Drawn {
  readonly nodes: readonly PageNode[];
  readonly rules: readonly Rule[];
}

export interface IdiomTools extends SceneTools {
  /** Variants are drawn too that a careful reader leaves out with the whole page. */
  readonly isBold: boolean;
}

export type Idiom = (tools: IdiomTools) => Drawn;

export const inks = "#000 #111 #333 #555 #777 #fff #fff #ffffff white #eee #2d3748 navy".split(" ");
export const grounds =
  "#fff #ffffff white #f4f4f4 #eee #edf2f7 #000 #222 navy #2d3748 #e53e3e transparent".split(" ");
export const lengths = "0 1px 2px 4px 5px 6px 8px 10px 12px 16px 20px 24px 30px 40px".split(" ");
export const widths = "0 40px 100px 180px 200px 280px 300px 600px 25% 33.33% 50% 100% auto".split(" ");
/** Some of `bold` in bold pages alone. */
export function of<Value>(
  { random, isBold }: IdiomTools,
  usual: readonly Value[],
  bold: readonly Value[],
): Value {
  return random.one(isBold ? [...usual, ...bold] : usual);
}

const fills = ["word ", "some words here ", "Aaaaaaaaaaaaaaaaaaaaaaaa ", "&nbsp;", "<br>"];

export function rule(selector: string, style: string, within: readonly string[] = []): Rule {
  return { within, selector, style: box("b", style).style };
}

export function paint({ random }: IdiomTools): string {
  return random.below(3) === 0 ? "" : `background:${random.one(grounds)};color:${random.one(inks)};`;
}

/** A sentence, sometimes with other words or in a box of its own. */
export function words(tools: IdiomTools): PageNode[] {
  const { random, mark } = tools;
  return random.one([
    () => mark(),
    () => [raw(random.one(fills)), ...mark()],
    () => [box(random.one(["p", "h2", "span", "b", "div"]), paint(tools), mark())],
    () => [...mark(), raw(random.one(fills).repeat(1 + random.below(12)))],
  ])();
}

export function some(random: IdiomTools["random"], ...choices: readonly string[]): string {
  return choices.filter(() => random.below(2) === 0).join(";");
}
