/** The messages that one request names. In a batch each id has its own result: a message that may not be changed is left out, and
 *  its result has the refusal. */
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { reachMessageIfAny } from "#/src/reach/messages.ts";
import { asRefusal, noSuchObject } from "../errors.ts";
import { decodeId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";

export interface MessagePlace {
  readonly id: string;
  /** undefined for an id that does not exist. */
  readonly name: ObjectName | undefined;
  /** Why the message is left out. */
  refusal: WaypostError | undefined;
}

interface Named {
  readonly id?: string | undefined;
  readonly ids?: readonly string[] | undefined;
}

export function readPlaces(context: OperationContext, input: Named): MessagePlace[] {
  if ((input.id === undefined) === (input.ids === undefined))
    throw new WaypostError("invalid", "Exactly one of id and ids is needed.", {
      field: "/id",
      hint: 'Send id: "message_…", or ids with 1 to 100 of them.',
    });
  const read = (id: string, field: string): MessagePlace => {
    const name = decodeId(context, id, ["message"], field);
    return { id, name, refusal: name === undefined ? noSuchObject : undefined };
  };
  if (input.id !== undefined) return [read(input.id, "/id")];
  return input.ids!.map((id, index) => read(id, `/ids/${index}`));
}

export type ReachedMailboxes = ReadonlyMap<AgentNumber, ReachedData | WaypostError>;

/** Which of their mailboxes the login reaches now. Sets the refusal of each place in another one; a single message is refused at once. */
export async function reachMailboxes(
  context: OperationContext,
  places: readonly MessagePlace[],
  isBatch: boolean,
): Promise<ReachedMailboxes> {
  const mailboxes = new Map<AgentNumber, ReachedData | WaypostError>();
  for (const place of places) {
    if (place.name === undefined) continue;
    const { agent } = place.name;
    const mailbox = mailboxes.get(agent) ?? (await orRefusal(() => reachAgent(context, agent, "mail")));
    mailboxes.set(agent, mailbox);
    if (!(mailbox instanceof WaypostError)) continue;
    if (!isBatch) throw mailbox;
    place.refusal = mailbox;
  }
  return mailboxes;
}

/** Sets the refusal of each place whose message is left out. Gives the mailbox of the other messages; undefined if there are none. */
export async function reachPlaces(
  context: OperationContext,
  mailboxes: ReachedMailboxes,
  places: readonly MessagePlace[],
): Promise<ReachedData | undefined> {
  let only: ReachedData | undefined;
  for (const [index, place] of places.entries()) {
    const mailbox = place.name && mailboxes.get(place.name.agent);
    if (mailbox === undefined || mailbox instanceof WaypostError) continue;
    only ??= mailbox;
    if (only.agent !== mailbox.agent)
      throw new WaypostError("invalid", "The messages are in different mailboxes.", {
        field: `/ids/${index}`,
        hint: "Send one request for each mailbox.",
      });
    const found = await orRefusal(() => reachMessageIfAny(context, mailbox, place.name!.object));
    if (found === undefined) place.refusal = noSuchObject;
    else if (found instanceof WaypostError) place.refusal = found;
  }
  return places.every(({ refusal }) => refusal !== undefined) ? undefined : only;
}

async function orRefusal<R>(read: () => Promise<R>): Promise<R | WaypostError> {
  try {
    return await read();
  } catch (error) {
    if (isWaypostError(error) && (error.code === "not_found" || error.code === "forbidden_scope"))
      return asRefusal(error);
    throw error;
  }
}

/** Adds to a refusal of the write which of several messages it is about. */
export function namingPlace(error: unknown, places: readonly MessagePlace[]): unknown {
  if (!isWaypostError(error) || error.details.object === undefined) return error;
  const place = places.find(({ name }) => name?.object === error.details.object);
  if (place === undefined) return error;
  const hint = `It is about ${place.id}; nothing was changed. ${error.details.hint ?? "Send the others without it."}`;
  return new WaypostError(error.code, error.message, { ...error.details, hint });
}
