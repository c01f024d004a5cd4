import { z } from "zod";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { reachAgent } from "#/src/reach/agents.ts";
import { forbidden } from "#/src/reach/refusals.ts";
import { noteFields } from "../../describe/note.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "note.create",
  verb: "put",
  summary: "Writes a note.",
  scope: "mail",
  effect: "writes",
  version: "none",
  putsMail: false,
  reaches: "own",
  example: { title: "Keys", body: "Under the mat." },
  input: z.strictObject({
    in: idOf("agent").optional().describe("The mailbox, ag_…; absent: that of the credential."),
    ...noteFields,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused"],
  async run(context, input) {
    const { mail } = context.rooms;
    const { title, body } = input;
    const agent = input.in ? readId(context, input.in, ["agent"], "/in").agent : context.principal.agent;
    return writeInOrder(context, {
      request: ["note.create", input],
      async reach() {
        const { objects } = await reachAgent(context, agent, "mail");
        if (objects.note !== "all") throw forbidden("The grant does not extend to writing new notes.");
      },
      async repeat(once) {
        const made = await mail.findRepeat("createNote", once);
        return made && answerOf(agent, made);
      },
      write: async (_, once) =>
        answerOf(agent, await mail.createNote(context.principal.author, agent, { title, body }, once)),
    });

    function answerOf(owner: AgentNumber, made: { readonly note: number; readonly modseq: number }) {
      return { ref: mail.ids.encode("note", owner, made.note), created: true, version: String(made.modseq) };
    }
  },
});
