/** blob.delete: deletes a blob before it expires. Mail to which it was attached has its own copy. */
import { z } from "zod";
import { withCurrent } from "../../current.ts";
import { findBlob, reachBlob } from "../../describe/blob.ts";
import { idempotencyOf } from "../../idempotency.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";

export default operation({
  name: "blob.delete",
  verb: "put",
  summary: "Removes bytes that were stored to be attached.",
  scope: "mail",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "blob_…", version: "…" },
  input: z.strictObject({
    id: idOf("blob").describe("The blob, blob_…"),
    version: versionText,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "precondition_failed"],
  async run(context, input) {
    const { mail } = context.rooms;
    const name = readId(context, input.id, ["blob"], "/id");
    const once = idempotencyOf(context, "blob.delete", input);
    const remove = async () => {
      await reachBlob(context, name, "mail");
      return withCurrent(
        context,
        name.agent,
        () => mail.deleteUpload(context.principal.author, name.agent, name.object, input.version, once),
        () => findBlob(context, name),
      );
    };
    const { modseq } = (await mail.findRepeat("deleteUpload", once)) ?? (await remove());
    return { ref: input.id, created: false, version: String(modseq) };
  },
});
