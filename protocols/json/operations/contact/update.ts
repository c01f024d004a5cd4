/** contact.update: patches or replaces a contact. Unchanged lines of the vCard keep their octets, and the vCard keeps its version. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { assertWhole, changeItem } from "../../collections/item-writes.ts";
import {
  changedContact,
  contactBody,
  contactPatch,
  contactResult,
} from "../../collections/written-contact.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText } from "../../schemas.ts";

export default operation({
  name: "contact.update",
  verb: "put",
  summary: "Changes a contact, by a patch or a whole body.",
  scope: "contacts",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "contact_…", version: "…", patch: { "notes/n": { note: "Prefers mail." } } },
  input: z.strictObject({
    id: idOf("contact", "addressbook").describe("The contact, contact_… or addressbook_…#<contact or uid>"),
    version: versionText,
    patch: contactPatch.optional(),
    body: contactBody.optional(),
    idempotency_key: idempotencyKey,
  }),
  output: contactResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    if ((input.patch === undefined) === (input.body === undefined))
      throw new WaypostError("invalid", "Exactly one of patch and body is needed.", {
        field: "/patch",
        hint: 'Send patch: {"name/full": "…"}, or a whole body.',
      });
    return changeItem(context, "addressbook", "contact.update", input, async (stored, id, inside) => {
      assertWhole("addressbook", inside);
      return changedContact(context, stored, id, input);
    });
  },
});
