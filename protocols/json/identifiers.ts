/** Identifiers in requests. The prefix gives the kind of object; an identifier of a wrong kind is refused. */
import { WaypostError } from "#/src/model/errors.ts";
import { claimedKind, idPrefix, type ObjectKind, type ObjectName } from "#/src/model/ids.ts";
import { unknownObject } from "./errors.ts";
import type { OperationContext } from "./operation.ts";

/** Decodes an id of one of the kinds. The caller must check with `reachAgent` that it may see the owner's objects before it answers
 *  anything about the object. `field` is a JSON pointer. */
export function readId(
  context: OperationContext,
  id: string,
  accepted: readonly ObjectKind[],
  field: string,
): ObjectName {
  return decodeId(context, id, accepted, field) ?? unknownObject();
}

/** The same, but gives undefined for an unknown id instead of a refusal. */
export function decodeId(
  context: OperationContext,
  id: string,
  accepted: readonly ObjectKind[],
  field: string,
): ObjectName | undefined {
  const kind = claimedKind(id);
  const { ids } = context.rooms.mail;
  if (kind !== undefined && accepted.includes(kind)) return ids.decode(id);
  const shapes = accepted.map((one) => `${idPrefix(one)}…`).join(", ");
  // A mailbox in the place of something of it: that mailbox lists it.
  const isMailbox = kind === "agent" && ids.decode(id) !== undefined;
  const mailbox = isMailbox ? id : ids.encode("agent", context.principal.agent);
  const listing = accepted.some((one) => listed.has(one))
    ? `part.describe {"id": "${mailbox}"} lists folders, calendars and addressbooks.`
    : "search gives them.";
  const message =
    kind === undefined
      ? "This is not an identifier."
      : `This is the identifier of ${/^[ae]/.test(kind) ? "an" : "a"} ${kind}, which is not accepted here.`;
  throw new WaypostError("invalid", message, { field, hint: `Accepted: ${shapes}. ${listing}` });
}

const listed: ReadonlySet<ObjectKind> = new Set<ObjectKind>(["folder", "calendar", "addressbook"]);
