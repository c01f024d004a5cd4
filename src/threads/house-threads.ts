/** Every thread of the program: its source file and its memory limit. The single binary bundles these files as
 *  assets of the same names.
 *
 *  The files are in higher rooms. They are named by path and not imported, so this room does not depend on them. */

export interface ThreadKind {
  /** Name of the thread, and of the asset with its bundle in the single binary. */
  readonly name: string;
  /** Path from the root of the repository. */
  readonly source: string;
  /** Objects of JavaScript, in MiB; a thread that needs more is ended by Node. Buffers are not counted. */
  readonly heapMb: number;
  /** The part of it for young objects; absent: the default of Node. */
  readonly youngHeapMb?: number;
  /** Output of libraries while they read untrusted bytes is discarded. */
  readonly isSilent?: boolean;
  /** It runs in a process of its own. */
  readonly hasOwnProcess?: boolean;
  /** This process reads no file but its program, writes none, starts nothing and has no network. */
  readonly isConfined?: boolean;
}

/** The program of a process with one thread. */
export const processHost = { name: "process-host", source: "src/threads/process-host.ts" } as const;

export const houseThreads = {
  // Up to 2,000 jobs in flight; their bytes are buffers.
  writer: { name: "store-writer", source: "storage/sqlite/writer.ts", heapMb: 1024 },
  // Beside a store without a writer thread, which watches the main thread otherwise.
  watchdog: { name: "watchdog", source: "src/threads/watchdog-thread.ts", heapMb: 16 },
  reader: { name: "store-reader", source: "storage/threads/reader.ts", heapMb: 1024 },
  // A check holds the numbers of all that it compares.
  checker: {
    name: "store-check",
    source: "storage/threads/reader.ts",
    heapMb: 1024,
    hasOwnProcess: true,
  },
  // Imports and exports: a message or an object at a time, and the places of the objects of a calendar.
  transfer: {
    name: "transfer",
    source: "src/daemon/moving/transfer-thread.ts",
    heapMb: 512,
    hasOwnProcess: true,
  },
  // A header of 250 KB becomes about 40 MiB of fields; texts of messages are buffers.
  preparer: { name: "preparer", source: "src/arrival/preparing/preparer.ts", heapMb: 256, isSilent: true },
  // One text of 256 KiB at a time, its HTML as the reading threads have it, and the answers to searches.
  index: {
    name: "search-index",
    source: "src/render/indexing/index-thread.ts",
    heapMb: 256,
    isSilent: true,
  },
  // A calendar object or a card of 4 MiB with lines of one character is a tree of about 100 MiB, and is read beside what is written of it.
  reading: {
    name: "reading",
    source: "src/daemon/reading-thread.ts",
    heapMb: 512,
    youngHeapMb: 16,
    isSilent: true,
  },
  documents: {
    name: "documents",
    source: "src/render/threads/document-thread.ts",
    heapMb: 128,
    youngHeapMb: 16,
    isSilent: true,
    // Libraries unpack and build what the document says.
    hasOwnProcess: true,
    isConfined: true,
  },
} as const satisfies Record<string, ThreadKind>;
