/** The stylesheet and the script, under names that change with their content, so that browsers keep them for ever. */
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress } from "node:zlib";
import { scriptText, stylesheetText } from "./assets/texts.ts";

export interface Asset {
  readonly path: string;
  readonly type: string;
  readonly text: Buffer;
  /** Compressed at the first request. */
  compressed(): Promise<Buffer>;
}

function asset(name: string, type: string, content: string): Asset {
  const text = Buffer.from(content);
  const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
  let compressed: Promise<Buffer> | undefined;
  return {
    path: `/assets/${digest}/${name}`,
    type,
    text,
    compressed: () => {
      compressed ??= promisify(brotliCompress)(text);
      return compressed;
    },
  };
}

export const stylesheet = asset("waypost.css", "text/css; charset=utf-8", stylesheetText);
export const script = asset("waypost.js", "text/javascript; charset=utf-8", scriptText);
