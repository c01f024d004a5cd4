/** Makes the pages of `made` from `sources`, as the generators write them: `npm --prefix test/templates install`, then
 *  `npm --prefix test/templates run make`. What it makes is kept, so that tests need no generator. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { reactPages } from "./sources/react.mjs";

const sources = new URL("./sources/", import.meta.url);
const read = (name) => readFileSync(new URL(name, sources), "utf8");

const { default: mjml } = await import("mjml");
const { Inky } = await import("inky").then((module) => module.default ?? module);
const { default: juice } = await import("juice");
// The one that Inky itself uses.
const cheerio = createRequire(createRequire(import.meta.url).resolve("inky"))("cheerio");
const foundation = readFileSync(
  new URL("./node_modules/foundation-emails/dist/foundation-emails.css", import.meta.url),
  "utf8",
);

const pages = { ...(await reactPages()) };
for (const name of readdirSync(sources)) {
  if (name.endsWith(".mjml")) {
    const made = await mjml(read(name), { validationLevel: "soft" });
    if (made.errors.length > 0) throw new Error(JSON.stringify(made.errors));
    pages[`mjml-${name.slice(0, -5)}`] = made.html;
  } else if (name.endsWith(".inky.html")) {
    const inner = new Inky().releaseTheKraken(
      cheerio.load(
        `<body><table class="body"><tr><td class="center" align="center" valign="top"><center>${read(name)}</center></td></tr></table></body>`,
      ),
    );
    const page = `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><style>${foundation}</style></head>${inner.html ? inner.html() : inner}</html>`;
    pages[`foundation-${name.slice(0, -10)}`] = page;
    pages[`foundation-${name.slice(0, -10)}-inlined`] = juice(page);
  }
}
for (const [name, html] of Object.entries(pages)) {
  writeFileSync(new URL(`./made/${name}.html`, import.meta.url), html.endsWith("\n") ? html : `${html}\n`);
  console.log(`${name}: ${html.length} characters`);
}
