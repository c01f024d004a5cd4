/** hold.delete: who asked for a mail to be sent, or who may approve it, withdraws it while it waits; the mail goes to Trash. */

import { z } from "zod";
import { reachAgent } from "#/src/reach/agents.ts";
import { withCurrent } from "../../current.ts";
import { currentHold, reachHold } from "../../describe/hold.ts";
import { readId } from "../../identifiers.ts";
import { operation } from "../../operation.ts";
import { idempotencyKey, idOf, versionText, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "hold.delete",
  verb: "put",
  summary: "Takes back a mail that waits for approval.",
  scope: "send",
  effect: "writes",
  version: "required",
  putsMail: true,
  reaches: "own",
  example: { id: "hold_…", version: "…" },
  input: z.strictObject({
    id: idOf("hold").describe("The hold, hold_…"),
    version: versionText,
    idempotency_key: idempotencyKey,
  }),
  output: writeResult.extend({ state: z.literal("withdrawn") }),
  errors: ["not_billable", "forbidden_scope", "not_found", "policy_refused", "precondition_failed"],
  async run(context, input) {
    const { mail, holds } = context.rooms;
    const name = readId(context, input.id, ["hold"], "/id");
    const { modseq } = await writeInOrder(context, {
      request: ["hold.delete", input],
      reach: () => reachAgent(context, name.agent, "send"),
      repeat: (once) => mail.findRepeat("decideHold", once),
      async write(_reached, idempotency) {
        const { hold, reached } = await reachHold(context, name, "send");
        const { agent, actor } = reached;
        const { version } = input;
        return withCurrent(
          context,
          name.agent,
          () => holds.decide({ agent, hold: hold.hold, version, action: "withdraw", actor, idempotency }),
          () => currentHold(context, reached, hold.hold),
        );
      },
    });
    return { ref: input.id, created: false, version: String(modseq), state: "withdrawn" as const };
  },
});
