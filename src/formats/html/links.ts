/** Where links lead: the address itself, in the form that a browser would go to, and whether it is what it seems. */
import { attributeOf, type HtmlElement, type HtmlNode } from "./tree.ts";

export interface LinkTarget {
  readonly url: string;
  /** Leads elsewhere than its text says, or hides its host behind a user name. */
  readonly isMisleading: boolean;
}

/** Longer addresses are cut; a tracking link has 300. */
const urlLengthMax = 2000;
/** Of a host, with user name and port. A host has 253 octets (RFC 1035 section 2.3.4); of a longer one with letters beyond ASCII the
 *  URL parser takes time that grows with the square. */
const authorityMax = 500;
const activeSchemes: ReadonlySet<string> = new Set([
  "javascript:",
  "vbscript:",
  "data:",
  "file:",
  "blob:",
  "about:",
  "filesystem:",
  "view-source:",
]);

/** undefined: leads nowhere. "unsafe": runs something, or cannot be read. */
export function linkTarget(
  href: string,
  label: string,
  base: string | undefined,
): LinkTarget | "unsafe" | undefined {
  const text = href.trim();
  if (text === "" || text.startsWith("#")) return undefined;
  if ((authority.exec(text)?.[1]?.length ?? 0) > authorityMax) return "unsafe";
  let url: URL;
  try {
    url = new URL(text, base);
  } catch {
    // Without a scheme it leads nowhere from a mail.
    return /^\W*[a-z](?:[+.-]*[a-z0-9])*\W*:/i.test(text) ? "unsafe" : undefined;
  }
  if (activeSchemes.has(url.protocol)) return "unsafe";
  const shown = url.href.replaceAll(/[<>"\\^`{|}\s]/g, (character) => encodeURIComponent(character));
  return {
    url: shown.length > urlLengthMax ? `${shown.slice(0, urlLengthMax)}…` : shown,
    isMisleading: url.username !== "" || pretends(label, url),
  };
}

/** What stands in the place of user, host and port, where a browser sees one (URL Standard, "special scheme"). */
const authority = /^(?:(?:https?|ftp|wss?|file):[/\\]*|[/\\]{2,})([^/\\?#]*)/i;

const hostText = /^(?:https?:\/\/|www\.)?((?:[\p{L}\p{N}_-]+\.)+\p{L}{2,})(?::\d+)?(?:[/?#]\S*)?$/iu;

/** The text of the link is the address of another host. */
function pretends(label: string, url: URL): boolean {
  if (url.protocol !== "http:" && url.protocol !== "https:") return false;
  const match = hostText.exec(label.trim());
  if (match === null || match[1]!.length > authorityMax) return false;
  const said = hostOf(match[1]!);
  const real = url.hostname.replace(/^www\./, "");
  return said !== undefined && real !== said && !real.endsWith(`.${said}`);
}

function hostOf(name: string): string | undefined {
  return URL.parse(`http://${name}/`)?.hostname.replace(/^www\./, "");
}

/** Whether the text of a link says its address already. */
export function saysAddress(label: string, url: string): boolean {
  const plain = (text: string): string =>
    text
      .trim()
      .toLowerCase()
      .replace(/^(?:https?:\/\/|mailto:|tel:)/, "")
      .replace(/\/$/, "");
  return plain(label) === plain(url);
}

/** The `href` of the first `base` element. */
export function baseOf(root: HtmlElement): string | undefined {
  const stack: HtmlNode[] = [root];
  while (stack.length > 0) {
    const node = stack.pop()!;
    if (node.kind !== "element") continue;
    if (node.name === "base") {
      const href = attributeOf(node, "href");
      if (href !== undefined && URL.canParse(href)) return href;
    }
    for (let at = node.children.length - 1; at >= 0; at--) stack.push(node.children[at]!);
  }
  return undefined;
}
