/** A managed attachment of an event (RFC 8607). It is read like an attachment of a mail. */
import { attachmentsPath, type PlacedAttachment } from "#/src/collections/attachments.ts";
import { findReadableAttachment } from "#/src/reach/attachments.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
import { bodyForms, renderPart, textRenderer, withoutHistory } from "#/src/render/body-text.ts";
import { isReadable } from "#/src/render/part-reading.ts";
import type { RemovalDetail } from "#/src/render/removal.ts";
import type { OperationContext } from "../operation.ts";
import { assertRender } from "./assert-render.ts";
import { assertRaw, type LinkedReading } from "./linked-part.ts";
import { type Page, pageOf } from "./page.ts";

export type AttachedRender = (typeof bodyForms)[number] | "raw" | "json";

interface Described {
  readonly kind: "attachment";
  readonly render: AttachedRender;
  readonly page: Page;
  readonly removed: readonly RemovalDetail[];
}

/** The id in a URL of a managed attachment. The URL may be of another server; only a lookup of the id tells. */
export function managedIdOf(url: string): string | undefined {
  const at = url.indexOf(attachmentsPath);
  return at < 0 ? undefined : /^[^/]{1,100}(?=\/)/.exec(url.slice(at + attachmentsPath.length))?.[0];
}

export function findAttached(
  context: OperationContext,
  managedId: string,
): Promise<PlacedAttachment | undefined> {
  const { principal, rooms } = context;
  const reach = createCollectionReach(context);
  return findReadableAttachment({ collections: rooms.collections, principal, reach }, managedId);
}

export async function describeAttached(read: LinkedReading, attached: PlacedAttachment): Promise<Described> {
  const { context, stored, part, from, maxChars } = read;
  const { mail } = context.rooms;
  const { account, blob, size, name, mediaType: type } = attached;
  const bytes = { account, blob, size, trace: new Uint8Array() };
  const structure = await mail.readStructure(bytes);
  const accepted = isReadable(structure) ? [...bodyForms, "json", "raw"] : ["json", "raw"];
  assertRender(read.render, accepted);
  const render = (read.render ?? accepted[0]!) as AttachedRender;
  const content = { part, name, type, size };
  const facts = { kind: "attachment", content } as const;
  if (render === "raw") {
    await assertRaw(context, stored);
    const octets = {
      total: size,
      read: (start: number, end: number) => mail.readBytes(bytes, { start, end }),
    };
    const page = await pageOf(
      { ...facts, content: { ...content, encoding: "base64" }, octets },
      from,
      maxChars,
    );
    return { kind: "attachment", render, page, removed: [] };
  }
  const form = bodyForms.find((one) => one === render);
  if (form === undefined)
    return { kind: "attachment", render, page: await pageOf(facts, from, maxChars), removed: [] };
  const whole = await renderPart({ mail, readers: mail.readers }, bytes, structure, form);
  const { text, removed } = form === "reply" ? await withoutHistory(mail.readers, whole) : whole;
  const shown = { ...facts, content: { ...content, renderer: textRenderer }, text };
  return { kind: "attachment", render, page: await pageOf(shown, from, maxChars), removed };
}
