/** The attachments of a mail: blobs, data in the request, parts of stored messages. */
import type { MimePart } from "#/src/formats/mime/structure.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { claimedKind } from "#/src/model/ids.ts";
import type { Attachment } from "#/src/outbound/composition.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { reachMessage } from "#/src/reach/messages.ts";
import { readDecodedPart } from "#/src/render/decoded-part.ts";
import { shownName } from "#/src/render/message-content.ts";
import { findTarget } from "#/src/render/part-target.ts";
import { createRemovalTally } from "#/src/render/removal.ts";
import { readBase64 } from "../carriage/base64.ts";
import { reachBlob } from "../describe/blob.ts";
import { type AttachmentInput, attachmentForm } from "../describe/message-body.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";

const defaultType = "application/octet-stream";

/** The attachments in the order of the request. Throws `invalid` at the field of a wrong one, `not_found` and `forbidden_scope` for
 *  objects that the caller may not read. */
export async function readAttachments(
  context: OperationContext,
  inputs: readonly AttachmentInput[],
): Promise<Attachment[]> {
  const attachments: Attachment[] = [];
  let room = context.rooms.settings.smtp.maxMessageBytes;
  for (const [index, input] of inputs.entries()) {
    const attachment = await readAttachment(context, input, `/body/attachments/${index}`, room);
    room -= attachment.content.length;
    if (room < 0) throw tooLarge(context, `/body/attachments/${index}`);
    attachments.push({ ...attachment, ...(input.cid === undefined ? {} : { cid: input.cid }) });
  }
  return attachments;
}

function tooLarge({ rooms }: OperationContext, field: string): WaypostError {
  return new WaypostError("invalid", "The mail would be too large.", {
    field,
    hint: `A mail has at most ${rooms.settings.smtp.maxMessageBytes} octets.`,
  });
}

async function readAttachment(
  context: OperationContext,
  { blob, data, part, name, type }: AttachmentInput,
  field: string,
  room: number,
): Promise<Attachment> {
  if ([blob, data, part].filter((source) => source !== undefined).length !== 1)
    throw new WaypostError("invalid", "An attachment has exactly one source.", {
      field,
      hint: attachmentForm,
    });
  if (type !== undefined && /^multipart\//i.test(type))
    throw new WaypostError("invalid", "A multipart cannot be attached.", {
      field: `${field}/type`,
      hint: attachmentForm,
    });
  const found = await readSource();
  return { ...found, name: name ?? (found.name || "attachment"), type: type ?? found.type };

  async function readSource(): Promise<Attachment> {
    if (data !== undefined)
      return { content: readBase64(data, `${field}/data`), name: "", type: defaultType };
    if (blob !== undefined) return readBlob(context, blob, field, room);
    return readStoredPart(context, part!, `${field}/part`, room);
  }
}

async function readBlob(
  context: OperationContext,
  id: string,
  field: string,
  room: number,
): Promise<Attachment> {
  const upload = await reachBlob(context, readId(context, id, ["blob"], `${field}/blob`), "mail:read");
  if (upload.size > room) throw tooLarge(context, field);
  const content = await context.rooms.mail.readBytes(upload);
  return { content, name: upload.name, type: upload.type };
}

/** The part that `message_…#1.2` names, with its transfer encoding decoded. */
async function readStoredPart(
  context: OperationContext,
  ref: string,
  field: string,
  room: number,
): Promise<Attachment> {
  const { mail } = context.rooms;
  if (claimedKind(ref) === undefined) throw namesNoPart(field);
  const split = ref.indexOf("#");
  const name = readId(context, split < 0 ? ref : ref.slice(0, split), ["message"], field);
  const message = await reachMessage(
    context,
    await reachAgent(context, name.agent, "mail:read"),
    name.object,
  );
  const target = split < 0 ? undefined : findTarget(await mail.readStructure(message), ref.slice(split + 1));
  if (target?.kind !== "part" || target.part.type === "multipart") throw namesNoPart(field);
  const { part } = target;
  if (part.bodyEnd - part.bodyStart > room * 2) throw tooLarge(context, field);
  const { bytes } = await readDecodedPart(mail, message, part);
  return { content: bytes, name: shownName(part, createRemovalTally()), type: typeOf(part) };
}

function namesNoPart(field: string): WaypostError {
  return new WaypostError("invalid", "This names no part that can be attached.", {
    field,
    hint: "message_…#1.2: a message, and the section of one of its parts as part.describe shows them.",
  });
}

function typeOf({ type, subtype, parameters }: MimePart): string {
  if (!/^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/.test(`${type}/${subtype}`)) return defaultType;
  const { charset } = parameters;
  const isKnown = type === "text" && charset !== undefined && /^[\w.:-]{1,40}$/.test(charset);
  return `${type}/${subtype}${isKnown ? `; charset=${charset}` : ""}`;
}
