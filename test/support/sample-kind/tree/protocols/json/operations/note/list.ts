import { z } from "zod";
import { reachAgent } from "#/src/reach/agents.ts";
import { reachesNote, shownNote } from "../../describe/note.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idOf } from "../../schemas.ts";

export default operation({
  name: "note.list",
  verb: "read",
  summary: "Lists notes.",
  scope: "mail:read",
  effect: "reads",
  reaches: "own",
  example: {},
  input: z.strictObject({
    in: idOf("agent").optional().describe("The mailbox, ag_…; absent: that of the credential."),
  }),
  output: z.strictObject({ notes: z.array(shownNote) }),
  errors: ["not_billable", "forbidden_scope", "not_found"],
  async run(context, input) {
    const { mail } = context.rooms;
    const agent = input.in ? readId(context, input.in, ["agent"], "/in").agent : context.principal.agent;
    const reached = await reachAgent(context, agent, "mail:read");
    const notes = (await mail.listNotes(agent)).filter(({ note }) => reachesNote(reached, note));
    return {
      notes: notes.map(({ note, title, body }) => ({
        id: mail.ids.encode("note", agent, note),
        title,
        body,
      })),
    };
  },
});
