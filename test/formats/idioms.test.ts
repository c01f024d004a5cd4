/** Idioms of the mail of today: each page is given whole, with the argument by which its words are proven visible (F and H: the README
 *  of `src/formats/html`), and beside it the page that hides a word with the same means. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { htmlForms, renderHtml } from "#/src/formats/html/render-html.ts";

interface Idiom {
  readonly name: string;
  readonly because: string;
  /** Every VISIBLE is given, no HIDDEN is, and nothing is in doubt. */
  readonly honest: readonly string[];
  /** No HIDDEN is given. */
  readonly hiding: readonly string[];
}

const pill = "display:inline-block;padding:4px 12px;border-radius:20px;font-size:12px";
const unseen =
  "position:absolute;width:1px;height:1px;padding:0;margin:-1px;overflow:hidden;clip:rect(0,0,0,0);white-space:nowrap;border:0";
const mjmlColumn = (text: string): string =>
  `<div class="mj-column-per-50 mj-outlook-group-fix" style="font-size:0px;text-align:left;direction:ltr;display:inline-block;vertical-align:top;width:100%"><table border="0" cellpadding="0" cellspacing="0" role="presentation" style="vertical-align:top" width="100%"><tbody><tr><td align="left" style="font-size:0px;padding:10px 25px;word-break:break-word"><div style="font-family:Ubuntu, Helvetica, Arial, sans-serif;font-size:13px;line-height:1.5;text-align:left;color:#000000">${text}</div></td></tr></tbody></table></div>`;

