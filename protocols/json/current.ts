/** A refused compare-and-swap says what the object is now ("Errors" of the interface, `version` and `current`), as far as the
 *  caller may read it. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";

export interface Current {
  readonly version: string;
  readonly content: Readonly<Record<string, unknown>>;
}

export async function withCurrent<R>(
  write: () => Promise<R>,
  read: () => Promise<Current | undefined>,
): Promise<R> {
  try {
    return await write();
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "precondition_failed") throw error;
    const current = await read();
    if (current === undefined) throw error;
    const { version, content } = current;
    throw new WaypostError(error.code, error.message, { ...error.details, version, current: content });
  }
}
