/** The words of an HTML text by what is judged of them. */
import { noPictures } from "#/src/formats/html/held-pictures.ts";
import { surveyTree } from "#/src/formats/html/survey.ts";
import { type HtmlNode, parseHtml } from "#/src/formats/html/tree.ts";
import { judgeWindows } from "#/src/formats/html/windows.ts";
import { createWorkMeter } from "#/src/formats/html/work-meter.ts";
import type { Doubt } from "#/src/model/removal.ts";

export interface VisibleWords {
  readonly given: number;
  readonly hidden: number;
  /** By cause. */
  readonly doubtful: ReadonlyMap<Doubt, number>;
}

export function visibleWords(html: string): VisibleWords {
  const meter = createWorkMeter();
  const tree = parseHtml(html, meter);
  const { styles, isUnclear, hasRemoteSheet } = surveyTree(tree.root);
  const { judgement } = judgeWindows(tree, styles, {
    meter,
    isUnclear,
    hasRemoteSheet,
    pictures: noPictures,
  });
  const doubtful = new Map<Doubt, number>();
  let [given, hidden] = [0, 0];
  const walk = (node: HtmlNode, around: Doubt | undefined): void => {
    if (node.kind === "element")
      for (const child of node.children) walk(child, around ?? judgement.doubtOf(node));
    else if (node.kind === "text" && judgement.wasJudged(node)) {
      const count = node.text.split(/\s+/).filter((word) => word !== "").length;
      const verdict = judgement.verdictOf(node);
      const why = around ?? (typeof verdict === "object" ? verdict.why : undefined);
      if (typeof verdict === "string") hidden += count;
      else if (why === undefined) given += count;
      else doubtful.set(why, (doubtful.get(why) ?? 0) + count);
    }
  };
  walk(tree.root, judgement.pageDoubt);
  return { given, hidden, doubtful };
}
