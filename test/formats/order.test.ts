/** Words that are drawn in another order than the text has them are in doubt. */
import { expect, test } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";

const textsOf = (html: string): string[] =>
  htmlForms.map((form) => renderHtml(`<!doctype html>${html}<p>end`, form).text);

test.each([
  "<p>\u202ewords</p>",
  "<p>&#x202E;words&#x202C;</p>",
  "<p>\u202dאב words</p>",
  "<p><span>\u202e</span><b>words</b></p>",
  "<p><i>words</i> <b>\u202e</b></p>",
  "<p>\u2067words one\u2069</p>",
  "<p>\u202bwords one\u202c</p>",
  "<p dir=rtl><bdi>not</bdi> <bdi>words</bdi></p>",
  "<div dir=rtl><p><span dir=ltr>not</span> <span dir=ltr>words</span></p></div>",
  "<p style='direction:rtl'><span style='unicode-bidi:isolate;direction:ltr'>not</span> words</p>",
  "<p><span dir=rtl><bdi>not</bdi> <bdi>words</bdi></span></p>",
  "<p><bdo dir=rtl>words</bdo></p>",
  "<p style='direction:rtl;unicode-bidi:bidi-override'>words</p>",
])("%s", (html) => {
  for (const text of textsOf(html)) {
    expect(text).not.toContain("words");
    expect(text).toContain("end");
  }
});

test.each([
  "<p>\u202bשלום words\u202c</p>",
  "<p dir=rtl>שלום <span dir=ltr>words</span></p>",
  "<p dir=rtl>words</p>",
  "<p>שלום words</p>",
  "<p><bdi>Anna</bdi> words</p>",
  "<p>\u2068Anna\u2069 words</p>",
  "<p>\u202ethat</p><p>words</p>",
])("words in their order are given: %s", (html) => {
  for (const text of textsOf(html)) expect(text).toContain("words");
});
