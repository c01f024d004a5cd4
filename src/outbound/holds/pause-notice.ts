/** The mail that tells an approver that a mailbox is paused: approved mail is not sent until it is resumed. */

import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { Pause } from "#/src/model/pause.ts";
import { listUntoldPauses } from "#/storage/queries/accounts/agents.ts";
import { tellApprover } from "../gate/gate.ts";
import { composeNotice } from "./approver-mail.ts";
import type { HoldRooms } from "./holds.ts";

/** Sends the notice once for each pause. */
export async function tellOfPauses(rooms: HoldRooms): Promise<void> {
  const { store, accounts } = rooms;
  for (const { agent, approver } of await listUntoldPauses(store)) {
    const [paused, told] = [await accounts.findAgentFacts(agent), await accounts.findAgentFacts(approver)];
    if (paused?.pause === undefined || told === undefined) continue;
    const subject = `${paused.address} is paused`;
    const text = noticeText(rooms, paused, paused.pause);
    const notice = await composeNotice(rooms, told, { subject, text });
    await tellApprover(store, { ...notice, others: [], holds: [], pauses: [agent] });
  }
}

function noticeText({ settings }: HoldRooms, { address }: AgentFacts, { reason, since }: Pause): string {
  const { bounces, sends } = settings.breaker;
  const when = since === undefined ? "" : ` since ${new Date(since).toUTCString()}`;
  const why =
    reason === "breaker"
      ? `At least ${bounces} of its last ${sends} mails failed for a recipient, so the server stopped it.`
      : "The operator has paused it.";
  return [
    `${address} is paused${when} and sends nothing. ${why}`,
    "Mail still arrives. What is queued or approved waits, and leaves when the operator resumes it:",
    `    waypost agent resume ${address}`,
    ...(reason === "breaker"
      ? ["Look first at what failed: its Sent mailbox, and waypost queue show message_…."]
      : []),
  ].join("\n\n");
}
