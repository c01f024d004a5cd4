/** A thread that renders HTML documents to text, one at a time. */
import { renderHtml } from "#/src/formats/html/render-html.ts";
import { serveEach } from "#/src/threads/serve-each.ts";
import type { HtmlJob } from "./reading-threads.ts";

/** What is compiled before the first document comes does not count against its time. */
const warmUps = 40;
const sample = `<style>.a, td.b a{color:#333;font-size:12px}@media (max-width:9px){.a{display:none}}</style>${"<table bgcolor=#ffffff><tr><td class=a style='padding:1px 2px;background:#fff'><p>words <a href=https://x.example/>of a</a> page</p><ul><li><b>one</b></ul></table>".repeat(20)}`;
for (let round = 0; round < warmUps; round++) renderHtml(sample, "text");

serveEach(({ html, form }: HtmlJob) => renderHtml(html, form));
