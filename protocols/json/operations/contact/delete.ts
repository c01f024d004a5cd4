/** contact.delete: deletes a contact, from contact clients too; there is no trash for contacts. */
import { z } from "zod";
import { deleteItem } from "../../collections/item-writes.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";

export default operation({
  name: "contact.delete",
  verb: "put",
  summary: "Deletes a contact.",
  scope: "contacts",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "contact_…", version: "…" },
  input: z.strictObject({
    id: idOf("contact", "addressbook").describe("The contact, contact_… or addressbook_…#<contact or uid>"),
    version: versionText,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  run: (context, input) => deleteItem(context, "addressbook", "contact.delete", input),
});
