/** Reads text of strangers, in a thread. */
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { differs } from "#/src/formats/text/divergence.ts";
import { readText } from "#/src/formats/text/read-text.ts";
import { extractReply } from "#/src/formats/text/reply.ts";
import type { TextAnswer, TextJob } from "./reading-threads.ts";

/** What is compiled before the first text comes does not count against its time. */
const warmUps = 40;
const sample = `<style>.a, td.b a{color:#333;font-size:12px}@media (max-width:9px){.a{display:none}}</style>${"<table bgcolor=#ffffff><tr><td class=a style='padding:1px 2px;background:#fff'><p>words <a href=https://x.example/>of a</a> page</p><ul><li><b>one</b></ul></table>".repeat(20)}`;
for (let round = 0; round < warmUps; round++) renderHtml(sample, "text");

export function doTextJob(job: TextJob): TextAnswer {
  if ("part" in job) return { read: readText(job.part, renderHtml) };
  if ("html" in job) return { page: renderHtml(job.html, job.form) };
  if ("other" in job) return { isDiffering: differs(job.other, job.shown) };
  return { reply: extractReply(job.reply) };
}
