/** The mails that a person decides about, and one of them with what is needed to decide. Every right is asked for anew in each request. */
import type { Message } from "#/src/mail/messages.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { isDecider } from "#/src/model/holds.ts";
import type { Hold } from "#/src/outbound/holds/holds.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { type Approved, listApproved } from "#/src/reach/approvers.ts";
import { reachMessageIfAny } from "#/src/reach/messages.ts";
import type { PageSession } from "#/src/sign-in/sign-in.ts";
import type { SignedVisit, WebRooms } from "../visit.ts";

export interface AgentOfMine {
  readonly reached: Approved;
  /** Waiting and approved ones, the oldest first. */
  readonly holds: readonly Hold[];
}

export interface Opened {
  readonly id: string;
  readonly reached: ReachedData;
  readonly hold: Hold;
  /** undefined for a mail that was deleted after the decision. */
  readonly message: Message | undefined;
}

/** The agents whose mail the person approves, and the person, where own mail waits. */
export async function listLive(
  rooms: WebRooms,
  session: Pick<PageSession, "principal">,
): Promise<readonly AgentOfMine[]> {
  const agents = await listApproved({ rooms, principal: session.principal });
  const all = await Promise.all(
    agents.map(async (reached) => ({
      reached,
      holds: (await rooms.holds.listLive(reached.agent)).filter(reached.decides),
    })),
  );
  return all.filter(({ reached, holds }) => !reached.isOwn || holds.length > 0);
}

export function waitingOf(agents: readonly AgentOfMine[]): readonly Hold[] {
  return agents.flatMap(({ holds }) => holds.filter(({ state }) => state === "waiting"));
}

/** Throws `not_found` and `forbidden_scope`, which a page shows alike. */
export async function openHold({ rooms, session }: SignedVisit, id: string): Promise<Opened> {
  const name = rooms.mail.ids.decode(id);
  if (name?.kind !== "hold") throw new WaypostError("not_found", "There is no such mail.");
  const asked = { rooms, principal: session.principal };
  const reached = await reachAgent(asked, name.agent, "approve");
  const hold = await rooms.holds.findHold(name.agent, name.object);
  if (hold === undefined || !isDecider(session.principal.agent, hold))
    throw new WaypostError("not_found", "There is no such mail.");
  const message = await reachMessageIfAny(asked, reached, hold.message).catch((error: unknown) => {
    // Sent mail is in a folder that an approver does not read.
    if (hold.state !== "waiting" && hold.state !== "approved") return undefined;
    throw error;
  });
  return { id, reached, hold, message };
}

export function holdId({ mail }: WebRooms, hold: Hold): string {
  return mail.ids.encode("hold", hold.agent, hold.hold);
}

/** How a mail stands that a page shows: its state and its version. */
export function standingOf(hold: Hold): string {
  return `${hold.state}.${versionOf(hold)}`;
}

/** What a page shows and an approval is bound to: the digest of the octets and of the envelope. */
export function versionOf(hold: Hold): string {
  return Buffer.from(hold.digest).toString("hex");
}
