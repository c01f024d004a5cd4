/** `message_…`, whole or a part of it. */

import type { Message } from "#/src/mail/messages.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { type ReachedData, reachAgent, reachesScope } from "#/src/reach/agents.ts";
import { isVisible, reachMessage } from "#/src/reach/messages.ts";
import { missingScope } from "#/src/reach/refusals.ts";
import { describeMessagePart, noSuchPart } from "#/src/render/describe-message.ts";
import { messageState } from "#/src/render/message-state.ts";
import { findTarget, isPartName, type Render, rendersOf } from "#/src/render/part-target.ts";
import { shownProvenance } from "#/src/render/provenance.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { deliveryOf } from "./delivery.ts";
import { otherNames } from "./other-names.ts";
import { pageOf } from "./page.ts";
import { openContinuation, type ReadObject, sealContinuation } from "./part-cursor.ts";
import type { PartRequest } from "./part-request.ts";

export async function describeMessage(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const reached = await reachAgent(context, name.agent, "mail:read");
  const message = await reachMessage(context, reached, name.object);
  const { number, version } = message;
  const object = { kind: "message", agent: name.agent, number, version, ...bytesOf(message) } as const;
  return describeStoredMessage(context, { reached, message, object, ref: message.id }, request);
}

/** A message under its own name or that of a draft or hold which it is. */
export interface NamedMessage {
  readonly reached: ReachedData;
  readonly message: Message;
  /** To which cursors are bound, and whose version is told. */
  readonly object: ReadObject;
  readonly ref: string;
}

/** The bytes of a message never change. */
export function bytesOf({ number }: Message): Pick<ReadObject, "bytesVersion"> {
  return { bytesVersion: String(number) };
}

export async function describeStoredMessage(
  context: OperationContext,
  { reached, message, object, ref }: NamedMessage,
  request: PartRequest,
): Promise<ReadResult> {
  const { mail } = context.rooms;
  const continued = openContinuation<Render>(context, object, request);
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
  if ((render === "raw" || render === "source") && !(await reachesScope(context, message.agent, "raw")))
    throw missingScope("raw");
  const state = messageState(mail.ids, message, await mail.keywordNames(message.agent), (folder) =>
    isVisible(reached, folder),
  );
  const described = await describeMessagePart(
    { source: { mail, readers: mail.readers }, message, structure, state },
    target,
    render,
  );
  const page = await pageOf(described, continued?.from ?? 0, request.max_chars);
  const facts =
    described.kind === "message"
      ? {
          ...(await otherNames(context, message, await mail.listMailboxes(message.agent))),
          ...(await deliveryOf(context, message)),
        }
      : undefined;
  return {
    ref: part === "" ? ref : `${ref}#${part}`,
    kind: described.kind,
    ...(page.text === undefined ? {} : { text: page.text }),
    content: { ...page.content, ...facts },
    provenance: {
      ...shownProvenance(message, described.removed, described.isNested),
    } as ReadResult["provenance"],
    version: object.version,
    ...(page.next === undefined
      ? {}
      : { cursor: sealContinuation(context, object, { part, render, from: page.next }) }),
  };
}
