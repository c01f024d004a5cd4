/** folder.create: creates a folder, and missing folders above it. Mail clients show it at once. */
import { z } from "zod";
import { isWaypostError } from "#/src/model/errors.ts";
import { unknownObject } from "../../errors.ts";
import { atPath, folderPath } from "../../folders/folder-path.ts";
import { idempotencyOf } from "../../idempotency.ts";
import { operation } from "../../operation.ts";
import { reachWholeMailbox } from "../../reach.ts";
import { folderName, folderPathText, idempotencyKey, idOf, writeResult } from "../../schemas.ts";

export default operation({
  name: "folder.create",
  verb: "put",
  summary: "Creates a folder and missing folders above it; an existing folder is answered as it is.",
  scope: "mail",
  effect: "writes",
  version: "none",
  putsMail: false,
  reaches: "own",
  example: { path: "Projects/2026" },
  input: z.strictObject({
    in: idOf("agent").optional().describe("The mailbox, ag_…; absent: that of the credential."),
    path: folderPathText,
    parent: folderName
      .optional()
      .describe("The folder that path is below: folder_…, a role or the IMAP path."),
    idempotency_key: idempotencyKey,
  }),
  output: writeResult.extend({ path: z.string().describe("The whole path.") }),
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused"],
  async run(context, input) {
    const { mail } = context.rooms;
    const reached = await reachWholeMailbox(context, input.in, "mail");
    const once = idempotencyOf(context, "folder.create", input);
    const repeat = await mail.findRepeat("createMailbox", once);
    const path = repeat === undefined ? await folderPath(context, reached, input) : "";
    try {
      const made =
        repeat ??
        (await atPath(() => mail.createFolder(context.principal.author, reached.agent, path, once)));
      const ref = mail.ids.encode("folder", reached.agent, made.mailbox);
      return { ref, created: true, version: String(made.modseq), path: made.name };
    } catch (error) {
      // When two callers create the same folder at once, both get its id.
      if (!isWaypostError(error) || error.details.reason !== "already_exists") throw error;
      const { id, version, name } = (await mail.findMailbox(reached.agent, path)) ?? unknownObject();
      return { ref: id, created: false, version, path: name };
    }
  },
});
