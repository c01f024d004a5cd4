/** What a login is told that may not. */
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

/** One answer for what was never there, is of another account, or has gone. */
export function noSuchObject(): WaypostError {
  return new WaypostError("not_found", "There is no such object.");
}
