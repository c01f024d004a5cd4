/** draft.delete: moves the draft's message to Trash, as message.delete does; it is no longer a draft. */

import { z } from "zod";
import { reachAgent } from "#/src/reach/agents.ts";
import { withCurrent } from "../../current.ts";
import { findDraft, reachDraft } from "../../describe/draft.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "draft.delete",
  verb: "put",
  summary: "Moves a draft to Trash.",
  scope: "mail",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "draft_…", version: "…" },
  input: z.strictObject({
    id: idOf("draft").describe("The draft, draft_…"),
    version: versionText,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "precondition_failed"],
  async run(context, input) {
    const { mail } = context.rooms;
    const name = readId(context, input.id, ["draft"], "/id");
    const { modseq } = await writeInOrder(context, {
      request: ["draft.delete", input],
      reach: () => reachAgent(context, name.agent, "mail"),
      repeat: (once) => mail.findRepeat("deleteDraft", once),
      async write(_reached, once) {
        const { reached } = await reachDraft(context, name, "mail");
        return withCurrent(
          context,
          name.agent,
          () => mail.deleteDraft(context.principal.author, name.agent, name.object, input.version, once),
          () => findDraft(context, reached, name.object),
        );
      },
    });
    return { ref: input.id, created: false, version: String(modseq) };
  },
});
