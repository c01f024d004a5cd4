/** The answer to a REFRESH that came by mail. */
import { nobody, server } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import { mailAddressOf, readCalendarAddress } from "../calendar-address.ts";
import { listOwnAddresses } from "../calendar-users.ts";
import type { LocalRooms } from "../outgoing/local-copies.ts";
import { createAttachedReader } from "../outgoing/mailed-attachments.ts";
import { planMails } from "../outgoing/outgoing-mail.ts";
import type { ArrivingMail } from "./arriving-mail.ts";

const attemptsMax = 5;

export interface RefreshRooms extends LocalRooms {
  readonly outbound: Pick<Outbound, "plan" | "ring">;
}

/** Runs after the mail was delivered. If the answer cannot be sent (paused, a limit), it is dropped: the attendee can ask again. */
export async function answerRefreshMail(
  rooms: RefreshRooms,
  { calendar, author, recipients }: Omit<ArrivingMail, "provenance">,
): Promise<void> {
  if (calendar.method !== "REFRESH") return;
  for (const { agent, addresses } of recipients)
    try {
      for (let attempt = 1; attempt <= attemptsMax; attempt++)
        if (await tryAnswer(rooms, agent, addresses, calendar, author)) break;
    } catch (error) {
      if (!isWaypostError(error)) throw error;
    }
}

/** False if another write changed the object first. */
async function tryAnswer(
  rooms: RefreshRooms,
  agent: AgentNumber,
  known: readonly string[],
  { uid, bytes }: ArrivingMail["calendar"],
  author: string,
): Promise<boolean> {
  const { accounts, collections, schedulers, outbound } = rooms;
  const owner = await accounts.findAgentFacts(agent);
  const items = await collections.findItemsByUid(agent, uid, { kind: "calendar" });
  const number = items.find(({ scheduleTag }) => scheduleTag !== undefined)?.number;
  const [held] = number === undefined ? [] : await collections.readItems(agent, [number]);
  if (owner === undefined || held === undefined) return true;
  const who = await listOwnAddresses(rooms, owner, [held.bytes], known);
  const nowMs = collections.clock.now();
  const sender = readCalendarAddress(`mailto:${author}`);
  const answer = await schedulers.run({
    kind: "answer",
    stored: held.bytes,
    message: bytes,
    who,
    author: sender,
    nowMs,
  });
  if (answer.outcome !== "decided" || answer.stored === undefined) return true;
  const principal = { agent, kind: owner.kind };
  const inviter = mailAddressOf(answer.messages[0]!.to);
  const readAttached = createAttachedReader(collections, owner);
  const asking = { owner, principal, uid, inviter, nowMs, readAttached };
  const { mails } = await planMails(rooms, asking, answer.messages);
  if (mails.length === 0) return true;
  const { collection, provenance, isAuthenticated, modseq } = held;
  const put = {
    kind: "put" as const,
    collection,
    item: held.number,
    bytes: answer.stored,
    provenance,
    isAuthenticated,
    expected: { version: String(modseq) },
    keepsScheduleTag: true,
  };
  try {
    await collections.changeItems(
      server,
      [{ agent, actor: { ...nobody, agent }, actions: [put] }],
      undefined,
      mails,
    );
  } catch (error) {
    if (isWaypostError(error) && error.code === "precondition_failed") return false;
    throw error;
  }
  outbound.ring();
  return true;
}
