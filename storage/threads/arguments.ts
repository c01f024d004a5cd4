/** Prepares arguments for another thread. */

/** Cloning an array copies its whole underlying memory, and a small Buffer is a view into Node's shared pool: such views are replaced
 *  by separate arrays. Returns the octets of all arrays. */
export function packArguments<T>(value: T): { packed: T; bytes: number } {
  let bytes = 0;
  const pack = (part: unknown): unknown => {
    if (part === null || typeof part !== "object") return part;
    if (part instanceof Uint8Array) {
      bytes += part.byteLength;
      return part.byteLength === part.buffer.byteLength ? part : new Uint8Array(part);
    }
    // Lists of numbers and of ranges are long and hold no arrays of octets.
    if (Array.isArray(part)) return isNumeric(part) ? part : part.map(pack);
    const copy: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(part)) copy[key] = pack(field);
    return copy;
  };
  return { packed: pack(value) as T, bytes };
}

function isNumeric(list: readonly unknown[]): boolean {
  const first = Array.isArray(list[0]) ? (list[0] as unknown[])[0] : list[0];
  return typeof first === "number";
}
