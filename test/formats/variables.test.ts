/** Custom properties: what uses one whose value is not the same in all windows, schemes and browsers is not known. */
import { describe, expect, test } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";

const given = (style: string, body = "<p>words"): boolean => {
  const page = `<!doctype html><style>${style}</style><body>${body}`;
  const texts = htmlForms.map((form) => renderHtml(page, form).text);
  expect(new Set(texts.map((text) => text.includes("words"))).size).toBe(1);
  return texts[0]!.includes("words");
};

const light = "@media (prefers-color-scheme: light)";
const dark = "@media (prefers-color-scheme: dark)";

/** Where a variable gets its value, with `V` for the value. */
const sources: readonly (readonly [name: string, style: string])[] = [
  ["set in one scheme alone", `${light}{:root{--v:V}}`],
  ["set in the other scheme alone", `${dark}{:root{--v:V}}`],
  ["set where the scheme is not dark", "@media not (prefers-color-scheme: dark){:root{--v:V}}"],
  ["set in some windows", "@media (min-width: 1025px){:root{--v:V}}"],
  ["set in a condition of what the browser has", "@supports (display:grid){:root{--v:V}}"],
  ["set in a container", "@container (width>1px){:root{--v:V}}"],
  ["set in a layer", "@layer a{:root{--v:V}}"],
  ["set in a scope", "@scope (html){:scope{--v:V}}"],
  ["set when an element comes", "@starting-style{:root{--v:V}}"],
  ["set where something is pointed at, or not", ":root:has(p){--v:V}"],
  ["registered", "@property --v{syntax:'*';inherits:true;initial-value:V}"],
  ["of another one that is not known", `${light}{:root{--w:V}}:root{--v:var(--w)}`],
  ["of the fallback of one that is not known", `${light}{:root{--w:V}}:root{--v:var(--w,V)}`],
  ["of the device", ":root{--v:env(something,V)}"],
  ["of an attribute", ":root{--v:attr(lang type(*),V)}"],
  ["of a condition in the value", ":root{--v:if(media(min-width:1025px):V;else:V)}"],
  ["of a function of the author", "@function --f(){result:V}:root{--v:--f()}"],
  ["of a weaker rule", ":root{--v:V}:root{--v:revert-layer}"],
  ["moved by an animation", "@keyframes k{to{--v:V}}p{animation:k 1s forwards}"],
];

/** Declarations with the variable, and a value of it that hides. */
const uses: readonly (readonly [use: string, hiding: string])[] = [
  ["font-size:var(--v,16px)", "0px"],
  ["display:var(--v,block)", "none"],
  ["opacity:var(--v,1)", "0"],
  ["color:var(--v,#000)", "transparent"],
  ["height:var(--v,auto);overflow:hidden", "0px"],
  ["margin:0 0 0 var(--v,0px)", "-900px"],
];

describe.each(sources)("a variable that is %s", (_, source) => {
  test.each(uses)("leaves %s not known", (use, hiding) => {
    expect(given(`${source.replaceAll("V", hiding)}p{${use}}`)).toBe(false);
  });
});

/** A colour is no size and no word of other properties: where it stands in one, the declaration is as if it were not there. */
test.each([
  `${light}{:root{--v:red}}p{display:var(--v,none)}`,
  `${light}{:root{--v:red}}p{width:var(--v,0);height:20px;overflow:hidden}`,
  `:root{--v:0px}${light}{:root{--v:red}}p{font-size:var(--v)}`,
  `p{--v:0}${light}{p{--v:#000}}p{opacity:var(--v)}`,
  `:root{--v:0}${light}{body{--v:#000}}p{opacity:var(--v)}`,
  `${light}{:root{--w:red}}:root{--v:var(--w,none)}p{display:var(--v)}`,
  `${light}{:root{--v:red!important}}:root{--v:none}p{display:var(--v)}`,
  `:root{--v:red}${dark}{:root{--v:none}}p{display:var(--v,block)}`,
])("a colour of the light scheme stands for nothing in a dark window: %s", (style) => {
  expect(given(style)).toBe(false);
});

test.each([
  `:root{--v:#000}${dark}{:root{--v:#fff}}p{color:var(--v)}`,
  `:root{--v:#fff}${light}{:root{--v:#000}}p{color:var(--v)}`,
  ":root{--v:16px}p{font-size:var(--v)}",
  ":root{--w:16px;--v:var(--w)}p{font-size:var(--v)}",
  "p{font-size:var(--v,16px)}",
  "p{color:light-dark(#000,#fff);color:#000}",
  `${light}{p{color:#000}}${dark}{p{color:#fff;background:#000}}`,
])("a variable with one value, or with colours alone, is known: %s", (style) => {
  expect(given(style)).toBe(true);
});

test.each([
  ["a ground of the dark scheme", `${dark}{div{background:#000}}`],
  ["a ground that a light page takes away", `div{background:#000}${light}{div{background:none}}`],
  ["a shadow that a light page takes away", `div{box-shadow:0 0 0 50px #000}${light}{div{box-shadow:none}}`],
])("%s covers in a dark window", (_, style) => {
  const over = "<p style='margin:0'>words</p><div style='position:relative;top:-30px;height:40px'></div>";
  expect(given(style, over)).toBe(false);
  expect(given(style, "<p>words</p><div style='height:40px'></div>")).toBe(!style.includes("shadow"));
});
