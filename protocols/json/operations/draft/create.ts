/** draft.create: puts a message into Drafts, where a person can continue it. The draft keeps its id then. */
import { z } from "zod";
import { reachAgent } from "#/src/reach/agents.ts";
import { draftAnswer, draftFields, draftOf, draftResult } from "../../compose/drafted-message.ts";
import { takeTurnIfLarge } from "../../compose/large-mails.ts";
import { assertReachesDrafts } from "../../describe/draft.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idOf } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "draft.create",
  verb: "put",
  summary: "Writes a message into Drafts; send sends it later.",
  scope: "mail",
  effect: "writes",
  version: "none",
  putsMail: true,
  reaches: "own",
  example: { body: { to: ["ann@example.com"], subject: "Offer", text: "Good morning." } },
  input: z.strictObject({
    in: idOf("agent").optional().describe("The mailbox, ag_…; absent: that of the credential."),
    ...draftFields,
  }),
  output: draftResult,
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused"],
  async run(context, input) {
    const { mail, fairness } = context.rooms;
    const agent = input.in ? readId(context, input.in, ["agent"], "/in").agent : context.principal.agent;
    const written = await writeInOrder(context, {
      request: ["draft.create", input],
      reach: () => reachAgent(context, agent, "mail"),
      repeat: (once) => mail.findRepeat("createDraft", once),
      async write(reached, once) {
        await assertReachesDrafts(context, reached);
        using _turn = await takeTurnIfLarge(fairness, input.body);
        return await mail.createDraft(
          context.principal.author,
          agent,
          await draftOf(context, reached, input),
          once,
        );
      },
    });
    return {
      ref: mail.ids.encode("draft", agent, written.draft),
      created: true,
      ...draftAnswer(context, agent, written),
    };
  },
});
