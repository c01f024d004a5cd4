/** A page as its recipient sees it, for a frame that runs nothing and asks for nothing. Its style stays. What acts, what loads and what
 *  leads elsewhere does not: a link becomes text with the host that it leads to, and a picture from elsewhere becomes a box that names
 *  the host. The policy of the frame forbids all of that once more. */
import { escapedText, type FramePage } from "./frame-text.ts";
import { escapeHtml } from "./html-writer.ts";
import { linkTarget } from "./links.ts";
import { textOf } from "./survey.ts";
import { attributeOf, type HtmlElement, type HtmlNode, type HtmlTree } from "./tree.ts";
import type { WorkMeter } from "./work-meter.ts";

/** What is left away with everything in it. */
const leftAway = new Set(
  "script link meta base title iframe frame frameset object embed applet param noscript noembed noframes template svg math audio video source track canvas portal fencedframe dialog select datalist".split(
    " ",
  ),
);
/** What is left away without what is in it. */
const unwrapped = new Set(
  "html head body form button label input textarea option optgroup map area slot".split(" "),
);
const empty = new Set("br hr img wbr col".split(" "));
const attributesKept = new Set(
  "style class id dir lang title align valign width height bgcolor color face size border cellpadding cellspacing colspan rowspan nowrap start type value reversed hspace vspace background-color hidden aria-hidden role".split(
    " ",
  ),
);
const hostsMax = 20;

export function writeFrame({ root }: HtmlTree, meter: WorkMeter): FramePage {
  const pieces: string[] = [];
  const cids: string[] = [];
  const remoteHosts = new Set<string>();
  let piece = "";

  const visit = (node: HtmlNode): void => {
    meter.spend(1);
    if (node.kind === "text") piece += escapedText(node.text);
    else if (node.kind === "element") visitElement(node);
  };

  function visitElement(element: HtmlElement): void {
    const { name } = element;
    if (!element.isHtml && name !== "") return;
    if (leftAway.has(name)) return;
    if (name === "style") writeStyle(element);
    else if (name === "img") writePicture(element);
    else if (name === "body") wrapped("div", element);
    else if (name === "" || unwrapped.has(name)) element.children.forEach(visit);
    else if (/^[a-z][a-z0-9-]*$/.test(name)) wrapped(name, element);
  }

  function wrapped(name: string, element: HtmlElement): void {
    piece += `<${name}${attributesOf(element)}>`;
    if (empty.has(name)) return;
    element.children.forEach(visit);
    piece += `</${name}>${name === "a" ? leadsTo(element) : ""}`;
  }

  function writeStyle(element: HtmlElement): void {
    const text = element.children.map((child) => (child.kind === "text" ? child.text : "")).join("");
    // As the text of `style` it has no end tag in it; a comment of HTML is not one there.
    piece += `<style>${text.replaceAll("</", "<\\/")}</style>`;
  }

  function writePicture(element: HtmlElement): void {
    const source = (attributeOf(element, "src") ?? "").trim();
    const alt = attributeOf(element, "alt") ?? "";
    const cid = /^cid:(.{1,300})$/is.exec(source)?.[1];
    if (cid !== undefined) {
      pieces.push(`${piece}<img alt="${escapeHtml(alt)}"${attributesOf(element)} src="`);
      cids.push(cid);
      piece = '">';
      return;
    }
    if (/^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=\s]*$/i.test(source)) {
      piece += `<img alt="${escapeHtml(alt)}"${attributesOf(element)} src="${escapeHtml(source)}">`;
      return;
    }
    const host = /^(?:https?:)?\/\//i.test(source) ? URL.parse(source, "https://x/")?.hostname : undefined;
    if (host !== undefined && remoteHosts.size < hostsMax) remoteHosts.add(host);
    const label = [alt.trim(), host].filter((text) => text !== undefined && text !== "").join(" · ");
    piece += `<span class="wp-pic">▧ ${escapedText(label)}</span>`;
  }

  root.children.forEach(visit);
  pieces.push(piece);
  return { pieces, cids, remoteHosts: [...remoteHosts] };
}

function leadsTo(element: HtmlElement): string {
  const href = attributeOf(element, "href");
  const target = href === undefined ? undefined : linkTarget(href, textOf(element), undefined);
  if (target === undefined) return "";
  const where = target === "unsafe" ? "?" : URL.parse(target.url)?.host || target.url.slice(0, 60);
  return `<span class="wp-link"> [${escapedText(where)}]</span>`;
}

function attributesOf(element: HtmlElement): string {
  let text = "";
  for (const { name, value } of element.attributes)
    if (attributesKept.has(name)) text += ` ${name}="${escapeHtml(value)}"`;
  return text;
}
