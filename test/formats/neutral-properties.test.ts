/** Properties that are not judged: the values that are proven harmless, and other values of the same properties. */
import { expect, test } from "vitest";
import { parseStyleAttribute } from "#/src/formats/css/stylesheet.ts";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";

/** Each with values that are proven to change nothing of what is seen, and values that may. */
const properties: readonly (readonly [name: string, proven: readonly string[], others: readonly string[]])[] =
  [
    ["font-weight", ["bold", "normal", "100", "bolder", "0", "2000", "inherit"], ["env(a)", "calc(1)"]],
    ["font-style", ["italic", "oblique", "normal !important"], ["oblique 90deg", "oblique -89deg", "env(a)"]],
    ["font-stretch", ["condensed", "75%"], ["expanded", "200%", "1%"]],
    ["font-variant-position", ["normal"], ["super", "sub"]],
    ["font-variant-numeric", ["tabular-nums lining-nums"], ["diagonal-fractions", "ordinal"]],
    ["font-variant-emoji", ["text"], ["emoji"]],
    ["font-variant", ["small-caps", "none"], ["all-small-caps ornaments(a)", "super", "ruby"]],
    ["font-feature-settings", ["'kern' 1, 'liga' off", "normal"], ["'ornm'", "'frac' 1", "var(--a)"]],
    ["text-size-adjust", ["none", "100%"], ["1%", "50%"]],
    ["-webkit-text-size-adjust", ["auto", "100%"], ["5%"]],
    ["text-underline-position", ["auto"], ["under"]],
    ["caption-side", ["top", "bottom"], ["inline-start"]],
    ["empty-cells", ["show"], ["hide"]],
    ["resize", ["none"], ["both"]],
    ["appearance", ["none", "auto"], ["textfield", "button"]],
    ["-moz-appearance", ["none"], ["button"]],
    ["justify-self", ["auto", "stretch"], ["end", "unsafe end", "right"]],
    ["place-self", ["stretch", "normal"], ["end", "center"]],
    ["justify-items", ["legacy"], ["center", "legacy right"]],
    ["counter-set", ["a 3", "none"], ["list-item 900"]],
    ["stroke-width", ["0", "1px"], ["20px", "var(--a)"]],
    ["supported-color-schemes", ["light dark", "light"], ["dark", "dark only"]],
    ["-moz-hyphens", ["auto", "none"], ["all(x)"]],
    ["word-break", ["break-word", "keep-all", "var(--a)"], ["auto-phrase", "env(a)"]],
    ["word-wrap", ["break-word"], ["env(a)"]],
    ["border-color", ["white", "var(--a)", "lab(1 2 3)"], []],
    ["transition", ["all 9s"], []],
    ["mso-line-height-rule", ["exactly"], []],
    ["-ms-interpolation-mode", ["bicubic"], []],
    ["-moz-border-radius", ["6px"], []],
    ["-moz-transform", [], ["scale(0)"]],
    ["-moz-column-count", [], ["900"]],
    ["-apple-color-filter", [], ["invert(1)"]],
    ["-epub-writing-mode", [], ["vertical-rl"]],
    ["-premailer-width", ["100%", "none"], []],
    ["foo-bar", ["1px"], []],
    ["-khtml-opacity", ["0"], []],
    ["-webkit-property-of-tomorrow", [], ["1px"]],
    ["-internal-visited-color", [], ["white"]],
    ["overflow-of-tomorrow", [], ["1px"]],
  ];

const textOf = (name: string, value: string): string[] =>
  htmlForms.map((form) => renderHtml(`<!doctype html><p style="${name}:${value}">words`, form).text);

test.each(properties)(
  "%s is passed over only where it is proven to change nothing that is seen",
  (name, proven, others) => {
    for (const value of proven)
      for (const text of textOf(name, value)) expect(text, value).toContain("words");
    for (const value of others)
      for (const text of textOf(name, value)) expect(text, value).not.toContain("words");
  },
);

test("neutral declarations are not kept", () => {
  const { declarations } = parseStyleAttribute(
    "cursor:wait; font-style:italic; mso-x:y; font-style:oblique 90deg",
  );
  expect(declarations.map(({ property }) => property)).toEqual(["font-style"]);
});

test("names with one meaning in two engines are doubtful where they do not agree", () => {
  const box = "width:300px;overflow:hidden";
  const text = (style: string): string => renderHtml(`<!doctype html><p style="${style}">words`, "text").text;
  expect(text(`${box};box-sizing:border-box;-moz-box-sizing:border-box`)).toBe("words");
  expect(text(`${box};box-sizing:content-box;-moz-box-sizing:border-box`)).not.toContain("words");
});
