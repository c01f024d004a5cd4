/** contact.create: stores a JSContact Card or its short form as a vCard of version 4.0. Contact clients show it at once. */
import { z } from "zod";
import { putNewItem } from "../../collections/item-writes.ts";
import { reachCollectionIn } from "../../collections/reach.ts";
import { contactBody, contactResult, newContact } from "../../collections/written-contact.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf } from "../../schemas.ts";

export default operation({
  name: "contact.create",
  verb: "put",
  summary: "Adds a contact to an addressbook.",
  scope: "contacts",
  effect: "writes",
  version: "none",
  putsMail: false,
  reaches: "own",
  example: { body: { name: "Ada Lovelace", emails: ["ada@example.com"], phones: ["+44 20 7946 0000"] } },
  input: z.strictObject({
    in: idOf("addressbook").optional().describe("The addressbook, addressbook_…; absent: the default one."),
    body: contactBody,
    idempotency_key: idempotencyKey,
  }),
  output: contactResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused"],
  run: (context, input) =>
    putNewItem(
      context,
      "addressbook",
      "contact.create",
      input,
      () => reachCollectionIn(context, "addressbook", input.in, "write"),
      () => newContact(context, input.body),
    ),
});
