/** Round corners (H17). Lengths are in CSS pixels. */
import { doom, type Part } from "./part.ts";

const cornerMost = 30;

/** A corner takes at most the ends of a line. In a box of few words its radius is at most half of its height, and the letters stand
 *  inside of the circle. */
export function judgeCorner(part: Part): void {
  const { corner } = part.box;
  const { top, right, bottom, left } = part.box.padding;
  if (corner <= cornerMost || Math.min(top, right, bottom, left) >= 0.3 * corner) return;
  let [aside, above, line] = [0, 0, 0];
  let inner = part;
  for (; inner.text === undefined && inner.children.length === 1; inner = inner.children[0]!) {
    const { padding, border } = inner.box;
    if (inner.box.height !== undefined || inner.box.minHeight > 0) break;
    line = Math.max(line, inner.style.lineHeight);
    aside += Math.min(padding.left + border.left, padding.right + border.right);
    above += inner.box.isInline ? 0 : Math.min(padding.top + border.top, padding.bottom + border.bottom);
  }
  const words = inner.text?.text.trim().split(/\s+/).length ?? Number.POSITIVE_INFINITY;
  const radius = Math.min(corner, (words * Math.max(line, inner.style.lineHeight)) / 2 + above);
  const isInside =
    Number.isFinite(corner) && Math.hypot(Math.max(0, radius - aside), Math.max(0, radius - above)) <= radius;
  if (part.hasText && !isInside) doom(part, "colours-may-match");
}