const idioms: readonly Idiom[] = [
  {
    name: "clearfix",
    because: "H25: a box without a sign paints nothing, and makes its container as high as its floats (F3)",
    honest: [
      '<style>.c:after{content:"";display:table;clear:both}</style><div class=c><div style="float:left;width:50%">VISIBLE</div><div style="float:left;width:50%">VISIBLE</div></div><p>VISIBLE',
      '<style>.c::after{content:".";display:block;clear:both;visibility:hidden;height:0;line-height:0}</style><div class=c><p style="float:left">VISIBLE</p></div><p>VISIBLE',
    ],
    hiding: [
      '<style>.c:after{content:"";display:block;position:absolute;top:0;left:0;width:100%;height:90px;background:#fff}</style><div class=c><p>HIDDEN</div>',
    ],
  },
  {
    name: "conditions of windows",
    because: "between two widths that conditions name each of those is sure, and the page is judged for each",
    honest: [
      '<style>@media (max-width:768px){.w{padding:10px!important;width:100%!important;font-size:20px}}</style><div class=w style="width:600px"><p>VISIBLE</div><p>VISIBLE',
      "<style>p{color:#222}@media (max-width:767px){p{color:#fff}}@media (width<=767px){body{background:#000}}</style><p>VISIBLE",
    ],
    hiding: [
      "<style>@media (max-width:768px){p{display:none}}</style><p>HIDDEN",
      "<style>@media (min-width:900px) and (max-width:1100px){p{display:none}}</style><p>HIDDEN",
      '<style>@media (max-width:768px){.m{display:block!important}}</style><p class=m style="display:none">HIDDEN',
      "<style>@media (max-width:800px){p{color:#fff}}@media (max-width:750px){body{background:#000}}</style><p>HIDDEN",
      "<style>@media (width=1024px){p{display:none}}</style><p>HIDDEN",
      // Of people whose letters are larger.
      "<style>@media (min-width:1000px) and (max-width:60em){p{display:none}}</style><p>HIDDEN",
    ],
  },
  {
    name: "sizes that are those of the content or of the window",
    because:
      "fit-content is the width of a float without one, and in heights like auto (css-sizing-3 section 5); what follows the body is nothing (F6)",
    honest: [
      '<table style="width:fit-content;margin:2rem auto"><tr><td>VISIBLE</table><div style="height:fit-content;overflow:hidden">VISIBLE</div>',
      '<body style="min-height:100vh"><p>VISIBLE',
    ],
    hiding: [
      '<div style="max-width:fit-content;width:10px;overflow:hidden">aaaaaHIDDEN</div>',
      '<p style="min-height:30000vh"></p><p>HIDDEN',
    ],
  },
  {
    name: "paint that is far and pale",
    because:
      "H18, H15: colours count wherever they are; F5: two pixels above the page leave enough of letters",
    honest: [
      '<table style="box-shadow:0 49px 40px rgba(0,0,0,.05)"><tr><td>VISIBLE</table><p>VISIBLE',
      '<div style="background-image:radial-gradient(circle at bottom right,#e4c5a0 0%,transparent 60%)">VISIBLE</div>',
      '<img style="display:block;margin-top:-1px" src="https://x.example/a.png" width=10 height=10><p>VISIBLE',
      '<p style="font-family:Arial,sans-serif,serif,EmojiFont">VISIBLE',
    ],
    hiding: [
      '<p style="color:#000">HIDDEN</p><div style="box-shadow:0 0 0 900px #000">a</div>',
      '<div style="color:#000;background:radial-gradient(circle at bottom right,#000 0%,#000 100%)">HIDDEN</div>',
      '<div style="background:#000;background:radial-gradient(at top 10%,#fff,#fff)">HIDDEN</div>',
      `<body style="margin:0">${'<div style="margin-top:-2px"></div>'.repeat(4)}<p style="margin:0;font-size:7px;line-height:7px">HIDDEN`,
    ],
  },
  {
    name: "signs before and after",
    because: "H25: at most three signs in their own place, as a letter of the line (F3)",
    honest: [
      '<style>.q:before{content:"→";color:#888;margin-right:4px}li::after{content:";"}</style><p class=q>VISIBLE<ul><li>VISIBLE</ul>',
      '<style>.q:before{content:"“"}.q:after{content:"”"}</style><blockquote class=q>VISIBLE</blockquote>',
      '<style>p{font-size:10px;line-height:12px;margin:0}.q:before{content:"█";font-size:10px}</style><p class=q>VISIBLE</p><p>VISIBLE',
    ],
    hiding: [
      '<style>.q:before{content:"██████████";margin-right:-100px}</style><p class=q>HIDDEN',
      '<style>p{font-size:10px;line-height:12px;margin:0}.q:before{content:"█";font-size:20px}</style><p class=q>a</p><p>HIDDEN',
    ],
  },
  {
    name: "text for screen readers",
    because:
      "it is told as hidden (zero-size-text), and a box that cuts off all of its content covers nothing else",
    honest: [
      `<p>VISIBLE <span style="${unseen}">HIDDEN</span> VISIBLE</p><p>VISIBLE`,
      `<style>.sr-only{${unseen};clip-path:inset(50%)}</style><a href="https://x.example/"><span class=sr-only>HIDDEN</span>VISIBLE</a><p>VISIBLE`,
    ],
    hiding: [],
  },
  {
    name: "filters of old browsers, and letters that are two pixels beside their place",
    because:
      "browsers drop a filter that they do not know (Filter Effects 1); letters that are moved so little cover no others (F5)",
    honest: [
      '<p style="filter:alpha(opacity=90);-webkit-flex:1">VISIBLE</p><p style="filter:progid:DXImageTransform.Microsoft.Alpha(Opacity=0)">VISIBLE',
      '<p>VISIBLE <span style="position:relative;top:2px">VISIBLE</span></p><p>VISIBLE',
    ],
    hiding: [
      '<p style="filter:alpha(opacity=90) opacity(0)">HIDDEN',
      '<p style="filter:opacity(0);filter:alpha(opacity=90)">HIDDEN',
      '<p style="font-size:8px;margin:0">HIDDEN</p><div style="position:relative;top:-2px"><div style="position:relative;top:-2px"><div style="position:relative;top:-2px"><div style="position:relative;top:-2px;background:#fff">word',
    ],
  },
  {
    name: "names that no engine has",
    because:
      "H28: browsers drop the declaration; names with a prefix of an engine are doubtful but for those of a table",
    honest: [
      '<p style="-premailer-width:100%;foo-bar:1;mso-hide:all;-khtml-opacity:0;text-underline-color:#348eda;-webkit-text-resize:100%;-moz-font-smoothing:antialiased">VISIBLE',
    ],
    hiding: [
      "-webkit-opaqueness:0",
      "-moz-any:1",
      "-apple-new:1",
      "-epub-any:1",
      "-internal-any:1",
      "-webkit-text-security:disc",
    ].map((one) => `<p style="${one}">HIDDEN`),
  },
  {
    name: "pills",
    because: "H2, H17: the line grows with a box in it, and round corners take at most the ends of its line",
    honest: [
      `<p>VISIBLE <span style="${pill};background:#e53e3e;color:#fff">VISIBLE</span> VISIBLE`,
      `<p><a href="https://x.example/" style="${pill};border:1px solid #333;white-space:nowrap">VISIBLE</a>`,
      '<table><tr><td style="border-radius:100px;background:#006bff"><a href="https://x.example" style="border:1px solid #006bff;border-radius:100px;color:#fff;display:inline-block;padding:11px 24px">VISIBLE VISIBLE</a></td></tr></table>',
    ],
    hiding: [
      `<p><span style="${pill};background:#fff;color:#fefefe">HIDDEN</span>`,
      '<p><span style="display:inline-block;border-radius:200px;background:#000;color:#fff;height:400px">HIDDEN</span>',
    ],
  },
  {
    name: "badges",
    because: "H2, H4: a box in the line or a float beside it; both keep clear of letters (F3)",
    honest: [
      `<p style="font-size:16px">VISIBLE <b style="${pill};background:#222;color:#fff;margin-left:4px;vertical-align:top">VISIBLE</b>`,
      `<div style="width:300px"><b style="${pill};float:right;background:#222;color:#fff">VISIBLE</b>VISIBLE</div>`,
    ],
    hiding: [
      `<p style="position:relative">HIDDEN<b style="${pill};position:absolute;top:0;left:0;width:300px;background:#fff"></b>`,
    ],
  },
  {
    name: "cards that are pulled up",
    because:
      "a margin below zero covers what stands so far above, and that is padding; the letters of the card have a ground of their own",
    honest: [
      '<div style="background:#1a365d;color:#fff;padding:30px 20px 60px"><h1>VISIBLE</h1></div><div style="margin:-40px 20px 0;background:#fff;padding:20px">VISIBLE</div><p>VISIBLE',
      '<table width="600" cellpadding="0" cellspacing="0"><tr><td style="background:#eee;padding:20px"><div style="margin:0 -20px;background:#fff;padding:20px">VISIBLE</div></td></tr></table><p style="margin-top:-10px">VISIBLE',
    ],
    hiding: [
      '<div style="background:#1a365d;color:#fff">HIDDEN</div><div style="margin-top:-40px;background:#fff;padding:20px">card</div>',
      '<div style="background:#000;padding:30px 8px 60px"></div><table style="margin-top:-40px"></table>HIDDEN',
    ],
  },
  {
    name: "columns of floats",
    because: "H4: lines keep clear of floats, and the backgrounds of blocks lie behind them (F1)",
    honest: [
      '<div style="width:600px"><div style="float:left;width:280px">VISIBLE</div><div style="float:right;width:280px">VISIBLE</div><div style="clear:both">VISIBLE</div></div>',
    ],
    hiding: [
      '<div style="width:600px"><div style="float:left;color:#fff;background:#000;width:20px;white-space:nowrap">words and words HIDDEN</div></div>',
    ],
  },
  {
    name: "light words in floats on a dark page",
    because:
      "the background of the body is that of the canvas (css-backgrounds-3 section 2.11.2), so it is behind what leaves any box",
    honest: [
      '<!doctype html><body style="background:#1a202c;color:#edf2f7"><div style="float:left;width:48%">VISIBLE</div><div style="float:left;width:48%">VISIBLE</div><p style="clear:both">VISIBLE',
    ],
    hiding: [
      '<!doctype html><style>html{background:#fff}</style><body style="background:#000;color:#fff;margin:0;width:40px"><div style="float:left;width:10px;white-space:nowrap">aaaaaaaaaaaaaaaaaaaaaaaa HIDDEN',
      '<!doctype html><style>@media (min-width:1px){html{background:#fff}}</style><body style="background:#000;color:#fff;margin:0;width:40px"><div style="float:left;width:10px;white-space:nowrap">aaaaaaaaaaaaaaaaaaaaaaaa HIDDEN',
      ...[
        "html{contain:paint}",
        "body{contain:layout}",
        "html{container-type:inline-size}",
        "body{content-visibility:auto}",
      ].map(
        (rule) =>
          `<!doctype html><style>${rule}</style><body style="background:#000;color:#fff;margin:0;width:40px"><div style="float:left;width:10px;white-space:nowrap">aaaaaaaaaaaaaaaaaaaaaaaa HIDDEN`,
      ),
    ],
  },
  {
    name: "columns of floats below a card that is pulled up",
    because:
      "the top of a float is not above that of a box that is written before it (CSS 2.2 section 9.5.1 rule 5)",
    honest: [
      '<div style="background:#1a365d;color:#fff;padding:30px 20px 60px">VISIBLE</div><div style="margin:-40px 20px 0;background:#fff;padding:20px">VISIBLE</div><div style="float:left;width:48%">VISIBLE</div><div style="float:left;width:48%">VISIBLE</div><p style="clear:both">VISIBLE',
    ],
    hiding: [
      '<div style="float:left;height:20px">HIDDEN</div><div style="clear:both"></div><div style="margin-top:-40px;background:#fff;padding:20px;opacity:.99">card',
    ],
  },
  {
    name: "paddings that are shares, and a picture that is too wide",
    because:
      "H8: beside its shares, a cell without others is at least as wide as its line; of what needs more, only that is wider",
    honest: [
      '<body style="background:#1a202c"><table width="600" cellpadding="0" cellspacing="0" style="background:#1a202c;color:#edf2f7"><tr><td style="padding:0 6.25%"><p>VISIBLE</p><p><img src="https://x.example/a.png" width="1200" height="40" alt=""></p><p>VISIBLE</p><div style="background:#fafafa;color:#666">VISIBLE</div></td></tr></table>',
    ],
    hiding: [
      '<table width="300" cellspacing="0" style="background:#000;color:#fff"><tr><td style="padding:0 45%"><table width="600"><tr><td align="right">HIDDEN</td></tr></table></td></tr></table>',
      '<table width="300" cellspacing="0" style="background:#000;color:#fff"><tr><td style="padding:0 45%"><div style="min-width:900px"><p style="text-align:right">HIDDEN</p></div></td></tr></table>',
      '<table width="300" cellspacing="0" style="background:#000;color:#fff"><tr><td style="padding:0 0 0 60%"><div style="white-space:nowrap">aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa HIDDEN</div></td></tr></table>',
      '<div style="width:400px;overflow:hidden"><table width="300" cellspacing="0"><tr><td style="padding:0 30%"><img src="https://x.example/a.png" width="900" height="40" alt=""><p style="text-align:right">HIDDEN</p></td></tr></table></div>',
    ],
  },
  {
    name: "columns of a flex container",
    because: "H3: an item is never narrower than its widest piece, and the container is as high as its items",
    honest: [
      '<div style="display:flex;gap:16px;align-items:center"><div style="flex:1">VISIBLE</div><div style="flex:1;padding:8px;background:#eee">VISIBLE</div></div><p>VISIBLE',
      '<div style="display:flex;justify-content:space-between"><span>VISIBLE</span><a href="https://x.example/" style="margin-left:auto">VISIBLE</a></div>',
      '<div style="display:flex;flex-direction:column"><p>VISIBLE</p><p>VISIBLE</p></div>',
      '<div style="display:flex;flex-wrap:wrap"><div style="width:50%">VISIBLE</div><div style="width:50%">VISIBLE</div></div>',
    ],
    hiding: [
      '<div style="display:flex;width:100px"><div style="min-width:0;width:1px">HIDDENHIDDEN</div><div style="background:#fff;flex:none;width:90px">a</div></div>',
      '<div style="display:flex;justify-content:flex-end;width:20px"><div style="white-space:nowrap">HIDDEN and many more words</div></div>',
      '<div style="display:flex"><span style="height:0;overflow:hidden">HIDDEN</span></div>',
      '<div style="display:flex;background:#fff"><p style="z-index:-1">HIDDEN</p></div>',
      '<div style="display:flex;height:10px;overflow:hidden;flex-direction:column-reverse"><p>a<p>HIDDEN</div>',
    ],
  },
  {
    name: "columns of a grid",
    because: "H31: items that name no place never share one; columns and lines grow with what they hold",
    honest: [
      '<div style="display:grid;grid-template-columns:1fr 1fr;gap:12px"><div>VISIBLE</div><div style="background:#eee">VISIBLE</div><p>VISIBLE</p></div><p>VISIBLE',
      '<div style="display:grid;grid-template-columns:200px 1fr"><div>VISIBLE</div><div>VISIBLE</div></div>',
      '<div style="display:grid;grid-template-columns:repeat(auto-fit,minmax(200px,1fr));grid-gap:10px"><div>VISIBLE</div><div>VISIBLE</div></div>',
    ],
    hiding: [
      '<div style="display:grid"><p style="grid-area:1/1">HIDDEN</p><p style="grid-area:1/1;background:#fff">aaaaaaaaaaaaaaa</p></div>',
      '<div style="display:grid;grid-template-columns:10px 300px"><b>HIDDENHIDDEN</b><b style="background:#fff">a</b></div>',
      '<div style="display:grid;grid-template-rows:1px 60px"><b>HIDDEN</b><b style="background:#fff">a</b></div>',
      '<div style="display:grid;grid-template-rows:90000px"><b>a</b></div>HIDDEN',
    ],
  },
  {
    name: "columns of a table",
    because: "H1, F4: cells stand side by side and grow with what they hold",
    honest: [
      '<table width="600" cellpadding="10" align="center"><tr><td width="50%" valign="top">VISIBLE</td><td width="50%" bgcolor="#eeeeee">VISIBLE</td></tr></table><p>VISIBLE',
      '<table width="600"><tr><td style="font-size:0"><table align="left" width="280"><tr><td style="font-size:14px">VISIBLE</td></tr></table><table align="left" width="280"><tr><td style="font-size:14px">VISIBLE</td></tr></table></td></tr></table>',
    ],
    hiding: [
      '<table style="table-layout:fixed;width:100px"><tr><td style="width:5px;white-space:nowrap">HIDDEN HIDDEN</td><td style="background:#fff;position:relative">aaaaaaa</td></tr></table>',
    ],
  },
  {
    name: "columns by a calculated width",
    because: "H8: it is at most as wide as the box around, and at least as wide as its least width",
    honest: [
      '<table width=600><tr><td style="text-align:center;font-size:0"><div style="display:inline-block;min-width:240px;max-width:100%;width:calc(230400px - 48000%);font-size:16px">VISIBLE</div><div style="display:inline-block;min-width:240px;max-width:100%;width:calc(230400px - 48000%);font-size:16px">VISIBLE</div></td></tr></table>',
    ],
    hiding: [
      '<div style="width:calc(230400px - 48000%)">a</div><div style="width:90000px;text-align:right">HIDDEN</div>',
    ],
  },
  {
    name: "columns below a greatest width",
    because:
      "H8, F4: a box in a line or a float below a greatest width is as wide as its widest piece, if that is no wider",
    honest: [
      '<table><tr><td style="font-size:0"><div style="display:inline-block;width:100%;max-width:186px;vertical-align:top"><table width="100%"><tr><td style="font-size:14px;padding:10px">VISIBLE</td></tr></table></div><div style="display:inline-block;width:100%;max-width:186px;font-size:14px">VISIBLE</div></td><td>VISIBLE</td></tr></table>',
      '<table dir=rtl width=680 style="table-layout:fixed"><tr><td><div style="display:inline-block;max-width:440px;min-width:280px"><table width="100%" style="table-layout:fixed"><tr><td dir=ltr style="padding:0 10px">VISIBLE</td></tr></table></div></td></tr></table>',
    ],
    hiding: [
      '<table><tr><td dir=rtl><div style="display:inline-block;width:100%;max-width:20px">HIDDENHIDDENHIDDEN</div></td><td style="position:relative;background:#fff">aaaaaaaaaaaaaaaaaaaaa</td></tr></table>',
    ],
  },
  {
    name: "what is wider than the page",
    because: "only what is wider leaves its background (F3); the rest of the page stands where it stood",
    honest: [
      '<body style="background:#fff"><div style="background:#123;color:#fff"><p>VISIBLE</p></div><p><img src="https://x.example/a" width=1200 height=20></p><p>VISIBLE',
      `<div><p style="background:#aac;color:#00f">VISIBLE</p><pre>${"a ".repeat(200)}VISIBLE</pre></div>`,
    ],
    hiding: [
      `<div style="background:#000;color:#fff"><pre>${"a ".repeat(2000)}HIDDEN</pre></div>`,
      '<div style="background:#000;color:#fff"><table width=1900><tr><td align=right>HIDDEN</td></tr></table></div>',
      '<div style="background:#000;color:#fff"><p style="width:1900px;text-align:right">HIDDEN</p></div>',
    ],
  },
  {
    name: "links with a line",
    because:
      "H20: borders of two pixels, or an underline as thick, leave the rest of the letters that they cross (F5)",
    honest: [
      '<p style="font-size:13px">VISIBLE <a href="https://x.example/" style="border-bottom:1px solid #828282">VISIBLE VISIBLE</a> VISIBLE<p>VISIBLE',
      '<style>a{text-decoration:underline;text-decoration-thickness:1px;text-underline-offset:2px}</style><p>VISIBLE <a href="https://x.example/">VISIBLE</a>',
      '<p>VISIBLE <a href="https://x.example/" style="text-decoration:underline 2px #f00">VISIBLE</a>',
    ],
    hiding: [
      '<p>HIDDEN<br><span style="border-top:20px solid #000">a</span>',
      `<p style="font-size:9px;line-height:7px">HIDDEN<br>${'<span style="border:2px solid #000">'.repeat(8)}a`,
      '<p style="text-decoration:line-through;text-decoration-thickness:40px">HIDDEN',
      '<span style="border:40px solid black"><div>HIDDEN</div>a</span>',
    ],
  },
  {
    name: "light letters",
    because:
      "H21: their strokes are a pixel wide from 14 pixels on, and half of their colour has to differ from what is behind",
    honest: [
      '<p style="font:300 18px sans-serif;color:#9b9b9b">VISIBLE</p><p style="font-family:Helvetica Neue Light,sans-serif;color:#96a6b0">VISIBLE',
    ],
    hiding: [
      '<p style="font:100 18px sans-serif;color:#9b9b9b">HIDDEN',
      '<p style="font:300 12px sans-serif;color:#9b9b9b">HIDDEN',
      '<p style="font-weight:300;color:#ccc">HIDDEN',
    ],
  },
  {
    name: "a large first letter",
    because:
      "H26: it floats or stands in its line; the paragraph is doubtful, and what follows keeps clear of it (H4)",
    honest: [
      "<style>.d::first-letter{font-size:54px;line-height:.9;float:left;padding:6px 10px 0 0}</style><div class=d></div><p>VISIBLE",
    ],
    hiding: [
      "<style>.d::first-letter{font-size:600px;float:left}</style><p class=d>a</p><p>HIDDEN",
      "<style>.d::first-letter{font-size:54px;float:left}</style><div style='overflow:hidden;height:20px'><p class=d>a</p><p>HIDDEN",
    ],
  },
  {
    name: "pictures that are moved in their line",
    because: "a picture covers what stands so far above, and lies under what stands so far below",
    honest: [
      '<h2>VISIBLE</h2><p style="padding-top:10px"><img src="https://x.example/a" width=15 height=15 style="vertical-align:middle;margin-top:-2px"></p><p>VISIBLE',
    ],
    hiding: [
      '<p>HIDDEN</p><img src="https://x.example/a" width=600 height=90 style="margin-top:-60px;background:#fff">',
      '<p><span style="display:inline-block;background:#fff;margin-top:-30px">aaaaaaaaaaaa</span>HIDDEN',
    ],
  },
  {
    name: "shares of a width as paddings",
    because:
      "the table is as wide as it says, or as its longest line if there is room (CSS 2.2 section 17.5.2.2)",
    honest: [
      '<body style="background:#fff"><table width=600 bgcolor="#127DB3"><tr><td style="padding:0 6.25%;width:87.5%;color:#fff">VISIBLE</td></tr></table>',
      '<table style="background:#127DB3;color:#fff;max-width:500px"><tr><td style="padding:0 6.25%">VISIBLE</td></tr><tr><td style="padding:0 6.25%">More than half of all mail is opened on a telephone, so mail that a telephone can show is a must</td></tr></table>',
    ],
    hiding: [
      '<table style="background:#000;color:#fff"><tr><td style="padding:0 0 0 45%">HIDDENHIDDEN</td></tr></table>',
      '<table width=100 style="background:#000;color:#fff"><tr><td style="padding:0 0 0 45%">HIDDENHIDDENHIDDEN</td></tr></table>',
      '<div style="overflow:hidden;width:300px"><div style="width:100%;padding-left:290px">a a a a a a a HIDDEN a a a a</div></div>',
    ],
  },
  {
    name: "a centre that says how tables are laid out",
    because: "`table-layout` applies to tables alone (CSS 2.2 section 17.5.2)",
    honest: [
      '<center style="width:100%;table-layout:fixed"><div style="max-width:600px">VISIBLE</div></center>',
    ],
    hiding: ['<div style="display:table;table-layout:fixed;width:10px"><p>HIDDENHIDDENHIDDEN</div>'],
  },
  {
    name: "a box that cuts off around floats",
    because: "H12: it grows around them (CSS 2.2 section 10.6.7), and each of them fits",
    honest: [
      '<div style="overflow:hidden"><div style="float:left;width:48%">VISIBLE</div><div style="float:right;width:48%">VISIBLE</div></div><p>VISIBLE',
    ],
    hiding: [
      '<div style="overflow:hidden;width:200px"><div style="float:left;width:190px">a</div><span style="white-space:nowrap">words and words and words HIDDEN</span></div>',
      '<div style="overflow:hidden;width:100px"><div style="float:left;width:300px;text-align:right">HIDDEN</div></div>',
      '<div style="overflow:hidden;height:10px"><div style="float:left"><br><br>HIDDEN</div></div>',
    ],
  },
  {
    name: "letters with a shadow",
    because: "H19: it lies below its own letters, and two pixels of others leave the rest of them",
    honest: [
      '<h1 style="color:#fff;background:#333;text-shadow:0 1px 2px rgba(0,0,0,.5)">VISIBLE</h1><p>VISIBLE',
    ],
    hiding: ['<p>HIDDEN</p><p style="text-shadow:0 -20px 0 #fff,0 -18px 8px #fff">a'],
  },
  {
    name: "the output of MJML",
    because:
      "H2, H8: boxes in the line whose shares hold their widest word, in each window from 700 pixels on",
    honest: [
      `<style>@media only screen and (min-width:480px){.mj-column-per-50{width:50%!important;max-width:50%}}</style><body style="background-color:#f4f4f4"><div style="background-color:#f4f4f4"><div style="background:#ffffff;background-color:#ffffff;margin:0px auto;max-width:600px"><table align="center" border="0" cellpadding="0" cellspacing="0" role="presentation" style="background:#ffffff;background-color:#ffffff;width:100%"><tbody><tr><td style="direction:ltr;font-size:0px;padding:20px 0;text-align:center">${mjmlColumn("VISIBLE")}${mjmlColumn("VISIBLE")}</td></tr></tbody></table></div></div>`,
    ],
    hiding: [
      `<style>@media only screen and (min-width:1025px){.x{display:none}}</style><div class=x>${mjmlColumn("HIDDEN")}</div>`,
    ],
  },
  {
    name: "the output of Foundation for Emails",
    because: "H1, H13: cells stand side by side, in a table that is moved by nothing",
    honest: [
      `<style>.container{background:#fff;margin:0 auto;text-align:inherit;width:580px}table.row{padding:0;width:100%;position:relative}th.columns{margin:0 auto;padding-left:16px;padding-bottom:16px}th.large-6{width:274px;padding-right:8px}h1{color:inherit;word-wrap:normal;font-size:34px}@media only screen and (max-width:596px){th.small-12{display:inline-block!important;width:100%!important}}</style><table class=body><tr><td align=center class=center><center><table align=center class="container float-center"><tbody><tr><td><table class=row><tbody><tr><th class="small-12 large-6 columns first"><table><tr><th><h1>VISIBLE</h1></th></tr></table></th><th class="small-12 large-6 columns last"><table><tr><th><p>VISIBLE</p></th><th class=expander></th></tr></table></th></tr></tbody></table></td></tr></tbody></table></center></td></tr></table>`,
    ],
    hiding: [
      "<style>table.row{position:relative;top:-90px;background:#fff;width:100%}</style><p>HIDDEN</p><table class=row><tr><td>HIDDEN</td></tr></table>",
    ],
  },
  {
    name: "the output of React Email",
    because: "H2, H8: a button is a box in the line that grows with its words, below a greatest width",
    honest: [
      '<body style="background-color:#f6f9fc;font-family:sans-serif"><div style="display:none;overflow:hidden;line-height:1px;opacity:0;max-height:0;max-width:0">HIDDEN</div><table align="center" width="100%" border="0" cellpadding="0" cellspacing="0" role="presentation" style="max-width:37.5em;background-color:#ffffff;margin:0 auto;padding:20px 0 48px"><tbody><tr style="width:100%"><td><p style="font-size:16px;line-height:26px;margin:16px 0">VISIBLE</p><a href="https://x.example/" style="line-height:100%;text-decoration:none;display:inline-block;max-width:100%;mso-padding-alt:0px;background-color:#5F51E8;border-radius:3px;color:#fff;font-size:16px;text-align:center;padding:12px 12px 12px 12px" target="_blank"><span style="max-width:100%;display:inline-block;line-height:120%;mso-padding-alt:0px;mso-text-raise:9px">VISIBLE</span></a><hr style="width:100%;border:none;border-top:1px solid #eaeaea;border-color:#cccccc;margin:20px 0"></td></tr></tbody></table>',
    ],
    hiding: [
      '<a href="https://x.example/" style="display:inline-block;max-width:10px;overflow:hidden;white-space:nowrap"><span>HIDDEN and more</span></a>',
    ],
  },
  {
    name: "the output of the builders of pages (BEE, Unlayer)",
    because: "H1, H8: rows of tables of a width, whose cells share it and grow (F4)",
    honest: [
      `<style>*{box-sizing:border-box}body{margin:0;padding:0}a[x-apple-data-detectors]{color:inherit!important;text-decoration:inherit!important}p{line-height:inherit}@media (max-width:620px){.stack .column{width:100%;display:block}.desktop_hide{display:table!important}}.desktop_hide{display:none}</style><table class="nl-container" width="100%" border="0" cellpadding="0" cellspacing="0" style="mso-table-lspace:0;mso-table-rspace:0;background-color:#ffffff"><tbody><tr><td><table class="row row-1" align="center" width="100%" border="0" cellpadding="0" cellspacing="0"><tbody><tr><td><table class="row-content stack" align="center" border="0" cellpadding="0" cellspacing="0" style="color:#000000;width:600px;margin:0 auto" width="600"><tbody><tr><td class="column column-1" width="50%" style="font-weight:400;text-align:left;padding:5px;vertical-align:top"><div style="color:#101112;direction:ltr;font-size:16px;letter-spacing:0px;line-height:1.2;mso-line-height-alt:19px"><p style="margin:0">VISIBLE</p></div></td><td class="column column-2" width="50%" style="font-weight:400;text-align:left;padding:5px;vertical-align:top"><p style="margin:0">VISIBLE</p></td></tr></tbody></table></td></tr></tbody></table></td></tr></tbody></table>`,
      `<style>@media only screen and (min-width:520px){.u-row{width:500px!important}.u-row .u-col{vertical-align:top}.u-row .u-col-50{width:250px!important}}@media (max-width:520px){.u-row .u-col{display:block!important;width:100%!important;min-width:320px!important;max-width:100%!important}}</style><div class="u-row-container" style="padding:0px;background-color:transparent"><div class="u-row" style="margin:0 auto;min-width:320px;max-width:500px;overflow-wrap:break-word;word-wrap:break-word;word-break:break-word;background-color:transparent"><div style="border-collapse:collapse;display:table;width:100%;height:100%;background-color:transparent"><div class="u-col u-col-50" style="max-width:320px;min-width:250px;display:table-cell;vertical-align:top"><div style="height:100%;width:100%!important"><p style="font-size:14px;line-height:140%">VISIBLE</p></div></div><div class="u-col u-col-50" style="max-width:320px;min-width:250px;display:table-cell;vertical-align:top"><p>VISIBLE</p></div></div></div></div>`,
    ],
    hiding: [
      "<style>@media (max-width:900px){.column{display:none}}</style><table><tr><td class=column>HIDDEN</td></tr></table>",
    ],
  },
  {
    name: "another picture for the dark scheme",
    because:
      "a box whose bound may be gone is as high as it is without one, and moves what follows down (F3, F6)",
    honest: [
      '<style>@media (prefers-color-scheme:dark){.dark-hide{display:none!important}.dark-show{display:block!important;max-height:none!important;overflow:visible!important}}</style><p>VISIBLE</p><a class=dark-hide href="https://x.example/"><img src="https://x.example/a" width=90 height=30></a><a class=dark-show href="https://x.example/" style="display:none;max-height:0;overflow:hidden"><img src="https://x.example/b" width=90 height=30></a><p>VISIBLE',
    ],
    hiding: [
      "<style>@media (prefers-color-scheme:dark){.d{max-height:none}}</style><div class=d style='max-height:0;overflow:hidden'>HIDDEN</div>",
      "<style>@media (max-width:900px){.d{max-height:none}}</style><div class=d style='max-height:10px;overflow:hidden'><br><br>HIDDEN</div>",
    ],
  },
  {
    name: "a page in Arabic",
    because: "H8: none of its letters is wider than one and a half of their size, so its words fit",
    honest: [
      '<html dir=rtl><body dir=rtl><table width=600 align=center style="width:100%;max-width:600px"><tr><td style="padding:14px 48px"><div style="font-size:42px;line-height:1.15">صاحبتي، VISIBLE</div><p style="letter-spacing:2px">المجموعة VISIBLE</p></td></tr></table>',
    ],
    hiding: [
      `<html dir=rtl><body><table width=600 style="table-layout:fixed"><tr><td style="font-size:60px">${"س".repeat(12)} HIDDEN</td></tr></table>`,
    ],
  },
  {
    name: "a condition that is none",
    because: "a word after `and` makes a query one for no window (Media Queries 4, section 3.2)",
    honest: [
      "<style>@media only screen and max-width640px{p{display:none;position:absolute}}</style><p>VISIBLE",
    ],
    hiding: [
      "<style>@media not screen and max-width640px,screen{p{display:none}}</style><p>HIDDEN",
      "<style>@media screen and (max-width640px){p{position:absolute}}</style><p>HIDDEN",
    ],
  },
  {
    name: "a layer below the words on a picture",
    because: "H32: it lies above the background of its box and below all else in it (CSS 2.2 appendix E)",
    honest: [
      `<style>.hero{position:relative;z-index:0}.hero .overlay{position:absolute;top:0;left:0;right:0;bottom:0;content:'';width:100%;background:#000;z-index:-1;opacity:.3}</style><table width=600><tr><td class=hero style="background:#fff url(https://x.example/a.jpg);height:400px"><div class=overlay></div><h2 style="color:#fff">VISIBLE</h2></td></tr></table><p>VISIBLE`,
    ],
    hiding: [
      ...[
        "width:30%",
        "height:4px",
        "visibility:hidden",
        "border-radius:300px",
        "position:static",
        "z-index:1",
      ].map(
        (one) =>
          `<div style="position:relative;z-index:0"><div style="position:absolute;top:0;left:0;right:0;bottom:0;background:#000;z-index:-1;${one}"></div><p style="color:#fff">HIDDEN`,
      ),
      '<div style="background:#fff"><div style="position:relative"><div style="position:absolute;top:0;left:0;right:0;bottom:0;background:#000;z-index:-1"></div><p style="color:#fff">HIDDEN',
      '<div style="float:left;width:300px">HIDDEN</div><div style="position:relative;z-index:0;height:80px"><div style="position:absolute;top:0;left:0;right:0;bottom:0;background:#000;z-index:-1"></div></div>',
    ],
  },
  {
    name: "a bar below a heading",
    because: "H33: it stands in the margin below its element, where nothing else does (F3)",
    honest: [
      `<style>.sub{display:inline-block;position:relative;margin-bottom:20px!important;font-size:13px}.sub::after{position:absolute;left:0;right:0;bottom:-10px;content:'';width:100%;height:2px;background:#2f89fc;margin:0 auto}</style><p>VISIBLE</p><span class=sub>VISIBLE</span><h2>VISIBLE</h2>`,
    ],
    hiding: [
      ..."height:40px|padding:20px|bottom:0;height:30px|border:20px solid #fff|margin-bottom:9px;padding-top:40px|min-height:40px|top:0"
        .split("|")
        .map(
          (one) =>
            `<style>.s{display:inline-block;position:relative;margin-bottom:20px}.s::after{content:"";position:absolute;left:0;right:0;bottom:-10px;height:4px;background:#fff;${one}}</style><span class=s>HIDDEN</span>`,
        ),
      `<style>.s{position:relative;margin-bottom:4px}.s::after{content:"";position:absolute;left:0;right:0;bottom:-4px;height:4px;background:#fff}</style><div style="float:left;font-size:7px">HIDDEN</div>${"<div class=s></div>".repeat(9)}`,
      `<style>.s{position:relative;margin-bottom:4px}.s::after{content:"";position:absolute;left:0;right:0;bottom:-4px;height:4px;background:#fff}</style>${"<div class=s></div>".repeat(9)}<div style="margin-top:-30px">HIDDEN</div>`,
    ],
  },
  {
    name: "columns that are shares of a fixed table, with distances in em",
    because: "H24: a share of the width is that of the column, whatever its cells keep from their edge",
    honest: [
      '<table width=600 style="table-layout:fixed;border-collapse:collapse"><tr><td width="70%" style="padding:0 2.5em">VISIBLE</td><td width="30%" style="padding-right:2.5em"><span>VISIBLE Discount</span></td></tr></table>',
    ],
    hiding: [
      '<table width=600 style="table-layout:fixed;border-collapse:collapse"><tr><td width="90%">a</td><td width="10%" style="padding-right:20em;white-space:nowrap;overflow:hidden">HIDDEN</td></tr></table>',
      '<table width=600 style="table-layout:fixed;border-collapse:collapse"><tr><td style="width:1px;padding-right:1em;white-space:nowrap">words and words HIDDEN</td><td style="background:#fff;position:relative">a</td></tr></table>',
    ],
  },
  {
    name: "columns that are shares of a table, with tables in them",
    because: "H34: no column gets more than its least width before those with shares have theirs",
    honest: [
      `<style>table{table-layout:fixed!important;border-collapse:collapse!important}</style><table width="100%"><tr><td style="padding:2.5em"><table><tr>${'<td valign=top width="33.333%"><table width="100%"><tr><td style="text-align:left;padding-right:10px"><h3>VISIBLE</h3><p>VISIBLE regelialia.</p></td></tr></table></td>'.repeat(3)}</tr></table></td></tr></table>`,
    ],
    hiding: [
      '<body style="font:bold 16px DejaVu Sans"><table><tr><td width=100><table width="100%" style="table-layout:fixed"><tr><td><div style="overflow:hidden;white-space:nowrap">wwwwwwww wwww HIDDEN</div></td></tr></table></td></tr></table>',
    ],
  },
  {
    name: "words that lie on a picture",
    because:
      "a box out of flow leaves the box that it stands in by no more than its distances and its height",
    honest: [],
    hiding: [
      '<p style="margin:0">HIDDEN</p><div style="position:relative"><div style="position:absolute;bottom:0;left:0;width:600px;height:90px;background:#fff"></div></div>',
      '<div style="position:relative"><div style="position:absolute;top:0;left:0;width:600px;background:#fff;color:#fff"><br><br><br><br><br>a</div></div><div style="height:60px"></div>HIDDEN',
      '<table><tr><td style="position:relative">a<b style="position:absolute;top:0;left:0;width:600px;height:90px;background:#fff"></b></td><td>HIDDEN</td></tr></table>',
    ],
  },
];

