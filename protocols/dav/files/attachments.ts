/** Managed attachments (RFC 8607): POST with an action adds one to a calendar object, replaces or removes it; GET answers its bytes.
 *  A replaced attachment gets a new MANAGED-ID and a new URL, so that a client never takes the old bytes for the new ones. */
import { type NewAttachment, newManagedId } from "#/src/collections/attachments.ts";
import { parseParameterized } from "#/src/formats/mime/parameters.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { attachmentBytesMax } from "#/src/model/limits.ts";
import type { AttachmentEdit, AttachmentFacts } from "#/src/scheduling/edit-attachments.ts";
import type { DavAnswer } from "../answer.ts";
import { DavError, unmet } from "../dav-error.ts";
import { davErrorOf } from "../errors.ts";
import { attachmentsHref, encodeSegment, wholeUrl } from "../hrefs.ts";
import { readStored } from "../item-content.ts";
import { checkItemConditions, checkLocks, isUnmodified } from "../locks/conditions.ts";
import { assertRight } from "../privileges.ts";
import { assertNoBody, readOctets } from "../read-body.ts";
import type { DavRequest } from "../request.ts";
import type { AttachmentResource, ItemResource } from "../resource.ts";
import { storeItem } from "../store-item.ts";
import { caldav } from "../xml/names.ts";

/** As for files: a browser does not show the content and does not guess its type. */
export const downloadHeaders = {
  "Content-Security-Policy": "sandbox",
  "X-Content-Type-Options": "nosniff",
} as const;

