/** Refusals for a login without a right. */
import { WaypostError } from "#/src/model/errors.ts";
import type { GrantRight } from "#/src/model/grants.ts";

export function forbidden(text: string, hint = "The operator can grant more."): WaypostError {
  return new WaypostError("forbidden_scope", text, { hint });
}

export function missingScope(needed: GrantRight): WaypostError {
  return forbidden(
    `This needs the scope ${needed}.`,
    "The credential itself is fine; the operator gives scopes.",
  );
}

/** The same answer for an object that never existed, is of another account, or was deleted. */
export function noSuchObject(): WaypostError {
  return new WaypostError("not_found", "There is no such object.");
}
