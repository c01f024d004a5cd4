/** folder.update: changes the path of a folder and everything below it, and its properties. Subscriptions of mail clients are kept. */

import { z } from "zod";
import { folderDeclarations, folderProperties } from "#/src/model/folder-properties.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { withCurrent } from "../../current.ts";
import { givenFields, givenProperties } from "../../declared-fields.ts";
import { findFolder, reachFolderWhole } from "../../describe/folder.ts";
import { atPath, folderPath } from "../../folders/folder-path.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { folderName, folderPathText, idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

/** Without properties there is nothing else to change. */
const changedPath: z.ZodType<string | undefined> =
  folderProperties.names.length === 0 ? folderPathText : folderPathText.optional();

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
    path: changedPath,
    parent: folderName
      .optional()
      .describe("The folder that path is below: folder_…, a role or the IMAP path."),
    ...givenFields(folderDeclarations),
    idempotency_key: idempotencyKey,
  }),
  output: writeResult.extend({ path: z.string().describe("The whole path.") }),
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    const { mail } = context.rooms;
    const named = readId(context, input.id, ["folder"], "/id");
    const { agent } = named;
    const renamed = await writeInOrder(context, {
      request: ["folder.update", input],
      reach: () => reachAgent(context, agent, "mail"),
      repeat: (once) => mail.findRepeat("renameMailbox", once),
      async write(_reached, once) {
        const { reached, folder } = await reachFolderWhole(context, named);
        const properties = await givenProperties(context, folderDeclarations, input);
        const { path: wanted } = input;
        const name =
          wanted === undefined ? folder.name : await folderPath(context, reached, { ...input, path: wanted });
        return withCurrent(
          context,
          agent,
          () =>
            atPath(() =>
              mail.updateFolder(
                context.principal.author,
                agent,
                folder.number,
                { name, properties },
                input.version,
                once,
              ),
            ),
          () => findFolder(context, named),
        );
      },
    });
    return { ref: input.id, created: false, version: String(renamed.modseq), path: renamed.name };
  },
});
