import { WaypostError } from "#/src/model/errors.ts";

/** A kind that has one form only. */
export function assertRender(render: string | undefined, accepted: readonly string[]): void {
  if (render === undefined || accepted.includes(render)) return;
  throw new WaypostError("invalid", "There is no such rendering of this.", {
    field: "/render",
    hint: `Accepted: ${accepted.join(", ")}.`,
  });
}
