/** `message_…`, whole or a part of it. */

import type { Message } from "#/src/mail/messages.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { textRenderer } from "#/src/render/body-text.ts";
import { type Description, describeMessagePart, noSuchPart } from "#/src/render/describe-message.ts";
import { messageState } from "#/src/render/message-state.ts";
import { pageText } from "#/src/render/page-text.ts";
import { findTarget, isPartName, type Render, rendersOf } from "#/src/render/part-target.ts";
import { shownProvenance } from "#/src/render/provenance.ts";
import type { OperationContext } from "../operation.ts";
import type { PartRequest } from "../operations/part/describe.ts";
import { reachAgent, reachMessage } from "../reach.ts";
import type { ReadResult } from "../schemas.ts";
import { missingScope } from "../scopes.ts";
import { assertRender } from "./assert-render.ts";
import { defaultCharacters, octetsPerAnswer } from "./limits.ts";

/** What a cursor goes on with; `from` counts UTF-16 units of the text or octets. */
interface Continuation {
  readonly part: string;
  readonly render: Render;
  readonly from: number;
}

export async function describeMessage(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const { mail } = context.rooms;
  const reached = await reachAgent(context, name.agent, "mail:read");
  const message = await reachMessage(context, reached, name.object);
  const continued = request.cursor ? readCursor(context, message, request, request.cursor) : undefined;
  const part = request.part ?? continued?.part ?? "";
  if (part !== "" && !isPartName(part))
    throw new WaypostError("invalid", "This is not the name of a part.", {
      field: "/part",
      hint: "body, headers, structure, agent, or an IMAP section such as 1.2, HEADER, 2.MIME.",
    });
  const structure = await mail.readStructure(message);
  const target = findTarget(structure, part);
  if (target === undefined) throw noSuchPart();
  const accepted = rendersOf(target);
  assertRender(request.render, accepted);
  const render = (request.render as Render | undefined) ?? continued?.render ?? accepted[0]!;
  if ((render === "raw" || render === "source") && !(await reachesRaw(context, message)))
    throw missingScope("raw");
  const state = messageState(mail.ids, message, await mail.keywordNames(name.agent), reached.isVisible);
  const described = await describeMessagePart(
    { source: { mail, html: context.html }, message, structure, state },
    target,
    render,
  );
  const page = await pageOf(described, continued?.from ?? 0, request.max_chars);
  return {
    ref: part === "" ? message.id : `${message.id}#${part}`,
    kind: described.kind,
    ...(page.text === undefined ? {} : { text: page.text }),
    content: page.content,
    provenance: {
      ...shownProvenance(message, described.removed, described.isNested),
    } as ReadResult["provenance"],
    version: message.version,
    ...(page.next === undefined ? {} : { cursor: sealCursor(context, message, part, render, page.next) }),
  };
}

async function reachesRaw(context: OperationContext, message: Message): Promise<boolean> {
  if (message.agent === context.principal.agent) return context.principal.scopes.has("raw");
  const reach = await context.rooms.accounts.listReach(context.principal);
  return reach.some((one) => one.agent === message.agent && one.scopes.has("raw"));
}

interface Page {
  readonly text?: string;
  readonly content: Record<string, unknown>;
  readonly next: number | undefined;
}

async function pageOf(described: Description, from: number, maxChars: number | undefined): Promise<Page> {
  const { octets, text, content } = described;
  if (octets !== undefined) {
    // Base64 of three octets is four characters.
    const most = maxChars === undefined ? octetsPerAnswer : Math.floor(maxChars / 4) * 3;
    const end = Math.min(octets.total, from + most);
    const bytes = Buffer.from(await octets.read(from, end));
    return {
      content: {
        ...content,
        data: bytes.toString("base64"),
        range: { start: from, end, total: octets.total },
      },
      next: end < octets.total ? end : undefined,
    };
  }
  if (text === undefined) return { content: { ...content }, next: undefined };
  const page = pageText(text, from, maxChars ?? defaultCharacters);
  const range = { start: page.start, end: page.end };
  const isText = described.kind === "body" || described.kind === "attachment";
  return {
    text: page.text,
    content: isText ? { ...content, chars_total: page.total, range } : { ...content },
    next: page.next,
  };
}

function sealCursor(
  context: OperationContext,
  message: Message,
  part: string,
  render: Render,
  from: number,
): string {
  const { agent, number, version } = message;
  return context.rooms.feed.seal("part").seal([agent, number, version, textRenderer, part, render, from]);
}

function readCursor(
  context: OperationContext,
  message: Message,
  request: PartRequest,
  cursor: string,
): Continuation {
  const value = context.rooms.feed.seal("part").open(cursor);
  const [agent, number, version, renderer, part, render, from] = (value ?? []) as [
    number,
    number,
    string,
    string,
    string,
    Render,
    number,
  ];
  const isSame =
    agent === message.agent &&
    number === message.number &&
    (request.part === undefined || request.part === part) &&
    (request.render === undefined || request.render === render);
  if (value === undefined || !isSame)
    throw new WaypostError("invalid", "The cursor does not go on with this reading.", {
      field: "/cursor",
      hint: "Repeat the request that gave the cursor, with nothing changed but cursor and max_chars.",
    });
  if (version !== message.version || renderer !== textRenderer)
    throw new WaypostError("precondition_failed", "The object has changed since the reading began.", {
      version: message.version,
      hint: "Begin again without cursor.",
    });
  return { part, render, from };
}
