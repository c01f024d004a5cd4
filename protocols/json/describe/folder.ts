/** `folder_…`: its counts, and its messages as `search` lists them. */
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { assertReachesAll, assertVisible } from "#/src/reach/messages.ts";
import type { Current } from "../current.ts";
import { unknownObject } from "../errors.ts";
import { folderFacts } from "../folders/folder-facts.ts";
import { listedContent, listMessages } from "../listing.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { listedItems } from "./limits.ts";
import type { PartRequest } from "./part-request.ts";

/** A folder, for a caller that reaches all folders of the mailbox: only such a caller may change folders. */
export async function reachFolderWhole(
  context: OperationContext,
  name: ObjectName,
): Promise<{ readonly reached: ReachedData; readonly folder: Mailbox }> {
  const reached = await reachAgent(context, name.agent, "mail");
  assertReachesAll(reached);
  const folder = await context.rooms.mail.findMailboxByNumber(name.agent, name.object as MailboxNumber);
  return { reached, folder: folder ?? unknownObject() };
}

/** The current state that a refused compare-and-swap answers. */
export async function findFolder(context: OperationContext, name: ObjectName): Promise<Current | undefined> {
  const folder = await context.rooms.mail.findMailboxByNumber(name.agent, name.object as MailboxNumber);
  return folder && { version: folder.version, content: { ...folderFacts(folder) } };
}

export async function describeFolder(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  assertRender(request.render, ["json"]);
  const reached = await reachAgent(context, name.agent, "mail:read");
  const folder = await context.rooms.mail.findMailboxByNumber(name.agent, name.object as MailboxNumber);
  if (folder === undefined) unknownObject();
  assertVisible(reached, [folder.number]);
  const listing = await listMessages(context, reached, {
    key: { kind: "all" },
    mailbox: folder.number,
    limit: listedItems,
    cursor: request.cursor,
    charactersMax: request.max_chars,
    scope: request.id,
  });
  return {
    ref: request.id,
    kind: "listing",
    content: {
      ...folderFacts(folder),
      ...listedContent(listing),
    },
    version: folder.version,
    ...(listing.cursor === undefined ? {} : { cursor: listing.cursor }),
  };
}
