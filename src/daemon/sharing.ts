import { forEverybody } from "#/src/model/caller.ts";

/** Calls during one reading share its result. */
export function sharing<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined;
  return () => {
    reading ??= forEverybody(read).finally(() => {
      reading = undefined;
    });
    return reading;
  };
}
