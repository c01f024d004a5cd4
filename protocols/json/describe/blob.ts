/** `blob_…`: read like an attachment, for as long as it is kept. */
import type { MimePart } from "#/src/formats/mime/structure.ts";
import type { Upload } from "#/src/mail/uploads.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { Scope } from "#/src/model/roles.ts";
import { renderPart, textRenderer } from "#/src/render/body-text.ts";
import { pageText } from "#/src/render/page-text.ts";
import { isReadable } from "#/src/render/part-reading.ts";
import type { Current } from "../current.ts";
import { unknownObject } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import type { PartRequest } from "../operations/part/describe.ts";
import { openContinuation, sealContinuation } from "../part-cursor.ts";
import { assertReachesAll, reachAgent, reachesScope } from "../reach.ts";
import type { ReadResult } from "../schemas.ts";
import { missingScope } from "../scopes.ts";
import { assertRender } from "./assert-render.ts";
import { defaultCharacters, octetsPerAnswer } from "./limits.ts";

/** A blob that the caller reaches: it is in no folder. */
export async function reachBlob(context: OperationContext, name: ObjectName, scope: Scope): Promise<Upload> {
  const reached = await reachAgent(context, name.agent, scope);
  assertReachesAll(reached);
  return (await context.rooms.mail.findUpload(name.agent, name.object)) ?? unknownObject("blob");
}

/** What a refused compare-and-swap says of it. */
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
  const accepted = isReadable(part) ? ["text", "json", "raw"] : ["json", "raw"];
  const object = { kind: "blob", ...blob } as const;
  const continued = openContinuation(context, object, request);
  assertRender(request.render, accepted);
  const render = request.render ?? continued?.render ?? accepted[0]!;
  if (render === "raw" && !(await reachesScope(context, name.agent, "raw"))) throw missingScope("raw");
  const from = continued?.from ?? 0;
  const read = render === "raw" ? rawOf : render === "text" ? textOf : factsAlone;
  const { text, content, removed, next } = await read(context, blob, part, from, request.max_chars);
  return {
    ref: request.id,
    kind: "blob",
    ...(text === undefined ? {} : { text }),
    content: { ...factsOf(blob), ...content },
    // Nobody vouched for what is in it.
    provenance: {
      authenticated: false,
      removed: [...new Set(removed.map(({ what }) => what))],
      source: "api",
    },
    version: blob.version,
    ...(next === undefined
      ? {}
      : { cursor: sealContinuation(context, object, { part: "", render, from: next }) }),
  };
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

interface BlobPage {
  readonly text?: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly removed: Awaited<ReturnType<typeof renderPart>>["removed"];
  readonly next?: number | undefined;
}

type ReadBlob = (
  context: OperationContext,
  blob: Upload,
  part: MimePart,
  from: number,
  maxChars: number | undefined,
) => Promise<BlobPage>;

const factsAlone: ReadBlob = async () => ({ removed: [] });

const textOf: ReadBlob = async (context, blob, part, from, maxChars) => {
  const { mail } = context.rooms;
  const source = { mail, readers: mail.readers };
  const { text, removed } = await renderPart(source, blob, part);
  const page = pageText(text, from, maxChars ?? defaultCharacters);
  const range = { start: page.start, end: page.end };
  return {
    text: page.text,
    content: { renderer: textRenderer, chars_total: page.total, range },
    removed,
    next: page.next,
  };
};

const rawOf: ReadBlob = async (context, blob, _part, from, maxChars) => {
  const most = maxChars === undefined ? octetsPerAnswer : Math.floor(maxChars / 4) * 3;
  const end = Math.min(blob.size, from + most);
  const bytes = await context.rooms.mail.readBytes(blob, { start: from, end });
  return {
    content: {
      encoding: "base64",
      data: bytes.toString("base64"),
      range: { start: from, end, total: blob.size },
    },
    removed: [],
    next: end < blob.size ? end : undefined,
  };
};
