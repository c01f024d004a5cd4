/** Attachments of events (RFC 8607): blobs become managed attachments, which calendar clients show and open. */
import { z } from "zod";
import { attachmentUrl, newManagedId, type PutAttachments } from "#/src/collections/attachments.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { attachmentBytesMax } from "#/src/model/limits.ts";
import { reachAttachments } from "#/src/reach/attachments.ts";
import { createCollectionReach } from "#/src/reach/collection-reach.ts";
import { reachBlob } from "../describe/blob.ts";
import { readId } from "../identifiers.ts";
import type { OperationContext } from "../operation.ts";
import { fileName, idOf, mediaType } from "../schemas.ts";

const attachedMax = 20;

export const attach = z
  .array(
    z.strictObject({
      blob: idOf("blob").describe("What blob.create has answered, blob_…"),
      name: fileName.optional(),
      type: mediaType.optional(),
    }),
  )
  .min(1)
  .max(attachedMax)
  .optional()
  .describe(
    "Files that are attached, also for calendar clients: they stand in links of the event; a patch takes one away by links/<id>: null.",
  );

type Attach = z.infer<typeof attach>;

/** The octets with an ATTACH for each blob, and the attachments for the store. `instance`: the recurrence id of one instance. */
export async function withBlobs(
  context: OperationContext,
  bytes: Uint8Array,
  blobs: Attach,
  held: Uint8Array | undefined,
  instance?: string,
): Promise<{ readonly bytes: Uint8Array; readonly attachments: PutAttachments | undefined }> {
  const { scheduling, collections, mail, settings } = context.rooms;
  const added = [];
  let text = bytes;
  for (const [at, { blob, ...given }] of (blobs ?? []).entries()) {
    const field = `/attach/${at}/blob`;
    const upload = await reachBlob(context, readId(context, blob, ["blob"], field), "mail:read");
    if (upload.size > attachmentBytesMax)
      throw new WaypostError("invalid", `An attachment has at most ${attachmentBytesMax} octets.`, { field });
    const managedId = newManagedId();
    const name = given.name ?? (upload.name || "attachment");
    const type = given.type ?? upload.type;
    const url = attachmentUrl(settings, managedId, name);
    text = await scheduling.editAttachments(text, {
      kind: "add",
      attachment: { managedId, url, type, name, size: upload.size },
      ...(instance === undefined ? {} : { localInstance: instance }),
    });
    added.push({ managedId, bytes: await mail.readBytes(upload), name, type });
  }
  const asked = { collections, principal: context.principal, reach: createCollectionReach(context) };
  return { bytes: text, attachments: await reachAttachments(asked, text, async () => held, added) };
}
