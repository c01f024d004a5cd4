import { type Actor, nobody } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { DeclineRemark, HoldState } from "#/src/model/holds.ts";
import type { AgentNumber, MessageNumber, Modseq } from "#/src/model/numbers.ts";
import type { DeclineReason } from "../../holds.ts";
import { findHold } from "../../queries/outbound/holds.ts";
import type { Transaction } from "../../sql.ts";
import { beginAgentTransaction } from "../../writing/agent-transaction.ts";
import { mailOf } from "../../writing/mail/mail.ts";
import { changeHold, nextStateOf } from "../../writing/outbound/holds.ts";
import { assertVersion } from "../../writing/version.ts";

export interface DecideHold {
  readonly agent: AgentNumber;
  readonly hold: number;
  /** The version that the caller has read. For an older one throws `precondition_failed`, because the mail may have been edited. */
  readonly version: string | undefined;
  readonly action: "approve" | "undo" | "decline" | "withdraw" | "expire" | "fail";
  readonly actor: Actor | "server";
  /** Of a mail that failed. */
  readonly reason?: DeclineReason | undefined;
  /** To the agent, of a person who declines. */
  readonly remark?: DeclineRemark | undefined;
  readonly at: number;
}

export interface DecidedHold {
  readonly state: HoldState;
  readonly message: MessageNumber;
  readonly modseq: Modseq;
}

/** Decides about a hold, which is named by its number. Refuses `forbidden_scope`, `policy_refused` (hold_is_decided),
 *  `precondition_failed`. */
export async function decideHold(tx: Transaction, args: DecideHold): Promise<DecidedHold> {
  const { actor } = args;
  const write = await beginAgentTransaction(tx, args.agent, args.at, actor === "server" ? nobody : actor);
  const mail = mailOf(write);
  const hold = await findHold(tx, args.agent, args.hold);
  if (hold === undefined) throw new WaypostError("not_found", "There is no such hold.");
  // Checked first: a caller without permission to decide must not learn the version.
  await nextStateOf(write, hold, args.action, actor);
  assertVersion(args.version, String(hold.modseq), "hold");
  const state = await changeHold(mail, hold, args.action, actor, {
    reason: args.reason,
    remark: args.remark,
  });
  const modseq = await write.finish();
  return { state, message: hold.message, modseq: state === hold.state ? hold.modseq : modseq };
}
