/** `folder_…`: its counts, and its messages as `search` lists them. */
import type { ObjectName } from "#/src/model/ids.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import { unknownObject } from "../identifiers.ts";
import { listMessages } from "../listing.ts";
import type { OperationContext } from "../operation.ts";
import type { PartRequest } from "../operations/part/describe.ts";
import { assertVisible, reachAgent } from "../reach.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { defaultCharacters, listedItems } from "./limits.ts";

export async function describeFolder(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  assertRender(request.render, ["json"]);
  const reached = await reachAgent(context, name.agent, "mail:read");
  const folder = await context.rooms.mail.findMailboxByNumber(name.agent, name.object as MailboxNumber);
  if (folder === undefined) unknownObject("folder");
  assertVisible(reached, [folder.number]);
  const { items, cursor } = await listMessages(context, reached, {
    key: { kind: "all" },
    mailbox: folder.number,
    limit: listedItems,
    cursor: request.cursor,
    charactersMax: request.max_chars ?? defaultCharacters,
    scope: request.id,
  });
  return {
    ref: request.id,
    kind: "listing",
    content: {
      id: folder.id,
      path: folder.name,
      ...(folder.role === undefined ? {} : { role: folder.role }),
      unread: folder.unseenCount,
      total: folder.messageCount,
      items,
    },
    ...(cursor === undefined ? {} : { cursor }),
  };
}
