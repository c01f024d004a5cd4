/** What stands around a rule of a style sheet, and so whether the rule applies. */
import type { Doubt } from "#/src/model/removal.ts";
import { type Answer, answerMedia, answerOnPhone, dependsOnWindow } from "./media.ts";
import type { CssToken } from "./tokens.ts";

export type RuleDoubt = Extract<Doubt, "rule-may-apply" | "depends-on-window">;

export type Scheme = "dark" | "light";

export interface Scope {
  readonly doubt: RuleDoubt | undefined;
  readonly isRanked: boolean;
  /** Inside of a style rule. */
  readonly isNested: boolean;
  readonly depth: number;
  /** Inside of rules for one scheme: in a dark window the page is the same as in a light one but for its colours. */
  readonly scheme: Scheme | undefined;
  /** Whether the rules are those of a phone; `isOfPhone`: of no window of a desk. */
  readonly onPhone: Answer;
  readonly isOfPhone: boolean;
}

export const mayApply = "rule-may-apply";

/** The scope of rules for these windows; undefined if there are none of them, and no phone surely is one. */
export function inMedia(scope: Scope, prelude: readonly CssToken[]): Scope | undefined {
  const [light, dark] = [answerMedia(prelude), answerMedia(prelude, "dark")];
  const narrow = answerOnPhone(prelude);
  const onPhone = scope.onPhone === true ? narrow : narrow === false ? false : scope.onPhone;
  if (scope.isOfPhone || (light === false && dark === false))
    return onPhone === true ? { ...scope, onPhone, isOfPhone: true } : undefined;
  const scheme = light === false ? "dark" : light === true && dark !== true ? "light" : undefined;
  const doubt =
    light === true ? scope.doubt : dependsOnWindow(prelude) ? (scope.doubt ?? "depends-on-window") : mayApply;
  return { ...scope, doubt, scheme: scope.scheme ?? scheme, onPhone };
}
