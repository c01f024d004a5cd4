/** `thread_…`: the messages of a conversation, newest first. */
import type { ObjectName } from "#/src/model/ids.ts";
import type { ThreadNumber } from "#/src/model/numbers.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { assertVisible } from "#/src/reach/messages.ts";
import { unknownObject } from "../errors.ts";
import { listedContent, listMessages } from "../listing.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { listedItems } from "./limits.ts";
import type { PartRequest } from "./part-request.ts";

export async function describeThread(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  assertRender(request.render, ["json"]);
  const { mail } = context.rooms;
  const reached = await reachAgent(context, name.agent, "mail:read");
  const thread = name.object as ThreadNumber;
  const [newest] = await mail.listNewestMessages(name.agent, { thread, limit: 1 });
  if (newest === undefined) unknownObject();
  const listing = await listMessages(context, reached, {
    thread,
    key: { kind: "all" },
    limit: listedItems,
    cursor: request.cursor,
    charactersMax: request.max_chars,
    scope: request.id,
  });
  // A conversation with no message in the caller's reach is answered like an unknown one.
  const { items } = listing;
  if (items.length === 0 && listing.cursor === undefined && !request.cursor) assertVisible(reached, []);
  return {
    ref: request.id,
    kind: "thread",
    content: { id: request.id, subject: items[0]?.subject ?? "", ...listedContent(listing) },
    // The version of a conversation is that of its newest message.
    version: newest.version,
    ...(listing.cursor === undefined ? {} : { cursor: listing.cursor }),
  };
}
