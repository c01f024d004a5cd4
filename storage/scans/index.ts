/** Every long read by its name; each runs on the reader thread over one snapshot. */
import type { Reader } from "../sql.ts";
import { deletedBytes } from "./deleted-bytes.ts";
import { itemsWithText } from "./items-with-text.ts";
import { newestMessages } from "./newest-messages.ts";

// biome-ignore lint/suspicious/noExplicitAny: the arguments differ from entry to entry
export type Scan = (reader: Reader, args: any) => Promise<unknown>;

export const scans = { deletedBytes, itemsWithText, newestMessages } satisfies Record<string, Scan>;

export type ScanName = keyof typeof scans;
export type ScanArgumentsOf<N extends ScanName> = Parameters<(typeof scans)[N]>[1];
export type ScanResultOf<N extends ScanName> = Awaited<ReturnType<(typeof scans)[N]>>;
