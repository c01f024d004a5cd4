/** Writes of events and contacts: what their operations share. */

import type { CollectionKind } from "#/src/collections/collection.ts";
import type { ItemWritten, PutItem } from "#/src/collections/collections.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import { itemKinds } from "#/src/collections/rows.ts";
import type { Idempotency } from "#/src/mail/write-once.ts";
import type { Actor } from "#/src/model/author.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { AgentNumber, Modseq } from "#/src/model/numbers.ts";
import { reachAgent, reachesScope } from "#/src/reach/agents.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import { scopeOfRight } from "#/src/reach/collection-rights.ts";
import { missingScope } from "#/src/reach/refusals.ts";
import { isAnsweredSince } from "#/src/scheduling/change-plan.ts";
import type { SchedulingOptions, SchedulingTold } from "#/src/scheduling/scheduling.ts";
import { unknownObject } from "../errors.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import { writeInOrder } from "../write-in-order.ts";
import { assertVersion } from "./container.ts";
import { instanceName } from "./instance-name.ts";
import { itemForms } from "./item-forms.ts";
import { itemId, type ReachedItem, reachNamedItem } from "./reach.ts";

type WrittenItem = Pick<PutItem, "bytes" | "provenance" | "isAuthenticated" | "attachments">;

/** Invitations that a write of an event sends; contacts have none. */
interface Invite {
  readonly invite?: "none" | "send" | undefined;
}

interface Keyed extends Readonly<Record<string, unknown>>, Invite {
  readonly idempotency_key?: string | undefined;
}

interface Change extends Keyed {
  readonly id: string;
  readonly version?: string | undefined;
}

/** Creates an item in the collection that `reach` gives. */
export async function putNewItem(
  context: OperationContext,
  kind: CollectionKind,
  operation: string,
  input: Keyed,
  reach: () => Promise<ReachedCollection>,
  make: (collection: ReachedCollection) => Promise<WrittenItem>,
) {
  const { collections } = context.rooms;
  const { agent, ...written } = await writeInOrder<ReachedCollection, ItemWritten & Said & Of>(context, {
    request: [operation, input],
    reach,
    async repeat(once, { agent }) {
      const repeat = await collections.findItemRepeat(once);
      return repeat && { ...repeat, agent };
    },
    async write(collection, once) {
      const { agent, actor, number } = collection;
      const put = { collection: number, ...(await make(collection)) };
      return { ...(await saidAtUid(() => putItem(context, { agent, actor }, put, input, once))), agent };
    },
  });
  return resultOf(context, kind, agent, input, { ...written, isCreated: true });
}

/** Points a refusal about the UID to the field of the request. */
async function saidAtUid<R>(put: () => Promise<R>): Promise<R> {
  try {
    return await put();
  } catch (error) {
    if (!isWaypostError(error) || error.details.reason !== "no-uid-conflict") throw error;
    throw new WaypostError("invalid", "An object with this uid exists already.", {
      field: "/body/uid",
      hint: "Change that one, or leave uid out.",
    });
  }
}

async function resultOf(
  context: OperationContext,
  kind: CollectionKind,
  agent: AgentNumber,
  input: Invite,
  { item, modseq, isCreated, ...said }: ItemWritten & Said,
) {
  const { collections } = context.rooms;
  const uid = (await collections.findItem(agent, item))?.uid;
  return {
    ref: collections.ids.encode(itemKinds[kind], agent, item),
    created: isCreated,
    version: String(modseq),
    ...(uid === undefined ? {} : { uid }),
    ...stateOf(context, agent, input, said),
  };
}

type Said = Partial<SchedulingTold>;

interface Of {
  readonly agent: AgentNumber;
}

/** The words for what the gate has answered: those of the delivery of mail. */
const recipientStates = {
  sent: "queued",
  delivered: "delivered",
  held: "held",
  superseded: "cancelled",
  refused: "refused",
} as const;

/** What became of the invitations. Absent in the answer to a repeat with a key. */
function stateOf(
  { rooms }: OperationContext,
  agent: AgentNumber,
  { invite }: Invite,
  { scheduling, recipients = [], warnings = [] }: Said,
) {
  if (invite !== "send" || scheduling === undefined) return {};
  const shown = recipients.map(({ hold, state, ...one }) => ({
    ...one,
    state: recipientStates[state],
    ...(hold === undefined ? {} : { hold: rooms.mail.ids.encode("hold", agent, hold) }),
  }));
  return {
    scheduling,
    ...(shown.length === 0 ? {} : { recipients: shown }),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
  };
}

type Knowledge = Pick<SchedulingOptions, "answersProposals" | "isApproving">;

/** Stores an item through scheduling; for contacts that is the same as `Collections`. */
async function putItem(
  context: OperationContext,
  { agent, actor }: { readonly agent: AgentNumber; readonly actor: Actor },
  put: PutItem,
  input: Invite,
  once: Idempotency | undefined,
  knowledge: Knowledge = {},
): Promise<ItemWritten & Said> {
  const writer = { agent, actor, principal: context.principal };
  const options = { ...(await optionsOf(context, agent, input, once)), ...knowledge };
  return context.rooms.scheduling.putItem(writer, put, options);
}

