/** `message_…`: the whole message or a part of it. */

import { doubtfulMarks } from "#/src/formats/html/doubt-writer.ts";
import type { Message } from "#/src/mail/messages.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { type ReachedData, reachAgent, reachesScope } from "#/src/reach/agents.ts";
import { isVisible, reachMessage } from "#/src/reach/messages.ts";
import { missingScope } from "#/src/reach/refusals.ts";
import { type Description, describeMessagePart, noSuchPart } from "#/src/render/describe-message.ts";
import type { KeptDescription } from "#/src/render/kept-descriptions.ts";
import { messageState } from "#/src/render/message-state.ts";
import { findTarget, isPartName, type Render, rendersOf } from "#/src/render/part-target.ts";
import { shownProvenance } from "#/src/render/provenance.ts";
import { findFile } from "#/src/render/short-form.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { authorFactsOf } from "./author-facts.ts";
import { deliveryOf } from "./delivery.ts";
import { eventOfMail } from "./event-of-mail.ts";
import { splitCutLine } from "./marked-answer.ts";
import { otherNames } from "./other-names.ts";
import { cursorsOf, type Page, pageOf, placeOf } from "./page.ts";
import { openContinuation, type ReadObject } from "./part-cursor.ts";
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

/** A message, named by its own id or by that of its draft or hold. */
export interface NamedMessage {
  readonly reached: ReachedData;
  readonly message: Message;
  /** The object to which cursors are bound and whose version is answered. */
  readonly object: ReadObject;
  readonly ref: string;
}

/** The bytes of a message never change. */
export function bytesOf({ number }: Message): Pick<ReadObject, "bytesVersion"> {
  return { bytesVersion: String(number) };
}

export async function describeStoredMessage(
  context: OperationContext,
  { reached, message, object: named, ref }: NamedMessage,
  request: PartRequest,
): Promise<ReadResult> {
  const withDoubtful = request.doubtful === "include";
  if (withDoubtful && !(await reachesScope(context, message.agent, "raw"))) throw missingScope("raw");
  const object: ReadObject = withDoubtful ? { ...named, variant: " with doubtful" } : named;
  const continued = openContinuation<Render>(context, object, request);
  const part = request.part ?? continued?.part ?? "";
  if (part !== "" && !isPartName(part)) {
    const file = findFile(await context.rooms.mail.readStructure(message), part);
    throw new WaypostError("invalid", "This is not the name of a part.", {
      field: "/part",
      hint:
        file === undefined
          ? "body, headers, structure, agent, or an IMAP section such as 1.2, HEADER, 2.MIME."
          : `The file of this name is part "${file}".`,
    });
  }
  const asked = (request.render as Render | undefined) ?? continued?.render;
  const { render, description } = await readDescription(context, message, part, asked, withDoubtful);
  const page = markedPage(
    context,
    description,
    await pageOf(description, placeOf(request) ?? continued?.from ?? 0, request.max_chars),
  );
  return {
    ref: part === "" ? ref : `${ref}#${part}`,
    kind: description.kind,
    ...(page.text === undefined ? {} : { text: page.text }),
    content:
      description.kind === "message"
        ? await wholeContent(context, reached, message, page.content, description.octets !== undefined)
        : page.content,
    provenance: {
      ...shownProvenance(message, description.removed, description.isNested),
    } as ReadResult["provenance"],
    version: object.version,
    ...cursorsOf(context, object, { part, render }, page),
  };
}

/** The page with marks of their own around passages in doubt. */
function markedPage({ giveMark }: OperationContext, { text: whole = "" }: Description, page: Page): Page {
  const { text = "", from = 0 } = page;
  const { begin, end } = doubtfulMarks;
  if (!whole.includes(begin)) return page;
  const marks: string[] = [];
  const open = (): string => {
    marks.push(giveMark());
    return marks.at(-1)!;
  };
  let isOpen = whole.lastIndexOf(begin, from - 1) > whole.lastIndexOf(end, from - 1) && from > 0;
  let written = isOpen ? open() : "";
  const [body = "", cut = ""] = splitCutLine(text);
  for (const piece of body.split(passageEdge)) {
    if (piece === begin) written += open();
    else written += piece === end ? (marks.at(-1) ?? "") : piece;
    if (piece === begin || piece === end) isOpen = piece === begin;
  }
  if (isOpen) written += marks.at(-1);
  return { ...page, text: written + cut, content: { ...page.content, doubtful_marks: marks } };
}

const passageEdge = /([\ufdd0\ufdd1])/;

/** The description of the part: the remembered one, or one made now. */
export async function readDescription(
  context: OperationContext,
  message: Message,
  part: string,
  asked: Render | undefined,
  withDoubtful = false,
): Promise<KeptDescription> {
  const { mail, descriptions } = context.rooms;
  const name = { agent: message.agent, message: message.number, part, render: asked };
  const kept = withDoubtful ? undefined : descriptions.recall(name);
  if (kept !== undefined) return kept;
  const structure = await mail.readStructure(message);
  const target = findTarget(structure, part);
  if (target === undefined) throw noSuchPart();
  const accepted = rendersOf(target);
  assertRender(asked, accepted);
  const render = asked ?? accepted[0]!;
  if ((render === "raw" || render === "source") && !(await reachesScope(context, message.agent, "raw")))
    throw missingScope("raw");
  const source = { mail, readers: mail.readers, withDoubtful };
  const description = await describeMessagePart({ source, message, structure }, target, render);
  const read = { render, description };
  if (!withDoubtful) descriptions.keep(name, read);
  return read;
}

/** The content with the message's folder, its flags and its draft or hold id. With octets, only the draft or hold id is added. */
async function wholeContent(
  context: OperationContext,
  reached: ReachedData,
  message: Message,
  content: Readonly<Record<string, unknown>>,
  isOctets: boolean,
): Promise<Readonly<Record<string, unknown>>> {
  const { mail } = context.rooms;
  const readState = async () => {
    const keywords = await mail.keywordNames(message.agent);
    return messageState(mail.ids, message, keywords, (folder) => isVisible(reached, folder));
  };
  return {
    ...(isOctets ? {} : await readState()),
    ...content,
    ...(await otherNames(context, message, await foldersOf(context, message))),
    ...(isOctets ? {} : await eventOfMail(context, message)),
    ...(isOctets ? {} : await authorFactsOf(context, message)),
    ...(await deliveryOf(context, message)),
  };
}

async function foldersOf({ rooms: { mail } }: OperationContext, { agent, places }: Message) {
  const folders = await Promise.all(places.map(({ mailbox }) => mail.findMailboxByNumber(agent, mailbox)));
  return folders.filter((folder) => folder !== undefined);
}
