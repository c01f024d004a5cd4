/** The cost of reading a message: HTML to text for several sizes and for the largest documents, and the memory that a thread needs
 *  for it. Run: npm run bench:render */
import { Worker } from "node:worker_threads";
import { type HtmlForm, renderHtml } from "#/src/formats/html/render-html.ts";
import { cleanText } from "#/src/formats/text/clean-text.ts";
import { extractReply } from "#/src/formats/text/reply.ts";
import { diceOf } from "../long/imap-productions.ts";
import { newsletterHtml, sentences } from "./newsletter.ts";

const sentence = sentences(diceOf(1));
const rules = 120;
const newsletter = (bytes: number): string => newsletterHtml(bytes, 0, rules);

function milliseconds(run: () => void): number {
  const begun = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / 1000;
}

function measure(title: string, rounds: number, run: () => void): void {
  const first = milliseconds(run);
  for (let round = 0; round < rounds / 2; round++) run();
  const all = milliseconds(() => {
    for (let round = 0; round < rounds; round++) run();
  });
  console.log(
    `${title.padEnd(42)} ${(all / rounds).toFixed(2).padStart(8)} ms of a processor, the first one ${first.toFixed(0)} ms`,
  );
}

const text = sentence(800).slice(0, 4096);
measure("4 KiB text, cleaned, its reply", 500, () => extractReply(cleanText(text, () => {})));
measure("4 KiB HTML to text", 200, () => renderHtml(`<p>${text}</p>`, "text"));
for (const form of ["text", "markdown", "html"] as const satisfies readonly HtmlForm[]) {
  const page = newsletter(50 * 1024);
  measure(`50 KiB newsletter to ${form}`, 40, () => renderHtml(page, form));
}
const page = newsletter(57 * 1024);
measure("57 KiB newsletter to text", 40, () => renderHtml(page, "text"));
const many = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("");
for (const [title, html] of [
  ["512 KiB newsletter", newsletter(500 * 1024)],
  ["512 KiB of ampersands", "&".repeat(520_000)],
  ["40,000 links", "<a href=http://a.example/x>a</a> ".repeat(20_000)],
  [
    "8,000 styles",
    many(
      8000,
      (at) => `<p style="color:#${100_000 + at};margin:${at}px;background:linear-gradient(red,blue)">x`,
    ),
  ],
  [
    "selectors that look at everything",
    `<style>${many(1000, (at) => `p:nth-child(${at}n+1) ~ p ~ p{color:red}`)}</style>${"<p>x".repeat(5000)}`,
  ],
  ["rules by the ten thousand", `<style>${"a{color:red}".repeat(40_000)}</style>x`],
] as const)
  measure(`at worst: ${title}`, 3, () => renderHtml(html, "text"));

/** Measures the heap of a thread, which may have 64 MiB, after the largest document. */
const thread = new Worker(
  `const { parentPort, workerData } = require("node:worker_threads");
  import(workerData.module).then(({ renderHtml }) => {
    const before = process.memoryUsage().heapUsed;
    const { isOverLimit } = renderHtml(workerData.html, "text");
    parentPort.postMessage({ mebibytes: (process.memoryUsage().heapUsed - before) / 2 ** 20, isOverLimit });
  });`,
  {
    eval: true,
    workerData: {
      module: new URL("../../src/formats/html/render-html.ts", import.meta.url).href,
      html: newsletter(500 * 1024),
    },
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
  },
);
thread.on("message", ({ mebibytes, isOverLimit }) =>
  console.log(
    `heap of a thread after 512 KiB: ${mebibytes.toFixed(0)} MiB${isOverLimit ? ", over the limit" : ""}`,
  ),
);
