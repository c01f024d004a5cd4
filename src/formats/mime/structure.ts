/** The entry point of MIME structures: parts with byte offsets, parsed from bytes or read from the store, and finding a part. */
export type { ByteRange, MimePart } from "./part.ts";
export { findPart, sectionRange, walkParts } from "./part.ts";
export { readStructure, serializeStructure } from "./stored-structure.ts";
export { parseStructure } from "./structure-reader.ts";
