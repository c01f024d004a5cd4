/** folder.create: creates a folder, and missing folders above it. Mail clients show it at once. */

import { z } from "zod";
import { isWaypostError } from "#/src/model/errors.ts";
import { folderDeclarations } from "#/src/model/folder-properties.ts";
import type { AgentNumber, MailboxNumber } from "#/src/model/numbers.ts";
import { givenFields, givenProperties } from "../../declared-fields.ts";
import { unknownObject } from "../../errors.ts";
import { atPath, folderPath } from "../../folders/folder-path.ts";
import { operation } from "../../operation.ts";
import { reachWholeMailbox } from "../../reach.ts";
import { folderName, folderPathText, idempotencyKey, idOf, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

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
    ...givenFields(folderDeclarations),
    idempotency_key: idempotencyKey,
  }),
  output: writeResult.extend({ path: z.string().describe("The whole path.") }),
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused"],
  async run(context, input) {
    const { mail } = context.rooms;
    return writeInOrder(context, {
      request: ["folder.create", input],
      reach: () => reachWholeMailbox(context, input.in, "mail"),
      async repeat(once, { agent }) {
        const made = await mail.findRepeat("createMailbox", once);
        return made && answerOf(agent, made);
      },
      async write(reached, once) {
        const { agent } = reached;
        const path = await folderPath(context, reached, input);
        try {
          const { author } = context.principal;
          const properties = await givenProperties(context, folderDeclarations, input);
          const made = await atPath(() => mail.createFolder(author, agent, path, properties, once));
          return answerOf(agent, made);
        } catch (error) {
          // When two callers create the same folder at once, both get its id.
          if (!isWaypostError(error) || error.details.reason !== "already_exists") throw error;
          const { id, version, name } = (await mail.findMailbox(agent, path)) ?? unknownObject();
          return { ref: id, created: false, version, path: name };
        }
      },
    });

    function answerOf(
      agent: AgentNumber,
      made: { readonly mailbox: MailboxNumber; readonly modseq: number; readonly name: string },
    ) {
      const ref = mail.ids.encode("folder", agent, made.mailbox);
      return { ref, created: true, version: String(made.modseq), path: made.name };
    }
  },
});
