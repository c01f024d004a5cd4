/** The thread for recurrence rules that take long, and for the busy time of large objects. */
import { expandRule } from "#/src/formats/icalendar/expand-rule.ts";
import { serveEach } from "#/src/threads/serve-each.ts";
import { busyOfItem, zoneOfCalendar } from "../busy-item.ts";
import type { ThreadAnswer, ThreadJob } from "./rule-expansion.ts";

serveEach((job: ThreadJob): ThreadAnswer => {
  if ("started" in job) return { starts: expandRule(job.started, job.fromMs, job.toMs) };
  const begun = performance.now();
  const found = busyOfItem(job, zoneOfCalendar(job.timeZone), expandRule);
  return { found, spentMs: performance.now() - begun };
});
