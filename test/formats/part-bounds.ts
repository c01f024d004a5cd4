import { expect } from "vitest";
import type { MimePart } from "#/src/formats/mime/structure.ts";

/** Every part lies inside the body of its parent, after the part before it. */
export function checkBounds(top: MimePart, size: number): void {
  expect([top.headerStart, top.bodyEnd]).toEqual([0, size]);
  const waiting = [top];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    if (part.headerStart > part.bodyStart || part.bodyStart > part.bodyEnd || part.lines < 0)
      expect.fail(`part ${part.section} has its offsets in a wrong order`);
    let from = part.bodyStart;
    for (const child of part.message === undefined ? part.parts : [part.message]) {
      if (child.headerStart < from || child.bodyEnd > part.bodyEnd)
        expect.fail(`part ${child.section} is outside of part ${part.section}`);
      from = child.bodyEnd;
      waiting.push(child);
    }
  }
}
