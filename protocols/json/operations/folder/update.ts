/** folder.update: changes the path of a folder and everything below it. Subscriptions of mail clients are kept. */

import { z } from "zod";
import { reachAgent } from "#/src/reach/agents.ts";
import { withCurrent } from "../../current.ts";
import { findFolder, reachFolderWhole } from "../../describe/folder.ts";
import { atPath, folderPath } from "../../folders/folder-path.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { folderName, folderPathText, idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "folder.update",
  verb: "put",
  summary: "Renames or moves a folder with everything below it.",
  scope: "mail",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "folder_…", version: "…", path: "Projects/2027" },
  input: z.strictObject({
    id: idOf("folder").describe("The folder, folder_…"),
    version: versionText,
    path: folderPathText,
    parent: folderName
      .optional()
      .describe("The folder that path is below: folder_…, a role or the IMAP path."),
    idempotency_key: idempotencyKey,
  }),
  output: writeResult.extend({ path: z.string().describe("The whole path.") }),
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    const { mail } = context.rooms;
    const name = readId(context, input.id, ["folder"], "/id");
    const renamed = await writeInOrder(context, {
      request: ["folder.update", input],
      reach: () => reachAgent(context, name.agent, "mail"),
      repeat: (once) => mail.findRepeat("renameMailbox", once),
      async write(_reached, once) {
        const { reached, folder } = await reachFolderWhole(context, name);
        const path = await folderPath(context, reached, input);
        return withCurrent(
          context,
          name.agent,
          () =>
            atPath(() =>
              mail.renameFolder(
                context.principal.author,
                name.agent,
                folder.number,
                path,
                input.version,
                once,
              ),
            ),
          () => findFolder(context, name),
        );
      },
    });
    return { ref: input.id, created: false, version: String(renamed.modseq), path: renamed.name };
  },
});
