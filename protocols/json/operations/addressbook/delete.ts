/** addressbook.delete: deletes an addressbook with all its contacts. The default one cannot be deleted. */
import { z } from "zod";
import { changeContainer, deleteFields } from "../../collections/container.ts";
import { operation } from "../../operation.ts";
import { idOf, writeResult } from "../../schemas.ts";

export default operation({
  name: "addressbook.delete",
  verb: "put",
  summary: "Deletes an addressbook with its contacts; the default one stays.",
  scope: "contacts",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "addressbook_…", version: "…" },
  input: z.strictObject({
    id: idOf("addressbook").describe("The addressbook, addressbook_…"),
    ...deleteFields,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  run: (context, input) =>
    changeContainer(context, "addressbook", "addressbook.delete", input, ({ agent, number }, once) =>
      context.rooms.collections.deleteCollection(
        context.principal.author,
        agent,
        number,
        input.version,
        once,
      ),
    ),
});
