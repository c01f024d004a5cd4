/** Judges a page for all windows of a desk. Between two widths that conditions name, each of those is true or false of all windows; so
 *  the page is judged for the windows between each two, and given is what each of these judgements gives. */
import { inWindows, windowLeast, windowMost } from "#/src/formats/css/media.ts";
import type { StyleSource } from "#/src/formats/css/stylesheet.ts";
import { type Cascade, createCascade } from "./cascade.ts";
import { type Judgement, type JudgeOptions, judgePage, type Verdict } from "./judge.ts";
import type { HtmlElement, HtmlText, HtmlTree } from "./tree.ts";

/** The number of judgements that a page is worth, and the share of the work that they may take together. */
const judgementsMost = 6;
const workMost = 0.5;

export interface Judged {
  readonly judgement: Judgement;
  readonly isCut: boolean;
}

export function judgeWindows(
  tree: HtmlTree,
  styles: readonly StyleSource[],
  options: Omit<JudgeOptions, "cascade">,
): Judged {
  const { meter } = options;
  const cascadeIn = (least: number, most: number): ReturnType<typeof inWindows<Cascade>> =>
    inWindows([least, most], () => createCascade(tree, styles, meter));
  const { left } = meter;
  const { found: whole, cuts } = cascadeIn(windowLeast, windowMost);
  const one = (cascade: Cascade): Judgement => judgePage(tree.root, { ...options, cascade });
  const edges = [windowLeast, ...cuts, windowMost + beyond];
  const inAll: Judgement[] = [];
  let isCut = false;
  if (cuts.length > 0 && cuts.length < judgementsMost)
    for (const [at, least] of edges.slice(0, -1).entries()) {
      const { found } = cascadeIn(least, Math.max(least, edges[at + 1]! - beyond));
      inAll.push(one(found));
      isCut ||= found.isCut;
      const each = (left - meter.left) / (at + 1);
      if (each * (edges.length + 1) > workMost * left) break;
    }
  if (inAll.length === edges.length - 1) return { judgement: together(inAll), isCut };
  const judgement = one(whole);
  return { judgement, isCut: whole.isCut };
}

/** Windows that are so much narrower than a cut answer like the one just before it. */
const beyond = 2e-6;

function together(all: readonly Judgement[]): Judgement {
  const isShown = (judgement: Judgement, element: HtmlElement): boolean => {
    const style = judgement.styleOf(element)?.style;
    return style !== undefined && style.display !== "none" && style.hidden === undefined && style.isVisible;
  };
  const isJudgedIn = (text: HtmlText) => (judgement: Judgement) => judgement.wasJudged(text);
  const verdictIn = (judgement: Judgement, text: HtmlText): Verdict =>
    judgement.wasJudged(text) ? judgement.verdictOf(text) : "hidden-element";
  return {
    styleOf: (element) => (all.find((judgement) => isShown(judgement, element)) ?? all[0]!).styleOf(element),
    doubtOf(element) {
      const doubt = all.map((judgement) => judgement.doubtOf(element)).find((why) => why !== undefined);
      const shown = all.filter((judgement) => isShown(judgement, element)).length;
      return doubt ?? (shown === 0 || shown === all.length ? undefined : "depends-on-window");
    },
    verdictOf(text) {
      const verdicts = all.map((judgement) => verdictIn(judgement, text));
      const doubt = verdicts.find((verdict) => typeof verdict === "object");
      const isSame = verdicts.every((verdict) => (verdict === undefined) === (verdicts[0] === undefined));
      return doubt ?? (isSame ? verdicts[0] : { why: "depends-on-window" });
    },
    wasJudged: (text) => all.some(isJudgedIn(text)),
    notesOf(element) {
      const [first, ...others] = all.map((judgement) => judgement.notesOf(element));
      return first!.filter(({ kind, words }) =>
        others.every((notes) => notes.some((note) => note.kind === kind && note.words === words)),
      );
    },
    pageDoubt: all.map(({ pageDoubt }) => pageDoubt).find((why) => why !== undefined),
    differences: () => all.at(-1)!.differences(),
  };
}
