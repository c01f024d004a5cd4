/** Heights of the pictures that the message carries, in an address (`data:`) or as a part (`cid:`): their size stands in the first bytes
 *  of PNG, GIF and JPEG. */
import { isHeld } from "#/src/formats/css/value-forms.ts";
import { attributeOf, type HtmlElement } from "./tree.ts";

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}
type Size = PictureSize;

/** Sizes of the pictures that are parts of the message, by Content-ID without brackets. */
export type PictureSizes = ReadonlyMap<string, PictureSize>;
export const noPictures: PictureSizes = new Map();

/** Attributes with the address of a picture. */
const addresses = ["src", "srcset", "data", "poster"];
/** The greatest height of a picture that stands in an address of the element, if it is at most so wide, or as wide as it is; 0 for
 *  none, undefined where its size is not known. */
export function heldHeight(element: HtmlElement, width: number, pictures: PictureSizes): number | undefined {
  let high = 0;
  const sizes = heldAddresses(element).map(sizeOfHeld);
  const attached = attachedBy(element);
  if (attached !== undefined) {
    const size = pictures.get(attached);
    // Without a declared width, what is not known is not scaled either.
    if (size !== undefined || width > 0) sizes.push(size);
  }
  for (const size of sizes) {
    if (size === undefined) return undefined;
    high = Math.max(high, (size.height / size.width) * Math.max(width, size.width));
  }
  return high;
}

/** Whether the message itself carries the picture, and in a kind that is surely drawn. */
export function isLoaded(element: HtmlElement, pictures: PictureSizes): boolean {
  return (
    heldAddresses(element).some((address) => sizeOfHeld(address) !== undefined) ||
    pictures.has(attachedBy(element) ?? "")
  );
}

/** Whether the message itself may carry the picture, in any kind. */
export function mayHold(element: HtmlElement): boolean {
  return heldAddresses(element).length > 0 || isHeld(attributeOf(element, "src") ?? "");
}

/** The Content-ID that a picture names; "" for a message's. */
function attachedBy(element: HtmlElement): string | undefined {
  const [, kind, cid] = /^\s*(cid|mid):(.*)$/is.exec(attributeOf(element, "src") ?? "") ?? [];
  if (kind === undefined) return undefined;
  return kind.toLowerCase() === "mid" ? "" : decodedCid(cid!.trim());
}

/** RFC 2392: a Content-ID in a URL is percent-encoded. */
export function decodedCid(cid: string): string {
  try {
    return decodeURIComponent(cid);
  } catch {
    return cid;
  }
}

/** Of what the message itself carries. */
export function heldAddresses(element: HtmlElement): string[] {
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
export function sizeOfHeld(address: string): Size | undefined {
  const head = /^\s*data:image\/(?:png|gif|jpe?g);base64,/i.exec(address.slice(0, 200));
  if (head === null) return undefined;
  return sizeOfPicture(Buffer.from(address.slice(head[0].length, head[0].length + lettersMax), "base64"));
}

/** By its first octets, as browsers tell the kinds apart; undefined where it is not known. */
export function sizeOfPicture(bytes: Buffer): PictureSize | undefined {
  const size = sizeOfPng(bytes) ?? sizeOfGif(bytes) ?? sizeOfJpeg(bytes);
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
