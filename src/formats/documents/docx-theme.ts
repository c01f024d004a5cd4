/** The colours of a Word document's theme (ECMA-376 part 1, section 20.1.6.2), with tint and shade (section 17.18.40 and the attributes
 *  of `color` and `shd`), and with the names that the document's settings give them (section 17.15.1.20). */
import type { SaxesTagNS } from "saxes";
import { attributeValue, hexOf, isWord, readXml } from "./docx-xml.ts";

/** Six hexadecimal digits by the names of the theme: dk1, lt1, accent1, …, and by other names that the settings map. "" is a colour that
 *  is not known here. */
export type ThemeColours = ReadonlyMap<string, string>;

const slots = new Set(
  "dk1 lt1 dk2 lt2 accent1 accent2 accent3 accent4 accent5 accent6 hlink folHlink".split(" "),
);
const namespaces: ReadonlySet<string> = new Set([
  "http://schemas.openxmlformats.org/drawingml/2006/main",
  "http://purl.oclc.org/ooxml/drawingml/main",
]);
export function isDrawing({ uri }: SaxesTagNS): boolean {
  return namespaces.has(uri);
}

/** What windows have that nobody has changed. */
const systemColours: Readonly<Record<string, string>> = { window: "ffffff", windowText: "000000" };

/** Of a document without a theme. */
const usual: ThemeColours = new Map([
  ["dk1", "000000"],
  ["lt1", "ffffff"],
]);

/** `xml`: the part of the theme; undefined: there is none. `settings`: the one of the settings. */
export function readTheme(xml: Buffer | undefined, settings: Buffer | undefined): ThemeColours {
  const colours = new Map<string, string>();
  if (xml !== undefined) readSlots(xml, colours);
  // Nothing of it is what the document names.
  if (xml !== undefined && colours.size === 0) colours.set("", "");
  if (settings !== undefined) mapNames(settings, colours);
  return colours;
}

function readSlots(xml: Buffer, colours: Map<string, string>): void {
  let slot: string | undefined;
  let isInScheme = false;
  readXml(xml, {
    open(tag) {
      if (!isDrawing(tag)) return;
      if (tag.local === "clrScheme") isInScheme = true;
      else if (!isInScheme) return;
      else if (slots.has(tag.local)) slot = tag.local;
      // A second element says a change of the colour, or another one.
      else if (slot !== undefined) colours.set(slot, colours.has(slot) ? "" : colourOf(tag));
    },
    close(tag) {
      if (!isDrawing(tag)) return;
      const { local } = tag;
      if (local === "clrScheme") isInScheme = false;
      if (local === slot) slot = undefined;
    },
  });
}

/** As DrawingML names the fonts of a theme. */
const themeFonts = ["+mj", "+mn"] as const;
export type ThemeFont = (typeof themeFonts)[number];

/** Fonts of headings and of the body, in small letters, for any kind of letters. */
export function readThemeFonts(xml: Buffer | undefined): ReadonlyMap<ThemeFont, readonly string[]> {
  const found = new Map<ThemeFont, string[]>(themeFonts.map((name) => [name, []]));
  let inside: ThemeFont | undefined;
  if (xml === undefined) return found;
  readXml(xml, {
    open(tag) {
      if (!isDrawing(tag)) return;
      if (tag.local === "majorFont") inside = "+mj";
      else if (tag.local === "minorFont") inside = "+mn";
      else if (inside !== undefined) found.get(inside)!.push(attributeValue(tag, "typeface").toLowerCase());
    },
    close(tag) {
      if (tag.local === "majorFont" || tag.local === "minorFont") inside = undefined;
    },
  });
  return found;
}

function colourOf(tag: SaxesTagNS): string {
  const value = attributeValue(tag, "val");
  if (tag.local === "srgbClr") return hexOf(value);
  if (tag.local !== "sysClr" || !Object.hasOwn(systemColours, value)) return "";
  const last = hexOf(attributeValue(tag, "lastClr"));
  return last === "" || last === systemColours[value] ? systemColours[value]! : "";
}

/** Other names of slots: of `themeColor`, and of DrawingML. */
const namesOfMapped: Readonly<Record<string, readonly string[]>> = {
  bg1: ["background1", "bg1"],
  t1: ["text1", "tx1"],
  bg2: ["background2", "bg2"],
  t2: ["text2", "tx2"],
  accent1: ["accent1"],
  accent2: ["accent2"],
  accent3: ["accent3"],
  accent4: ["accent4"],
  accent5: ["accent5"],
  accent6: ["accent6"],
  hyperlink: ["hyperlink"],
  followedHyperlink: ["followedHyperlink"],
};

/** Names as a document maps them that does not say otherwise. */
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

function slotOf(name: string): string {
  return Object.hasOwn(slotOfName, name) ? slotOfName[name]! : name;
}

function mapNames(settings: Buffer, colours: Map<string, string>): void {
  const mapped = new Map<string, string>();
  readXml(settings, {
    open(tag) {
      if (!isWord(tag) || tag.local !== "clrSchemeMapping") return;
      for (const [attribute, names] of Object.entries(namesOfMapped)) {
        const to = attributeValue(tag, attribute);
        const colour = colours.get(slotOf(to)) ?? (colours.size === 0 ? usual.get(slotOf(to)) : undefined);
        if (to !== "" && slotOf(to) !== slotOf(names[0]!))
          for (const name of names)
            mapped.set(name, mapped.has(name) && mapped.get(name) !== colour ? "" : (colour ?? ""));
      }
    },
  });
  for (const [name, colour] of mapped) colours.set(name, colour);
}

/** undefined for a colour that is not known. `tint`, `shade`: two hexadecimal digits. */
export function themeColour(
  theme: ThemeColours,
  name: string,
  tint: string,
  shade: string,
): string | undefined {
  const base =
    theme.get(name) ?? theme.get(slotOf(name)) ?? (theme.size === 0 ? usual.get(slotOf(name)) : "");
  if (base === undefined || base === "") return undefined;
  const share = (digits: string): number =>
    /^[0-9a-f]{1,2}$/i.test(digits) ? Number.parseInt(digits, 16) / 255 : 1;
  return [0, 2, 4]
    .map((at) => Number.parseInt(base.slice(at, at + 2), 16) * share(shade))
    .map((channel) => Math.round(channel * share(tint) + 255 * (1 - share(tint))))
    .map((channel) => channel.toString(16).padStart(2, "0"))
    .join("");
}
