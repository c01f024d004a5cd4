/** draft.update: replaces the body that was read, whoever wrote it. When it is to leave, and who approves it, stay unless the request says
 *  otherwise: an agent that mends a word does not take back that a person is asked. */

import { z } from "zod";
import { reachAgent } from "#/src/reach/agents.ts";
import { draftAnswer, draftFields, draftOf, draftResult } from "../../compose/drafted-message.ts";
import { takeTurnIfLarge } from "../../compose/large-mails.ts";
import { withCurrent } from "../../current.ts";
import { findDraft, reachDraft } from "../../describe/draft.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idOf, versionText } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "draft.update",
  verb: "put",
  summary: "Replaces the body of a draft; send_at and hold stay unless they are given.",
  scope: "mail",
  effect: "writes",
  version: "required",
  putsMail: true,
  reaches: "own",
  example: {
    id: "draft_…",
    version: "…",
    body: { to: ["ann@example.com"], subject: "Offer", text: "Good evening." },
  },
  input: z.strictObject({
    id: idOf("draft").describe("The draft, draft_…"),
    version: versionText,
    ...draftFields,
  }),
  output: draftResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    const { mail, fairness } = context.rooms;
    const name = readId(context, input.id, ["draft"], "/id");
    const written = await writeInOrder(context, {
      request: ["draft.update", input],
      reach: () => reachAgent(context, name.agent, "mail"),
      repeat: (once) => mail.findRepeat("updateDraft", once),
      async write(_reached, once) {
        const { reached, draft } = await reachDraft(context, name, "mail");
        using _turn = await takeTurnIfLarge(fairness, input.body);
        const changed = await draftOf(context, reached, input, draft.options);
        return await withCurrent(
          context,
          name.agent,
          () =>
            mail.updateDraft(context.principal.author, name.agent, name.object, input.version, changed, once),
          () => findDraft(context, reached, name.object),
        );
      },
    });
    return { ref: input.id, created: false, ...draftAnswer(context, name.agent, written) };
  },
});
