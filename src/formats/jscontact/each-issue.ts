/** The issues of a schema, one for each name that is not known: zod has one for all names of an object. */
import type { z } from "zod";

export function eachIssue(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  return issues.flatMap((issue): z.core.$ZodIssue[] =>
    issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue],
  );
}
