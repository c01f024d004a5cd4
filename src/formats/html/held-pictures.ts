/** Heights of pictures that go by their proportions: those of their attributes, or of a picture that the message carries in an
 *  address (`data:`), whose size stands in the first bytes of PNG, GIF and JPEG. */
import { asciiLower } from "#/src/formats/css/ascii-case.ts";
import { viewport } from "#/src/formats/css/media.ts";
import type { Box, Style } from "./computed-style.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Attributes with the address of a picture. */
const addresses = ["src", "srcset", "data", "poster"];
/** Elements that keep the proportions of their attributes. */
const proportioned = new Set(["img", "input", "video", "canvas", "object", "embed", "iframe", "picture"]);

/** The greatest height that its proportions give it, 0 where it has none; undefined where that is not known. */
export function scaledHeight(element: HtmlElement, { display, values }: Style, box: Box): number | undefined {
  if (box.height !== undefined || display === "none") return 0;
  const said = /^\s*\d+(?:\.\d+)?(?:px)?\s*$/i.test(attributeOf(element, "height") ?? "");
  const isHeightSaid = said && !values.has("height");
  if (!element.isHtml) {
    const hasBox = element.attributes.some(({ name }) => asciiLower(name) === "viewbox");
    return isHeightSaid || !hasBox ? 0 : undefined;
  }
  const [width, height] = ["width", "height"].map((name) =>
    Number.parseFloat(attributeOf(element, name) ?? ""),
  );
  const hasWidth = ["width", "min-width"].some((name) => values.has(name));
  const most = Math.max(box.asked, hasWidth ? viewport.width : 0);
  let high = 0;
  if (
    proportioned.has(element.name) &&
    width! > 0 &&
    height! > 0 &&
    (!isHeightSaid || element.name === "canvas")
  )
    high = (height! / width!) * Math.max(most, width!);
  if (isHeightSaid) return high;
  for (const address of heldAddresses(element)) {
    const size = sizeOfHeld(address);
    if (size === undefined) return undefined;
    high = Math.max(high, (size.height / size.width) * Math.max(most, size.width));
  }
  return high;
}

/** Of what the message itself carries. */
function heldAddresses(element: HtmlElement): string[] {
  const siblings = element.parent?.name === "picture" ? element.parent.children : [];
  const parts = [element, ...siblings.filter((node) => node.kind === "element" && node.name === "source")];
  return parts.flatMap((part) =>
    addresses
      .map((name) => attributeOf(part as HtmlElement, name) ?? "")
      .filter((address) => /(?:^|,)\s*data:/i.test(address)),
  );
}

/** Letters of an address that are looked at: in a JPEG, what a camera says of it stands before its size. */
const lettersMax = 120_000;

/** undefined where it is not known: a drawing has any. */
function sizeOfHeld(address: string): Size | undefined {
  const head = /^\s*data:image\/(png|gif|jpe?g);base64,/i.exec(address.slice(0, 200));
  if (head === null) return undefined;
  const bytes = Buffer.from(address.slice(head[0].length, head[0].length + lettersMax), "base64");
  const kind = asciiLower(head[1]!);
  const size = kind === "png" ? sizeOfPng(bytes) : kind === "gif" ? sizeOfGif(bytes) : sizeOfJpeg(bytes);
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function sizeOfPng(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || bytes.toString("latin1", 0, 16) !== "\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function sizeOfGif(bytes: Buffer): Size | undefined {
  if (bytes.length < 10 || !bytes.toString("latin1", 0, 6).startsWith("GIF8")) return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** ITU-T T.81, B.2.2: of the first frame header. */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    if (marker < 0xffc0 || marker > 0xfffe) return undefined;
    const isFrame = marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
  }
  return undefined;
}
