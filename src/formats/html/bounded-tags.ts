/** HTML as a stream of bare tags in bounded depth, every one of them closed: what a stranger wrote becomes what a tree
 *  builder reads in the time of its length. Comments, scripts, styles and all attributes but `href` go; an element that is
 *  too deep loses its tags and keeps its text. The text itself stays as it is, character references among it. */

/** The deepest mail of the test corpus has 35. Tree builders take time with the square of it. */
const depthMax = 64;

const voidTags = new Set(
  "area base basefont bgsound br col embed frame hr img input link meta param source track wbr".split(" "),
);
const shownVoidTags = new Set(["br", "hr"]);
/** Elements whose content is no HTML. */
const rawTags = new Set(["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"]);

const paragraph = new Set(["p"]);
/** What an opening tag closes when it stands on top. */
const closedBy = new Map<string, ReadonlySet<string>>([
  ["li", new Set(["li"])],
  ["td", new Set(["td", "th"])],
  ["th", new Set(["td", "th"])],
  ["tr", new Set(["td", "th", "tr"])],
  ["dd", new Set(["dd", "dt"])],
  ["dt", new Set(["dd", "dt"])],
  ["option", new Set(["option"])],
  ...(
    "p h1 h2 h3 h4 h5 h6 address article aside blockquote details div dl fieldset figure footer form header hr main nav " +
    "ol pre section table ul"
  )
    .split(" ")
    .map((name): [string, ReadonlySet<string>] => [name, paragraph]),
]);

const tagName = /[A-Za-z][^\s/>]*/y;
const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

export function boundTags(html: string): string {
  const written: string[] = [];
  const open: string[] = [];
  /** How many of a name are open, and how many have lost their tags. */
  const openCounts = new Map<string, number>();
  const dropped = new Map<string, number>();
  const close = (): string => {
    const name = open.pop()!;
    openCounts.set(name, openCounts.get(name)! - 1);
    written.push(`</${name}>`);
    return name;
  };
  const endElement = (name: string): void => {
    const droppedCount = dropped.get(name) ?? 0;
    if (droppedCount > 0) dropped.set(name, droppedCount - 1);
    else if ((openCounts.get(name) ?? 0) > 0) while (close() !== name);
  };
  const beginElement = (name: string, attributes: string): void => {
    const closes = closedBy.get(name);
    while (closes !== undefined && open.length > 0 && closes.has(open.at(-1)!)) close();
    if (voidTags.has(name)) {
      if (shownVoidTags.has(name)) written.push(`<${name}>`);
      return;
    }
    if (open.length >= depthMax) {
      dropped.set(name, (dropped.get(name) ?? 0) + 1);
      return;
    }
    open.push(name);
    openCounts.set(name, (openCounts.get(name) ?? 0) + 1);
    written.push(name === "a" ? `<a${hrefAttribute(attributes)}>` : `<${name}>`);
  };

  let at = 0;
  while (at < html.length) {
    const start = html.indexOf("<", at);
    if (start === -1) break;
    written.push(html.slice(at, start));
    const next = html[start + 1];
    if (next === "!" || next === "?") {
      const isComment = html.startsWith("<!--", start);
      at = endOf(html, isComment ? "-->" : ">", start + 2);
      continue;
    }
    tagName.lastIndex = next === "/" ? start + 2 : start + 1;
    const name = tagName.exec(html)?.[0].toLowerCase();
    if (name === undefined) {
      written.push("&lt;");
      at = start + 1;
      continue;
    }
    const nameEnd = tagName.lastIndex;
    at = tagEnd(html, nameEnd);
    if (next === "/") endElement(name);
    else if (rawTags.has(name)) at = rawEnd(html, name, at);
    else if (/^[a-z][a-z0-9]*$/.test(name)) beginElement(name, html.slice(nameEnd, at));
  }
  written.push(html.slice(at));
  return written.join("");
}

/** The position behind the next `closer`, or the end. */
function endOf(html: string, closer: string, from: number): number {
  const found = html.indexOf(closer, from);
  return found === -1 ? html.length : found + closer.length;
}

/** The position behind the ">" of a tag; one inside of a quoted attribute value is no end. */
function tagEnd(html: string, from: number): number {
  for (let at = from; at < html.length; at++) {
    const character = html[at];
    if (character === ">") return at + 1;
    if ((character === '"' || character === "'") && isAfterEquals(html, at, from)) {
      const closing = html.indexOf(character, at + 1);
      if (closing === -1) return html.length;
      at = closing;
    }
  }
  return html.length;
}

function isAfterEquals(html: string, at: number, from: number): boolean {
  let before = at - 1;
  while (before >= from && (html[before] === " " || html[before] === "\n" || html[before] === "\t")) before--;
  return html[before] === "=";
}

/** The position behind the closing tag of an element whose content is no HTML. */
function rawEnd(html: string, name: string, from: number): number {
  const closing = new RegExp(`</${name}[\\s/>]`, "gi");
  closing.lastIndex = from;
  const found = closing.exec(html);
  return found === null ? html.length : endOf(html, ">", found.index);
}

function hrefAttribute(attributes: string): string {
  const match = href.exec(attributes);
  const value = match?.[1] ?? match?.[2] ?? match?.[3];
  return value === undefined ? "" : ` href="${value.replaceAll('"', "&quot;").replaceAll("<", "&lt;")}"`;
}
