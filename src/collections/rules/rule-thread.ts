/** A thread for recurrence rules that take long. */
import { expandRule } from "#/src/formats/icalendar/expand-rule.ts";
import { serveEach } from "#/src/threads/serve-each.ts";
import type { RuleAnswer, RuleJob } from "./rule-expansion.ts";

serveEach(
  ({ started, fromMs, toMs }: RuleJob): RuleAnswer => ({ starts: expandRule(started, fromMs, toMs) }),
);
