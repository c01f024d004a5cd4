/** `hold_…`: the mail that waits, why it waits, and its recipients, also those that its header does not name. */
import type { ObjectName } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Scope } from "#/src/model/roles.ts";
import type { Hold } from "#/src/outbound/holds/holds.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { isVisible, reachMessageIfAny } from "#/src/reach/messages.ts";
import type { Current } from "../current.ts";
import { unknownObject } from "../errors.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { authorFactsOf } from "./author-facts.ts";
import { bytesOf, describeStoredMessage } from "./message.ts";
import type { PartRequest } from "./part-request.ts";

export interface ReachedHold {
  readonly reached: ReachedData;
  readonly hold: Hold;
}

/** A hold that the caller may read: it must reach the folder that the mail is in. */
export async function reachHold(
  context: OperationContext,
  name: ObjectName,
  scope: Scope,
): Promise<ReachedHold> {
  const reached = await reachAgent(context, name.agent, scope);
  const hold = await context.rooms.holds.findHold(name.agent, name.object);
  if (hold === undefined) unknownObject();
  await reachMessageIfAny(context, reached, hold.message);
  return { reached, hold };
}

/** The current state that a refused compare-and-swap answers. */
export async function currentHold(
  context: OperationContext,
  { agent }: ReachedData,
  number: number,
): Promise<Current | undefined> {
  const hold = await context.rooms.holds.findHold(agent, number);
  return hold && { version: String(hold.modseq), content: factsOf(context, hold) };
}

export async function describeHold(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const { reached, hold } = await reachHold(context, name, "mail:read");
  const version = String(hold.modseq);
  const message = await context.rooms.mail.findMessage(hold.agent, hold.message);
  // The state of a hold can be read after its mail was deleted.
  const content = { ...factsOf(context, hold), ...(await answeredFacts(context, reached, hold)) };
  if (message === undefined) return { ref: request.id, kind: "hold", version, content };
  const object = {
    kind: "hold",
    agent: hold.agent,
    number: hold.hold,
    version,
    ...bytesOf(message),
  } as const;
  const read = await describeStoredMessage(context, { reached, message, object, ref: request.id }, request);
  if (read.kind !== "message") return read;
  return { ...read, kind: "hold", content: { ...read.content, ...content } };
}

/** Of the author whose mail it answers, where the caller reads that mail. */
async function answeredFacts(context: OperationContext, reached: ReachedData, { envelope }: Hold) {
  if (envelope.answers === null) return {};
  const answered = await context.rooms.mail.findMessage(reached.agent, envelope.answers);
  const isRead = answered?.places.some(({ mailbox }) => isVisible(reached, mailbox)) === true;
  return isRead ? authorFactsOf(context, answered!) : {};
}

function factsOf({ rooms }: OperationContext, hold: Hold): Readonly<Record<string, unknown>> {
  const { ids } = rooms.mail;
  const agentId = (agent: AgentNumber | 0) => (agent === 0 ? "operator" : ids.encode("agent", agent));
  const time = (at: number): string => new Date(at).toISOString();
  return {
    id: ids.encode("hold", hold.agent, hold.hold),
    message: ids.encode("message", hold.agent, hold.message),
    version: String(hold.modseq),
    state: hold.state,
    reason: hold.reason,
    recipients: hold.envelope.recipients.map(({ address }) => address),
    digest: Buffer.from(hold.digest).toString("hex"),
    requested_by: agentId(hold.requestedBy),
    ...(hold.decidedBy === null ? {} : { decided_by: agentId(hold.decidedBy) }),
    ...(hold.decidedAt === null ? {} : { decided_at: time(hold.decidedAt) }),
    ...(hold.why === null ? {} : { why: hold.why }),
    ...(hold.note === null ? {} : { note: hold.note }),
    created_at: time(hold.createdAt),
    expires_at: time(hold.expiresAt),
    ...(hold.sendAt > hold.createdAt ? { send_at: time(hold.sendAt) } : {}),
  };
}
