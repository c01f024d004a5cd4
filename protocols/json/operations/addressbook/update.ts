/** addressbook.update: changes name, description, colour or place. Fields that are not given stay as they are. */
import { z } from "zod";
import { changeContainer, propertiesOf, updateFields } from "../../collections/container.ts";
import { operation } from "../../operation.ts";
import { idOf, writeResult } from "../../schemas.ts";

export default operation({
  name: "addressbook.update",
  verb: "put",
  summary: "Changes what an addressbook is called and how it is shown.",
  scope: "contacts",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "addressbook_…", version: "…", name: "Clients" },
  input: z.strictObject({
    id: idOf("addressbook").describe("The addressbook, addressbook_…"),
    ...updateFields,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  run: (context, input) =>
    changeContainer(context, "addressbook", "addressbook.update", input, ({ agent, number }, once) =>
      context.rooms.collections.updateCollection(
        context.principal.author,
        agent,
        number,
        { properties: propertiesOf(input), version: input.version },
        once,
      ),
    ),
});
