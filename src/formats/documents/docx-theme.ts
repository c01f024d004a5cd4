/** The colours of a Word document's theme (ECMA-376 part 1, section 20.1.6.2), with tint and shade (section 17.18.40 and the attributes
 *  of `color` and `shd`). */
import { SaxesParser } from "saxes";

/** Six hexadecimal digits by the names of the theme: dk1, lt1, accent1, … */
export type ThemeColours = ReadonlyMap<string, string>;

const slots = new Set(
  "dk1 lt1 dk2 lt2 accent1 accent2 accent3 accent4 accent5 accent6 hlink folHlink".split(" "),
);

/** `xml`: word/theme/theme1.xml. What is read before a fault counts. */
export function readTheme(xml: string): ThemeColours {
  const colours = new Map<string, string>();
  let slot: string | undefined;
  const parser = new SaxesParser({ xmlns: true });
  parser.on("doctype", () => {
    throw new TypeError("A theme has no document type.");
  });
  parser.on("opentag", ({ local, attributes }) => {
    if (slots.has(local)) slot = local;
    else if (slot !== undefined && !colours.has(slot)) {
      const value = attributes[local === "sysClr" ? "lastClr" : "val"]?.value ?? "";
      if (/^[0-9a-f]{6}$/i.test(value)) colours.set(slot, value.toLowerCase());
    }
  });
  parser.on("closetag", ({ local }) => {
    if (local === slot) slot = undefined;
  });
  try {
    parser.write(xml).close();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
  }
  return colours;
}

/** Of a document without a theme. */
const usual: ThemeColours = new Map([
  ["dk1", "000000"],
  ["lt1", "ffffff"],
]);

/** Names of `themeColor` beside those of the theme, as a document maps them that does not say otherwise. */
const slotOfName: Readonly<Record<string, string>> = {
  dark1: "dk1",
  text1: "dk1",
  tx1: "dk1",
  light1: "lt1",
  background1: "lt1",
  bg1: "lt1",
  dark2: "dk2",
  text2: "dk2",
  tx2: "dk2",
  light2: "lt2",
  background2: "lt2",
  bg2: "lt2",
  hyperlink: "hlink",
  followedHyperlink: "folHlink",
};

/** undefined for a colour that the theme does not have. `tint`, `shade`: two hexadecimal digits. */
export function themeColour(
  theme: ThemeColours,
  name: string,
  tint: string,
  shade: string,
): string | undefined {
  const slot = Object.hasOwn(slotOfName, name) ? slotOfName[name]! : name;
  const base = theme.get(slot) ?? usual.get(slot);
  if (base === undefined) return undefined;
  const share = (digits: string): number =>
    /^[0-9a-f]{1,2}$/i.test(digits) ? Number.parseInt(digits, 16) / 255 : 1;
  return [0, 2, 4]
    .map((at) => Number.parseInt(base.slice(at, at + 2), 16) * share(shade))
    .map((channel) => Math.round(channel * share(tint) + 255 * (1 - share(tint))))
    .map((channel) => channel.toString(16).padStart(2, "0"))
    .join("");
}
