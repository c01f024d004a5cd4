/** `ag_…`: addresses, state, folders with counts, reach. A reader finds everything else from here. */
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { isVisible } from "#/src/reach/messages.ts";
import { collectionFacts } from "../collections/container.ts";
import { listReadable } from "../collections/reach.ts";
import { unknownObject } from "../errors.ts";
import { roleField } from "../folders/folder-role.ts";
import type { OperationContext } from "../operation.ts";
import { type ReadResult, shownPause } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import type { PartRequest } from "./part-request.ts";

export async function describeAgent(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  assertRender(request.render, ["json"]);
  if (request.cursor)
    throw new WaypostError("invalid", "The description of a mailbox has one page.", {
      field: "/cursor",
      hint: "Leave cursor out.",
    });
  const { mail, accounts, feed } = context.rooms;
  const reached = await reachAgent(context, name.agent, "mail:read");
  const facts = await accounts.findAgentFacts(name.agent);
  if (facts === undefined) unknownObject();
  const folders = (await mail.listMailboxes(name.agent)).filter((one) => isVisible(reached, one.number));
  const addressbooks = await listReadable(context, "addressbook", name.agent);
  const calendars = await listReadable(context, "calendar", name.agent);
  return {
    ref: request.id,
    kind: "agent",
    content: {
      id: request.id,
      kind: facts.kind,
      name: facts.name,
      address: facts.address,
      addresses: facts.addresses,
      state: facts.state,
      ...(facts.pause === undefined ? {} : { paused: shownPause(facts.pause) }),
      folders: folders.map((one) => ({
        id: one.id,
        path: one.name,
        ...roleField(one.role),
        total: one.messageCount,
        unread: one.unseenCount,
        size: one.byteCount,
      })),
      calendars: calendars.map((one) => collectionFacts(context, one)),
      addressbooks: addressbooks.map((one) => collectionFacts(context, one)),
      ...(name.agent === context.principal.agent ? { reach: await shownReach(context) } : {}),
    },
    version: String(await feed.position(name.agent)),
  };
}

/** The mailboxes that the credential reaches, its own mailbox first. */
export async function shownReach(
  context: OperationContext,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { mail, accounts } = context.rooms;
  const shown = [];
  for (const { agent, address, name, scopes, objects } of await accounts.listReach(context.principal)) {
    const reached = objects.mailbox;
    const listed = reached === "all" ? [] : await mail.listMailboxes(agent);
    const names = listed
      .filter(({ number }) => reached === "all" || reached.has(number))
      .map(({ name }) => name);
    const folders = reached === "all" ? "all" : names;
    shown.push({ mailbox: mail.ids.encode("agent", agent), address, name, scopes: [...scopes], folders });
  }
  return shown;
}