export async function answerAttachment(
  request: DavRequest,
  { attachment }: AttachmentResource,
): Promise<DavAnswer> {
  const { managedId, mediaType, name } = attachment;
  // The bytes of one MANAGED-ID never change.
  const headers = { ETag: `"${managedId}"`, "Cache-Control": "private, no-cache" };
  if (isUnmodified(request, headers.ETag, Number.NaN)) return { status: 304, headers };
  const body = await request.rooms.collections.readAttachment(attachment);
  const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, hexOf)}`;
  return {
    status: 200,
    headers: {
      ...headers,
      ...downloadHeaders,
      "Content-Type": mediaType,
      "Content-Disposition": disposition,
    },
    body,
  };
}

function hexOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}

const actions = ["attachment-add", "attachment-update", "attachment-remove"] as const;
type Action = (typeof actions)[number];

/** How often the change is tried again when another write has changed the object. */
const attemptsMax = 5;

export async function changeAttachments(request: DavRequest, resource: ItemResource): Promise<DavAnswer> {
  const { parent, href } = resource;
  if (parent.kind !== "calendar") throw new DavError(405, "Only calendar objects have attachments.");
  const asked = readParameters(request);
  assertRight(parent.collection, "write", href);
  const ofIf = await checkLocks(request, [href]);
  const expected = checkItemConditions(request, resource, ofIf);
  const added = asked.action === "attachment-remove" ? undefined : await readAttachment(request);
  if (added === undefined) await assertNoBody(request);
  const edit = editOf(request, asked, added);
  for (let attempt = 1; ; attempt++)
    try {
      const answer = await store(request, resource, edit, added);
      return answerOf(answer, asked.action, added && urlOf(request, added), added);
    } catch (error) {
      const isOverruled = isWaypostError(error) && error.code === "precondition_failed";
      const isOnce = expected.version !== undefined || expected.scheduleTag !== undefined;
      if (!isOverruled || isOnce || attempt === attemptsMax) throw error;
    }

  async function store(
    { rooms, tree }: DavRequest,
    { item }: ItemResource,
    change: AttachmentEdit,
    made: NewAttachment | undefined,
  ): Promise<DavAnswer> {
    const stored = await readStored(request, item);
    const bytes = await rooms.scheduling.editAttachments(stored.bytes, change).catch((error: unknown) => {
      throw davErrorOf(error) ?? error;
    });
    return storeItem(request, {
      parent,
      segment: tree.itemSegment(parent, item),
      bytes,
      expected: { version: String(stored.modseq), ...expected },
      added: made === undefined ? [] : [made],
    });
  }
}

interface AskedChange {
  readonly action: Action;
  readonly managedId: string;
  readonly instances: readonly string[] | undefined;
}

/** RFC 8607 section 3.3. */
function readParameters({ context: { koa } }: DavRequest): AskedChange {
  const parameters = new URLSearchParams(koa.querystring);
  const only = (name: string): string | undefined => {
    const values = parameters.getAll(name);
    return values.length > 1 ? "" : values[0];
  };
  const action = actions.find((one) => one === only("action"));
  if (action === undefined)
    throw unmet(403, caldav("valid-action-parameter"), `An action is one of ${actions.join(", ")}.`);
  const managedId = only("managed-id");
  if ((action === "attachment-add") !== (managedId === undefined) || managedId === "")
    throw unmet(
      403,
      caldav("valid-managed-id-parameter"),
      "managed-id names what is updated or removed, and stands nowhere else.",
    );
  const rid = only("rid");
  if (rid === "" || (rid !== undefined && action === "attachment-update"))
    throw unmet(403, caldav("valid-rid-parameter"), "rid names instances, and an update is one of all.");
  return { action, managedId: managedId ?? "", instances: rid?.split(",").map((one) => one.trim()) };
}

const typePattern = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:\s*;[\x20-\x7e]{0,100})?$/;
const nameLengthMax = 255;

async function readAttachment(request: DavRequest): Promise<NewAttachment> {
  const { koa } = request.context;
  const bytes = await readOctets(request, attachmentBytesMax, () =>
    unmet(403, caldav("max-attachment-size"), `An attachment has at most ${attachmentBytesMax} octets.`),
  );
  const type = koa.get("Content-Type").trim();
  const { parameters } = parseParameterized(koa.get("Content-Disposition"));
  return {
    managedId: newManagedId(),
    bytes,
    type: typePattern.test(type) ? type : "application/octet-stream",
    name: nameOf(parameters.filename),
  };
}

/** The file name: the last segment, as some clients send a path, without characters that a file name cannot have. */
function nameOf(given: string | undefined): string {
  const last = given?.split(/[/\\]/).at(-1) ?? "";
  const name = last
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]/gu, "")
    .trim()
    .slice(0, nameLengthMax);
  return name === "" || name === "." || name === ".." ? "attachment" : name.toWellFormed();
}

function urlOf(request: DavRequest, { managedId, name }: NewAttachment): string {
  return wholeUrl(request, `${attachmentsHref}${managedId}/${encodeSegment(name)}`);
}

function editOf(
  request: DavRequest,
  { action, managedId, instances }: AskedChange,
  added: NewAttachment | undefined,
): AttachmentEdit {
  if (added === undefined) return { kind: "remove", managedId, instances };
  const attachment: AttachmentFacts = {
    managedId: added.managedId,
    url: urlOf(request, added),
    type: added.type,
    name: added.name,
    size: added.bytes.length,
  };
  return action === "attachment-add"
    ? { kind: "add", attachment, instances }
    : { kind: "update", managedId, attachment };
}

/** RFC 8607 sections 3.4 to 3.6. The ETag is sent only with the object, as a client without the new octets cannot use it. */
function answerOf(
  { headers = {}, body }: DavAnswer,
  action: Action,
  url: string | undefined,
  added: NewAttachment | undefined,
): DavAnswer {
  const { ETag, ...others } = headers;
  return {
    status: action === "attachment-add" ? 201 : body === undefined ? 204 : 200,
    headers: {
      ...others,
      ...(body === undefined ? {} : { ETag }),
      ...(url === undefined ? {} : { Location: url, "Cal-Managed-ID": added!.managedId }),
    },
    ...(body === undefined ? {} : { body }),
  };
}
