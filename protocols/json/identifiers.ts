/** Identifiers in requests: the prefix says the kind, and a wrong kind is refused, not guessed at. */
import { WaypostError } from "#/src/model/errors.ts";
import { claimedKind, idPrefix, type ObjectKind, type ObjectName } from "#/src/model/ids.ts";
import { unknownObject } from "./errors.ts";
import type { OperationContext } from "./operation.ts";

/** The name behind an id of one of the kinds; whose object it is has to be asked of `reachAgent` before anything else is said
 *  of it. `field` is a JSON pointer. */
export function readId(
  context: OperationContext,
  id: string,
  accepted: readonly ObjectKind[],
  field: string,
): ObjectName {
  return decodeId(context, id, accepted, field) ?? unknownObject();
}

/** The same where an unknown id is no refusal of the request: undefined. */
export function decodeId(
  context: OperationContext,
  id: string,
  accepted: readonly ObjectKind[],
  field: string,
): ObjectName | undefined {
  const kind = claimedKind(id);
  const shapes = accepted.map((one) => `${idPrefix(one)}…`).join(", ");
  if (kind === undefined)
    throw new WaypostError("invalid", "This is not an identifier.", { field, hint: `Accepted: ${shapes}` });
  if (!accepted.includes(kind))
    throw new WaypostError("invalid", `This is the identifier of a ${kind}, which is not accepted here.`, {
      field,
      hint: `Accepted: ${shapes}`,
    });
  return context.rooms.mail.ids.decode(id);
}
