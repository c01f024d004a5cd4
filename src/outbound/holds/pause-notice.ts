/** The mail that tells the approvers of a mailbox that it is paused: approved mail is not sent until it is resumed. */

import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Pause } from "#/src/model/pause.ts";
import { listApprovers } from "#/src/reach/approvers.ts";
import { listUntoldPauses } from "#/storage/queries/outbound/holds.ts";
import { tellApprover } from "../gate/gate.ts";
import { composeNotice } from "./approver-mail.ts";
import type { HoldRooms } from "./holds.ts";

/** Sends the notice once for each pause. A failure for one mailbox does not stop the notices of others. */
export async function tellOfPauses(rooms: HoldRooms): Promise<void> {
  const failures: unknown[] = [];
  for (const agent of await listUntoldPauses(rooms.store))
    await tellOfPause(rooms, agent).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw new AggregateError(failures, "Some approvers could not be told of a pause");
}

async function tellOfPause(rooms: HoldRooms, agent: AgentNumber): Promise<void> {
  const { store, accounts } = rooms;
  const paused = await accounts.findAgentFacts(agent);
  if (paused?.pause === undefined) return;
  const subject = `${paused.address} is paused`;
  const text = noticeText(rooms, paused, paused.pause);
  const notices = [];
  for (const person of await listApprovers(rooms, agent))
    notices.push(await composeNotice(rooms, person, { subject, text }));
  const [first, ...others] = notices;
  if (first !== undefined) await tellApprover(store, { ...first, others, holds: [], pauses: [agent] });
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
