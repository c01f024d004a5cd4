/** blob.delete: deletes a blob before it expires. Mail to which it was attached has its own copy. */

import { z } from "zod";
import { reachAgent } from "#/src/reach/agents.ts";
import { withCurrent } from "../../current.ts";
import { findBlob, reachBlob } from "../../describe/blob.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

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
    const { modseq } = await writeInOrder(context, {
      request: ["blob.delete", input],
      reach: () => reachAgent(context, name.agent, "mail"),
      repeat: (once) => mail.findRepeat("deleteUpload", once),
      async write(_reached, once) {
        await reachBlob(context, name, "mail");
        return withCurrent(
          context,
          name.agent,
          () => mail.deleteUpload(context.principal.author, name.agent, name.object, input.version, once),
          () => findBlob(context, name),
        );
      },
    });
    return { ref: input.id, created: false, version: String(modseq) };
  },
});
