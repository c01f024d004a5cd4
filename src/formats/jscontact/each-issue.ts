/** How the issues of a schema are said. */
import type { z } from "zod";

const shownMax = 400;

/** Names of members come from the caller: only the beginning of long ones is repeated. */
export function beginningOf(text: string): string {
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text;
}

/** One for each name that is not known: zod has one for all names of an object. */
export function eachIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.flatMap((issue): z.core.$ZodIssue[] =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue],
  );
}
