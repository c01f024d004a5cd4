/** `details` that share a name: of those only one stays open (HTML, "The details element"). */
import { attributeOf, type HtmlElement } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

/** The number of `details` with each name. */
export function detailsByName(root: HtmlElement, meter: WorkMeter): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const open: HtmlElement[] = [root];
  for (let element = open.pop(); element !== undefined; element = open.pop()) {
    meter.spend(1);
    if (element.name === "details") {
      const name = attributeOf(element, "name") ?? "";
      names.set(name, (names.get(name) ?? 0) + 1);
    }
    for (const child of element.children) if (child.kind === "element") open.push(child);
  }
  return names;
}
