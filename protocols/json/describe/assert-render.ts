import { WaypostError } from "#/src/model/errors.ts";

/** Refuses renderings that a kind of object does not have. */
export function assertRender(render: string | undefined, accepted: readonly string[]): void {
  if (render === undefined || accepted.includes(render)) return;
  throw new WaypostError("invalid", "There is no such rendering of this.", {
    field: "/render",
    hint: `Accepted: ${accepted.join(", ")}.`,
  });
}