/** Invitations and answers are mail, so they need the scope `send`. */
export async function optionsOf(
  context: OperationContext,
  agent: AgentNumber,
  { invite = "none" }: Invite,
  idempotency: Idempotency | undefined,
): Promise<SchedulingOptions> {
  if (invite === "send" && !(await reachesScope(context, agent, "send"))) throw missingScope("send");
  return { messages: invite, idempotency, isMerging: true };
}

/** Changes the item that `id` names, at the version that was read. `change` gives undefined if nothing is to be written; `inside` is
 *  the text after the # of the item's own id. */
export async function changeItem(
  context: OperationContext,
  kind: CollectionKind,
  operation: string,
  input: Change,
  change: (
    stored: StoredItem,
    id: string,
    inside: string | undefined,
    collection: ReachedCollection,
  ) => Promise<WrittenItem | undefined>,
  knowledge: Knowledge = {},
) {
  const { collections } = context.rooms;
  const { agent } = readOwner(context, kind, input.id);
  const update = async (once: Idempotency | undefined): Promise<ItemWritten & Said> => {
    const reached = await reachNamedItem(context, kind, input.id, "write");
    const { collection, stored } = await assertCurrent(context, reached, input.version);
    const { number: item, modseq } = stored;
    const written = await change(stored, itemId(context, stored), reached.inside, collection);
    if (written === undefined) return { item, modseq, isCreated: false };
    const put = { collection: collection.number, item, expected: { version: input.version }, ...written };
    return withCurrentItem(context, reached, () =>
      putItem(context, { agent, actor: collection.actor }, put, input, once, knowledge),
    );
  };
  const written = await writeInOrder<unknown, ItemWritten & Said>(context, {
    request: [operation, input],
    reach: () => reachAgent(context, agent, scopeOfRight(kind, "write")),
    repeat: (once) => collections.findItemRepeat(once),
    write: (_reached, once) => update(once),
  });
  const result = await resultOf(context, kind, agent, input, written);
  const instance = namedInside(kind, input.id);
  return instance === undefined ? result : { ...result, ref: `${result.ref}#${instance}` };
}

/** The text after the # of the item's own id, so that `ref` names the same instance as `id`. */
function namedInside(kind: CollectionKind, id: string): string | undefined {
  const hash = id.indexOf("#");
  if (hash === -1 || !id.startsWith(`${itemKinds[kind]}_`)) return undefined;
  return kind === "calendar" ? instanceName(id.slice(hash + 1)) : id.slice(hash + 1);
}

export async function deleteItem(
  context: OperationContext,
  kind: CollectionKind,
  operation: string,
  input: Change,
) {
  const { collections } = context.rooms;
  const remove = async (once: Idempotency | undefined): Promise<{ readonly modseq: Modseq } & Said> => {
    const reached = await reachNamedItem(context, kind, input.id, "write");
    assertWhole(kind, reached.inside);
    const { collection, stored } = await assertCurrent(context, reached, input.version);
    const { agent, number } = stored;
    const expected = { version: input.version };
    const { actor } = collection;
    const writer = { agent, actor, principal: context.principal };
    const options = await optionsOf(context, agent, input, once);
    return withCurrentItem(context, reached, () =>
      context.rooms.scheduling.deleteItem(writer, number, expected, options),
    );
  };
  const done = await writeInOrder<unknown, { readonly modseq: Modseq } & Said>(context, {
    request: [operation, input],
    reach: () => reachAgent(context, readOwner(context, kind, input.id).agent, scopeOfRight(kind, "write")),
    repeat: (once) => collections.findItemRepeat(once),
    write: (_reached, once) => remove(once),
  });
  const { modseq } = done;
  const { agent } = readOwner(context, kind, input.id);
  return {
    ref: input.id,
    created: false,
    version: String(modseq),
    ...stateOf(context, agent, input, done),
  };
}

/** The mailbox of what an id names, a part of an item too. */
function readOwner(context: OperationContext, kind: CollectionKind, id: string): ObjectName {
  return readId(context, id.replace(/#.*/s, ""), [itemKinds[kind], kind], "/id");
}

/** Throws `invalid` if the id names a part of an item. */
export function assertWhole(kind: CollectionKind, inside: string | undefined): void {
  if (inside === undefined) return;
  throw new WaypostError("invalid", `A ${itemKinds[kind]} is named whole here.`, {
    field: "/id",
    hint: "Leave out the part after #; patch names the place inside.",
  });
}

async function assertCurrent(
  context: OperationContext,
  { collection, item }: ReachedItem,
  version: string | undefined,
): Promise<{ readonly collection: ReachedCollection; readonly stored: StoredItem }> {
  const [stored] = await context.rooms.collections.readItems(item.agent, [item.number]);
  if (stored === undefined) unknownObject();
  const current = collection.rights.has("read")
    ? await itemForms[stored.kind].shortForm(context, stored, collection)
    : {};
  // What the server and other attendees have written since is merged.
  const isKnown = version !== undefined && isAnsweredSince(stored, version);
  if (!isKnown) assertVersion(version, String(stored.modseq), current);
  return { collection, stored };
}

/** Adds the current state of the item to a refusal of the write. */
async function withCurrentItem<R>(
  context: OperationContext,
  reached: ReachedItem,
  write: () => Promise<R>,
): Promise<R> {
  try {
    return await write();
  } catch (error) {
    if (!isWaypostError(error) || error.code !== "precondition_failed") throw error;
    await assertCurrent(context, reached, undefined);
    throw error;
  }
}
