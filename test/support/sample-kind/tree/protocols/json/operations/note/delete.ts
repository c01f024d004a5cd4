import { z } from "zod";
import { withCurrent } from "../../current.ts";
import { findNote, reachNote } from "../../describe/note.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "note.delete",
  verb: "put",
  summary: "Removes a note.",
  scope: "mail",
  effect: "writes",
  version: "required",
  putsMail: false,
  reaches: "own",
  example: { id: "note_…", version: "…" },
  input: z.strictObject({
    id: idOf("note").describe("The note, note_…"),
    version: versionText,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    const { mail } = context.rooms;
    const name = readId(context, input.id, ["note"], "/id");
    const { author } = context.principal;
    const { version } = input;
    const { modseq } = await writeInOrder(context, {
      request: ["note.delete", input],
      reach: () => reachNote(context, name, "mail"),
      repeat: (once) => mail.findRepeat("deleteNote", once),
      write: (_, once) =>
        withCurrent(
          context,
          name.agent,
          () => mail.deleteNote(author, name.agent, name.object, version, once),
          () => findNote(context, name),
        ),
    });
    return { ref: input.id, created: false, version: String(modseq) };
  },
});
