/** What is said of a name that no operation has. */
import { nearestName } from "#/config/nearest-name.ts";
import type { Operation } from "../operation.ts";

export function hintOfName(written: string, served: readonly Operation[]): string {
  const names = served.map(({ name }) => name);
  const near = nearestName(written, names);
  return `${near === undefined ? "" : `${near} was meant? `}One of: ${names.join(", ")}.`;
}
