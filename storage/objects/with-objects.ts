import type { Reader } from "../sql.ts";
import type { Objects } from "./objects.ts";

/** The same rows, with the bodies that are in none of them. */
export function withObjects(reader: Reader, objects: Objects | undefined): Reader {
  return {
    get: (query, ...parameters) => reader.get(query, ...parameters),
    all: (query, ...parameters) => reader.all(query, ...parameters),
    column: (query, ...parameters) => reader.column(query, ...parameters),
    objects,
  };
}
