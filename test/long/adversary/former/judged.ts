/** The text that the second judge takes for visible. */
import { createCascade } from "#/src/formats/html/cascade.ts";
import { surveyTree } from "#/src/formats/html/survey.ts";
import { type HtmlNode, parseHtml } from "#/src/formats/html/tree.ts";
import { createWorkMeter, OverBudget } from "#/src/formats/html/work-meter.ts";
import { judgePage } from "./judge.ts";

export function judgedByFormer(html: string): string {
  try {
    const meter = createWorkMeter();
    const tree = parseHtml(html, meter);
    const { root } = tree;
    const { styles, isUnclear } = surveyTree(root);
    const cascade = createCascade(tree, styles, meter);
    const judgement = judgePage(root, { cascade, meter, isUnclear });
    if (judgement.pageDoubt !== undefined) return "";
    const textIn = (node: HtmlNode): string => {
      if (node.kind === "text")
        return judgement.wasJudged(node) && judgement.verdictOf(node) === undefined ? node.text : "";
      if (node.kind !== "element" || judgement.doubtOf(node) !== undefined) return "";
      return node.children.map(textIn).join("");
    };
    return textIn(root);
  } catch (error) {
    if (error instanceof OverBudget || error instanceof RangeError) return "";
    throw error;
  }
}
