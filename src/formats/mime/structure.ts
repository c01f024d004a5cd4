/** MIME structure of a message: its parts with byte offsets, from the bytes or from the store, and how to find them. */
export type { ByteRange, MimePart } from "./part.ts";
export { findPart, sectionRange, walkParts } from "./part.ts";
export { readStructure, serializeStructure } from "./stored-structure.ts";
export { parseStructure } from "./structure-reader.ts";