describe.each(idioms)("$name", ({ because, honest, hiding }) => {
  test.each(honest)(`is given whole: ${because}: %s`, (html) => {
    const page = `<!doctype html>${html}`;
    for (const form of htmlForms) {
      const { text, removed } = renderHtml(page, form);
      expect(text.split("VISIBLE").length, text).toBe(page.split("VISIBLE").length);
      expect(text).not.toContain("HIDDEN");
      expect(removed.filter(([what]) => what === "doubtful")).toEqual([]);
    }
  });

  test.each(hiding)("does not give what the same means hide: %s", (html) => {
    for (const form of htmlForms)
      expect(renderHtml(`<!doctype html>${html}`, form).text).not.toContain("HIDDEN");
  });
});

test("a box out of flow takes from the page what it may lie on, and leaves the rest", () => {
  const page =
    '<!doctype html><p>FAR</p><div style="height:300px"></div><p>NEAR</p><div style="position:relative"><p>BELOW</p><div style="position:absolute;bottom:10px;left:0;right:0"><b>ON</b></div></div><div style="height:300px"></div><p>AFTER</p>';
  const { text } = renderHtml(page, "text");
  expect(["FAR", "NEAR", "BELOW", "ON", "AFTER"].filter((word) => text.includes(word))).toEqual([
    "FAR",
    "AFTER",
  ]);
});

