/** `ag_…`: addresses, state, folders with counts, reach. A reader finds everything else from here. */

import type { CollectionKind } from "#/src/collections/collection.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type ReachedData, reachAgent, reachesScope } from "#/src/reach/agents.ts";
import { isVisible } from "#/src/reach/messages.ts";
import { collectionFacts } from "../collections/container.ts";
import { listReadable } from "../collections/reach.ts";
import { unknownObject } from "../errors.ts";
import { folderFacts } from "../folders/folder-facts.ts";
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
  const mailbox = await reachIfAny(context, name.agent);
  const facts = await accounts.findAgentFacts(name.agent);
  if (facts === undefined) unknownObject();
  const folders =
    mailbox === undefined
      ? undefined
      : (await mail.listMailboxes(name.agent)).filter((one) => isVisible(mailbox, one.number));
  const isOwn = name.agent === context.principal.agent;
  const addressbooks = await listWithShared(context, "addressbook", name.agent, isOwn);
  const calendars = await listWithShared(context, "calendar", name.agent, isOwn);
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
      ...(await shownQuota(context, name.agent, mailbox)),
      ...(folders === undefined
        ? {}
        : { folders: folders.map((one) => ({ ...folderFacts(one), size: one.byteCount })) }),
      calendars,
      addressbooks,
      ...(isOwn ? { reach: await shownReach(context) } : {}),
    },
    version: String(await feed.position(name.agent)),
  };
}

/** What a refusal with over_quota is about. Only who reaches all mail is told: the sum says how much is in the folders of others. */
async function shownQuota(context: OperationContext, agent: AgentNumber, mailbox: ReachedData | undefined) {
  if (mailbox === undefined || mailbox.objects.mailbox !== "all") return {};
  const quota = await context.rooms.mail.readQuota(agent);
  if (quota === undefined) return {};
  const { byteCount, byteLimit } = quota;
  return { quota: { bytes: byteCount, ...(byteLimit === undefined ? {} : { bytes_max: byteLimit }) } };
}

/** Of the own mailbox, also those that others share, which may have the same names: `owner` says whose they are. */
async function listWithShared(
  context: OperationContext,
  kind: CollectionKind,
  agent: AgentNumber,
  isOwn: boolean,
) {
  const own = await listReadable(context, kind, agent);
  const shown = own.map((one) => collectionFacts(context, one));
  if (!isOwn) return shown;
  const others = new Map(
    (await context.rooms.accounts.listReach(context.principal)).map((one) => [one.agent, one]),
  );
  others.delete(agent);
  for (const [other, { name, address }] of others) {
    const owner = { id: context.rooms.mail.ids.encode("agent", other), name, address };
    for (const one of await listReadable(context, kind, other))
      shown.push({ ...collectionFacts(context, one), owner });
  }
  return shown;
}

/** The mail that is reached there; undefined where calendars or contacts alone are. Throws where nothing is. */
async function reachIfAny(context: OperationContext, agent: AgentNumber): Promise<ReachedData | undefined> {
  if (await reachesScope(context, agent, "mail:read")) return reachAgent(context, agent, "mail:read");
  const others = ["calendar:read", "contacts:read"] as const;
  for (const scope of others) if (await reachesScope(context, agent, scope)) return undefined;
  return reachAgent(context, agent, "mail:read");
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
