import { z } from "zod";
import { operation } from "../operation.ts";
import { pauseSchema, shownPause } from "../schemas.ts";

/** health: whether the credential is accepted. `GET /health` only says that the service is up. */
export default operation({
  name: "health",
  verb: "read",
  summary: "Says whether the presented credential is accepted, and whose it is.",
  scope: "any",
  effect: "reads",
  reaches: "own",
  example: {},
  input: z.strictObject({}),
  output: z.strictObject({
    ok: z.literal(true),
    agent: z.string().describe("The mailbox of the credential, ag_…"),
    address: z.string(),
    state: z.enum(["active", "paused"]).describe("paused: nothing is sent."),
    paused: pauseSchema.optional().describe("Why it is paused, and since when."),
    scopes: z.array(z.string()),
  }),
  errors: ["not_billable"],
  async run({ rooms, principal }) {
    const facts = await rooms.accounts.findAgentFacts(principal.agent);
    return {
      ok: true as const,
      agent: rooms.mail.ids.encode("agent", principal.agent),
      address: principal.address,
      state: facts?.state ?? principal.state,
      ...(facts?.pause === undefined ? {} : { paused: shownPause(facts.pause) }),
      scopes: [...principal.scopes],
    };
  },
});