test("letters that grow with the window are in doubt, and the rest of the page is not", () => {
  const page = (size: string): string =>
    `<!doctype html><p>BEFORE</p><h1 style="font-size:${size};line-height:1.2;margin:0 0 1rem"><b>HEADING</b></h1><p>AFTER</p>`;
  const given = (size: string): readonly string[] => {
    const { text } = renderHtml(page(size), "text");
    return ["BEFORE", "HEADING", "AFTER"].filter((word) => text.includes(word));
  };
  expect(given("clamp(1.75rem, 4vw, 2.25rem)")).toEqual(["BEFORE", "AFTER"]);
  expect(given("clamp(1.75rem, 4vw, 20rem)")).toEqual([]);
  expect(given("clamp(1px, 4vw, 2rem)")).toEqual([]);
  expect(given("200px;font-size:clamp(1rem, junk, 2rem)")).toEqual([]);
});

test("each rule of the README has its place in the code, and each that the code names is in the README", () => {
  const formats = new URL("../../src/formats/", import.meta.url);
  const rulesIn = (text: string, form: RegExp): string[] => [
    ...new Set(text.matchAll(form).map(([, rule]) => rule!)),
  ];
  const code = ["html", "css"]
    .flatMap((room) => readdirSync(new URL(`${room}/`, formats)).map((name) => `${room}/${name}`))
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(new URL(name, formats), "utf8"))
    .join("\n");
  const readme = readFileSync(new URL("html/README.md", formats), "utf8");
  expect(rulesIn(code, /\b(H\d{1,2})\b/g).sort()).toEqual(
    rulesIn(readme, /^\| (H\d{1,2}) \| .* \| .* \|/gm).sort(),
  );
});
