import type { Reader } from "../sql.ts";
import type { Objects } from "./objects.ts";

/** A reader that adds the bodies from the object store to the rows. */
export function withObjects(reader: Reader, objects: Objects | undefined): Reader {
  return {
    get: (query, ...parameters) => reader.get(query, ...parameters),
    all: (query, ...parameters) => reader.all(query, ...parameters),
    column: (query, ...parameters) => reader.column(query, ...parameters),
    objects,
  };
}
