/** folder.delete: deletes a folder and moves its messages to Trash. Folders with a role, and folders with others below them, cannot be
 *  deleted. */

import { z } from "zod";
import { reachAgent } from "#/src/reach/agents.ts";
import { withCurrent } from "../../current.ts";
import { findFolder, reachFolderWhole } from "../../describe/folder.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "folder.delete",
  verb: "put",
  summary: "Removes a folder; its messages go to Trash.",
  scope: "mail",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "folder_…", version: "…" },
  input: z.strictObject({
    id: idOf("folder").describe("The folder, folder_…"),
    version: versionText,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    const { mail } = context.rooms;
    const name = readId(context, input.id, ["folder"], "/id");
    const { modseq } = await writeInOrder(context, {
      request: ["folder.delete", input],
      reach: () => reachAgent(context, name.agent, "mail"),
      repeat: (once) => mail.findRepeat("deleteMailbox", once),
      async write(_reached, once) {
        const { folder } = await reachFolderWhole(context, name);
        return withCurrent(
          context,
          name.agent,
          () => mail.deleteFolder(context.principal.author, name.agent, folder.number, input.version, once),
          () => findFolder(context, name),
        );
      },
    });
    return { ref: input.id, created: false, version: String(modseq) };
  },
});
