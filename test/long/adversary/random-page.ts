/** Pages that hide text: a random tree of the elements of mail, with declarations, rules and attributes around marked sentences. */
import type { RandomSource } from "../../support/random.ts";
import { drawIdioms } from "./idioms.ts";
import { type Box, marksMax, type Page, type PageNode, type Rule } from "./page.ts";
import { type Declaration, honestStyle, styleOf } from "./random-style.ts";
import { randomScene, sceneRules } from "./scenes.ts";
import {
  attributes,
  blocks,
  bodyAttributes,
  classNames,
  conditions,
  fillers,
  fontAttributes,
  heads,
  honestConditions,
  honestFillers,
  inlines,
  loose,
  pseudoClasses,
  rare,
} from "./vocabulary.ts";

class PageMaker {
  readonly #random: RandomSource;
  /** One in this many boxes has a style, times a factor for the kind of box. */
  readonly #rarity: number;
  readonly #isHonest: boolean;
  #marks = 0;
  constructor(random: RandomSource) {
    this.#random = random;
    this.#rarity = random.one([1, 2, 4]);
    this.#isHonest = random.below(5) < 3;
  }

  #style(): Declaration[] {
    return this.#isHonest ? honestStyle(this.#random) : styleOf(this.#random);
  }

  #mark(): PageNode[] {
    if (this.#marks >= marksMax)
      return [{ kind: "raw", html: this.#random.one(this.#isHonest ? honestFillers : fillers) }];
    return [{ kind: "mark", mark: this.#marks++, words: this.#random.one([1, 2, 2, 3, 3, 4, 6, 6, 8, 12]) }];
  }

  #box(tag: string, children: readonly PageNode[], likely = 3): Box {
    const random = this.#random;
    const chosen: Declaration[] = [];
    if (random.below(3) === 0) chosen.push(["class", random.one(classNames)]);
    if (random.below(8) === 0) chosen.push(["id", "k"]);
    const own = tag === "font" ? fontAttributes : tag === "body" ? bodyAttributes : attributes;
    if (random.below((tag === "font" ? 2 : 7) * this.#rarity) === 0) chosen.push(random.one(own)(random));
    if (tag === "a") chosen.push(["href", "http://example.com/"]);
    const style = random.below(likely * this.#rarity) === 0 ? this.#style() : [];
    return { kind: "box", tag, attributes: chosen, style, children };
  }

  #inline(depth: number): PageNode[] {
    const random = this.#random;
    const choice = random.below(10);
    if (choice < 4 || depth <= 0) return this.#mark();
    if (choice < 6) return [{ kind: "raw", html: random.one(this.#isHonest ? honestFillers : fillers) }];
    const children = Array.from({ length: random.below(3) }, () => this.#inline(depth - 1)).flat();
    return [this.#box(random.one(inlines), children, 2)];
  }

  #block(depth: number): PageNode {
    const random = this.#random;
    const tag = !this.#isHonest && random.below(12) === 0 ? random.one(rare) : random.one(blocks);
    if (tag === "table") return this.#table(depth - 1);
    const wrap = tag === "ul" || tag === "ol" ? "li" : tag === "details" ? "summary" : undefined;
    const children = this.#flow(depth - 1);
    return this.#box(
      tag,
      wrap === undefined ? children : [this.#box(wrap, children.slice(0, 1)), ...children.slice(1)],
    );
  }

  #table(depth: number): Box {
    const random = this.#random;
    const rows = Array.from({ length: 1 + random.below(2) }, () =>
      this.#box(
        "tr",
        Array.from({ length: 1 + random.below(3) }, () =>
          this.#box(random.one(["td", "td", "th"]), this.#flow(depth - 1)),
        ),
        6,
      ),
    );
    const inner =
      random.below(3) === 0 ? [this.#box(random.one(["tbody", "thead", "tfoot"]), rows, 3)] : rows;
    const before =
      random.below(8) === 0 ? [this.#box(random.one(["col", "colgroup", "caption"]), [], 1)] : [];
    return this.#box("table", [...before, ...inner]);
  }

  #flow(depth: number): PageNode[] {
    const random = this.#random;
    const length = 1 + random.below(depth > 1 ? 3 : 2);
    return Array.from({ length }, () =>
      depth > 0 && random.below(5) < 3 ? [this.#block(depth)] : this.#inline(2),
    ).flat();
  }

  #rule(): Rule | string {
    const random = this.#random;
    if (!this.#isHonest && random.below(12) === 0) return random.one(loose);
    const from = this.#isHonest ? honestConditions : conditions;
    const within = random.below(3) > 0 ? [] : [random.one(from)];
    if (random.below(12) === 0) within.push(random.one(from));
    return { within, selector: this.#selector(), style: this.#style() };
  }

  #selector(): string {
    const random = this.#random;
    const simple = (): string =>
      random.one([
        ".k",
        ".m",
        "#k",
        "div",
        "p",
        "td",
        "span",
        "*",
        "b",
        "[class]",
        "[class=k]",
        "[class^=k]",
        "table",
        "a",
      ]);
    const choice = random.below(this.#isHonest ? 8 : 12);
    if (choice < 5) return simple();
    if (choice < 7 || this.#isHonest)
      return `${simple()}${random.one([" ", ">", "+", "~", ", "])}${simple()}`;
    if (choice < 9)
      return `${simple()}${random.one(["::before", "::after", "::first-line", "::first-letter", ":before", "::marker", "::selection", "::details-content"])}`;
    return `${simple()}${random.one(pseudoClasses)}`;
  }

  #scene(): PageNode[] {
    const random = this.#random;
    const mark = (): PageNode[] =>
      this.#marks >= marksMax
        ? []
        : [{ kind: "mark", mark: this.#marks++, words: random.one([1, 1, 1, 2, 4]) }];
    const scene = randomScene({ random, mark });
    // Sometimes adds random content around the scene or after it.
    if (random.below(3) > 0) return scene;
    return random.below(2) === 0
      ? [this.#box(random.one(blocks.slice(0, 3)), scene, 1)]
      : [...scene, ...this.#inline(1)];
  }

  /** A page of idioms, half of them with a declaration or two more somewhere. */
  #idioms(): Page {
    const random = this.#random;
    const mark = (): PageNode[] =>
      this.#marks >= marksMax
        ? [{ kind: "raw", html: random.one(honestFillers) }]
        : [{ kind: "mark", mark: this.#marks++, words: random.one([1, 1, 2, 3]) }];
    const { nodes, rules } = drawIdioms({ random, mark });
    const body = this.#box("body", nodes, 6);
    const isChanged = random.below(2) === 0;
    return {
      doctype: random.below(8) > 0 ? "<!doctype html>" : "",
      head: [],
      rules: [...rules, ...(random.below(4) === 0 ? [this.#rule()] : [])],
      body: isChanged ? this.#changed(body, 1 + random.below(2)) : body,
    };
  }

  /** The box with so many declarations more, in boxes by chance. */
  #changed(box: Box, times: number): Box {
    const random = this.#random;
    const boxes = box.children.filter((child) => child.kind === "box");
    if (boxes.length === 0 || random.below(6) === 0)
      return { ...box, style: [...box.style, ...honestStyle(random)] };
    let changed = box;
    for (let time = 0; time < times; time++) {
      const at = box.children.indexOf(random.one(boxes));
      changed = {
        ...changed,
        children: changed.children.with(at, this.#changed(changed.children[at] as Box, 1)),
      };
    }
    return changed;
  }

  make(): Page {
    const random = this.#random;
    if (random.below(2) === 0) return this.#idioms();
    const isScene = random.below(2) === 0;
    const inner = isScene
      ? Array.from({ length: 1 + random.below(2) }, () => this.#scene()).flat()
      : this.#flow(3);
    const children = [
      ...(!isScene && random.below(3) > 0 ? this.#mark() : []),
      ...inner,
      ...(random.below(3) > (isScene ? 1 : 0) ? [this.#block(1)] : []),
    ];
    const head = !this.#isHonest && random.below(12) === 0 ? [random.one(heads)] : [];
    return {
      doctype: random.below(4) > 0 ? "<!doctype html>" : "",
      head,
      rules: [
        ...(isScene && random.below(4) === 0 ? [random.one(sceneRules)] : []),
        ...Array.from({ length: random.below(1 + Math.ceil((isScene ? 1 : 4) / this.#rarity)) }, () =>
          this.#rule(),
        ),
      ],
      body: this.#box("body", children, 6),
    };
  }
}

export function randomPage(random: RandomSource): Page {
  return new PageMaker(random).make();
}
