/** What makes the pages an app on the home screen of a phone, where alone an iPhone takes pushes: the manifest (W3C Web Application Manifest),
 *  its icons, and the service worker with its words. */
import { crc32, deflateSync } from "node:zlib";
import { workerText } from "./assets/texts.ts";
import { languages, wordsOf } from "./words/words.ts";

export interface HomeScreenFile {
  readonly type: string;
  readonly content: Buffer;
}

const paper = [255, 255, 255];
const ink = [10, 102, 72];
const iconSizes = [192, 512];

const made = new Map<string, HomeScreenFile>();
const makers = new Map<string, () => HomeScreenFile>([
  ["/manifest.webmanifest", manifest],
  ["/service-worker.js", worker],
  ...iconSizes.map((size) => [`/icon-${size}.png`, () => icon(size)] as const),
]);

/** Made at the first request. */
export function homeScreenFile(path: string): HomeScreenFile | undefined {
  const file = made.get(path) ?? makers.get(path)?.();
  if (file !== undefined) made.set(path, file);
  return file;
}

function manifest(): HomeScreenFile {
  const content = {
    name: "Waypost",
    id: "/approvals",
    start_url: "/approvals",
    scope: "/",
    display: "standalone",
    icons: iconSizes.map((size) => ({
      src: `/icon-${size}.png`,
      sizes: `${size}x${size}`,
      type: "image/png",
      purpose: "any maskable",
    })),
  };
  return { type: "application/manifest+json", content: Buffer.from(JSON.stringify(content)) };
}

function worker(): HomeScreenFile {
  const words = Object.fromEntries(languages.map((language) => [language, wordsOf(language).push]));
  return {
    type: "text/javascript; charset=utf-8",
    content: Buffer.from(`const words = ${JSON.stringify(words)};\n${workerText}`),
  };
}

/** The sign of the head, on paper, as PNG with a palette. */
function icon(size: number): HomeScreenFile {
  const rows = Buffer.alloc((size + 1) * size);
  for (let y = 0; y < size; y++)
    for (let x = 0; x < size; x++) rows[y * (size + 1) + 1 + x] = isInk(x / size, y / size) ? 1 : 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  // 8 bits of a palette.
  head.set([8, 3, 0, 0, 0], 8);
  const pieces = [
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", head),
    chunk("PLTE", Buffer.from([...paper, ...ink])),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return { type: "image/png", content: Buffer.concat(pieces) };
}

/** A flag with a point, on its pole: within the circle that every phone shows. */
function isInk(across: number, down: number): boolean {
  const [x, y] = [across * 44 - 11, down * 44 - 9];
  const isFlag = y >= 3 && y <= 12 && x >= 2 && x <= 20 - Math.abs(y - 7.5);
  return isFlag || (y > 12 && y <= 26 && x >= 9 && x <= 12);
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
