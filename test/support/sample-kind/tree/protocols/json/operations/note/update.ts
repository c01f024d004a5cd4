import { z } from "zod";
import { withCurrent } from "../../current.ts";
import { findNote, noteFields, reachNote } from "../../describe/note.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "note.update",
  verb: "put",
  summary: "Writes a note anew.",
  scope: "mail",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "note_…", version: "…", title: "Keys", body: "With the neighbour." },
  input: z.strictObject({
    id: idOf("note").describe("The note, note_…"),
    version: versionText,
    ...noteFields,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    const { mail } = context.rooms;
    const name = readId(context, input.id, ["note"], "/id");
    const { author } = context.principal;
    const { version, title, body } = input;
    const { modseq } = await writeInOrder(context, {
      request: ["note.update", input],
      reach: () => reachNote(context, name, "mail"),
      repeat: (once) => mail.findRepeat("updateNote", once),
      write: (_, once) =>
        withCurrent(
          context,
          name.agent,
          () => mail.updateNote(author, name.agent, name.object, version, { title, body }, once),
          () => findNote(context, name),
        ),
    });
    return { ref: input.id, created: false, version: String(modseq) };
  },
});
