/** `blob_…`: read like an attachment, as long as it is kept. */
import type { MimePart } from "#/src/formats/mime/structure.ts";
import type { Upload } from "#/src/mail/uploads.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { Scope } from "#/src/model/roles.ts";
import { reachAgent, reachesScope } from "#/src/reach/agents.ts";
import { assertReachesAll } from "#/src/reach/messages.ts";
import { missingScope } from "#/src/reach/refusals.ts";
import { bodyForms, renderPart, textRenderer, withoutHistory } from "#/src/render/body-text.ts";
import type { Description } from "#/src/render/describe-message.ts";
import { isReadable } from "#/src/render/part-reading.ts";
import type { Current } from "../current.ts";
import { unknownObject } from "../errors.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import { cursorsOf, pageOf, placeOf } from "./page.ts";
import { openContinuation } from "./part-cursor.ts";
import type { PartRequest } from "./part-request.ts";

/** A blob that the caller may read. It is in no folder, so grants on single folders do not reach it. */
export async function reachBlob(context: OperationContext, name: ObjectName, scope: Scope): Promise<Upload> {
  const reached = await reachAgent(context, name.agent, scope);
  assertReachesAll(reached);
  return (await context.rooms.mail.findUpload(name.agent, name.object)) ?? unknownObject();
}

/** The current state that a refused compare-and-swap answers. */
export async function findBlob(context: OperationContext, name: ObjectName): Promise<Current | undefined> {
  const blob = await context.rooms.mail.findUpload(name.agent, name.object);
  return blob && { version: blob.version, content: factsOf(blob) };
}

export async function describeBlob(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const blob = await reachBlob(context, name, "mail:read");
  const part = await context.rooms.mail.readStructure(blob);
  const accepted = isReadable(part) ? [...bodyForms, "json", "raw"] : ["json", "raw"];
  const object = { kind: "blob", ...blob, bytesVersion: blob.version } as const;
  const continued = openContinuation(context, object, request);
  assertRender(request.render, accepted);
  const render = request.render ?? continued?.render ?? accepted[0]!;
  if (render === "raw" && !(await reachesScope(context, name.agent, "raw"))) throw missingScope("raw");
  const read = await readBlob(context, blob, part, render);
  const page = await pageOf(read, placeOf(request) ?? continued?.from ?? 0, request.max_chars);
  const { text, content } = page;
  return {
    ref: request.id,
    kind: "blob",
    ...(text === undefined ? {} : { text }),
    content: { ...content },
    provenance: {
      // The content of a blob has no authenticated author.
      authenticated: false,
      removed: [...new Set(read.removed.map(({ what }) => what))],
      removed_detail: [...read.removed],
      source: "api",
    },
    version: blob.version,
    ...cursorsOf(context, object, { part: "", render }, page),
  };
}

async function readBlob(
  { rooms: { mail } }: OperationContext,
  blob: Upload,
  part: MimePart,
  render: string,
): Promise<Pick<Description, "kind" | "content" | "text" | "octets" | "removed">> {
  const facts = { kind: "attachment", content: factsOf(blob), removed: [] } as const;
  if (render === "raw")
    return {
      ...facts,
      content: { ...facts.content, encoding: "base64" },
      octets: { total: blob.size, read: (start, end) => mail.readBytes(blob, { start, end }) },
    };
  const form = bodyForms.find((one) => one === render);
  if (form === undefined) return facts;
  const whole = await renderPart({ mail, readers: mail.readers }, blob, part, form);
  const { text, removed } = form === "reply" ? await withoutHistory(mail.readers, whole) : whole;
  return { ...facts, content: { ...facts.content, renderer: textRenderer }, text, removed };
}

function factsOf(blob: Upload): Readonly<Record<string, unknown>> {
  return {
    id: blob.id,
    ...(blob.name === "" ? {} : { name: blob.name }),
    type: blob.type,
    size: blob.size,
    sha256: Buffer.from(blob.sha256).toString("hex"),
    created_at: new Date(blob.createdAt).toISOString(),
    expires_at: new Date(blob.expiresAt).toISOString(),
  };
}
