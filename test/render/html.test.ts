import { afterAll, describe, expect, it } from "vitest";
import { createHtmlRenderer } from "#/src/render/html-renderer.ts";
import { renderHtml } from "#/src/render/html-text.ts";

const renderer = createHtmlRenderer();
afterAll(() => renderer[Symbol.asyncDispose]());

const page = `<html><head><style>a{}</style><script src=x></script></head><body onload="x()">
<!-- note --><h1>Title</h1><p>One <a href="https://example.com/">link</a>.</p>
<form><input name=a></form><img src="http://x.example/a.png"><img src="cid:a"></body></html>`;

describe("HTML as text", () => {
  it("says what of the document is not in the text", () => {
    const { text, removed } = renderHtml(page);
    expect(text).toMatch(/Title\s+One link/);
    expect(text).not.toMatch(/note|onload|a\{\}/);
    expect(Object.fromEntries(removed)).toEqual({
      comment: 1,
      script: 1,
      style: 1,
      form: 2,
      "active-attribute": 1,
      "remote-image": 1,
    });
  });

  it("is the same in the thread that renders long documents", async () => {
    const long = page + "<p>Some words in a row.</p>".repeat(3000);
    expect(await renderer.render(long)).toEqual(renderHtml(long));
  });

  it("does not hold up the loop for a long document", async () => {
    const long = "<table><tr><td>Some <b>words</b> in a row.</td></tr></table>".repeat(15_000);
    let longest = 0;
    let last = performance.now();
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    const rendered = await Promise.all([renderer.render(long), renderer.render(long)]);
    clearInterval(timer);
    expect(rendered[0]!.text.length).toBeGreaterThan(100_000);
    expect(longest).toBeLessThan(200);
  });

  it.each([
    ["tags without end", "<".repeat(1_000_000)],
    ["comments without end", "<!--".repeat(200_000)],
    ["images without end", '<img src="'.repeat(100_000)],
    ["deep nesting", "<div>".repeat(100_000)],
    ["attributes", `<a ${"b=c ".repeat(200_000)}>x</a>`],
  ])("ends for %s", async (_, html) => {
    const started = performance.now();
    await renderer.render(html);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
