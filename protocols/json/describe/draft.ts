/** `draft_…`: the draft's current message, with the options that its writer chose. */
import type { Draft } from "#/src/mail/drafts.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import type { Scope } from "#/src/model/roles.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { assertVisible } from "#/src/reach/messages.ts";
import { isoTime } from "#/src/render/iso-time.ts";
import type { Current } from "../current.ts";
import { unknownObject } from "../errors.ts";
import { listedForm } from "../listing.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { bytesOf, describeStoredMessage } from "./message.ts";
import type { PartRequest } from "./part-request.ts";

export interface ReachedDraft {
  readonly reached: ReachedData;
  readonly draft: Draft;
}

/** A draft that the caller may read: it must reach the folder Drafts. */
export async function reachDraft(
  context: OperationContext,
  name: ObjectName,
  scope: Scope,
): Promise<ReachedDraft> {
  const reached = await reachAgent(context, name.agent, scope);
  await assertReachesDrafts(context, reached);
  const draft = await context.rooms.mail.findDraft(name.agent, name.object);
  return { reached, draft: draft ?? unknownObject() };
}

export async function assertReachesDrafts(context: OperationContext, reached: ReachedData): Promise<void> {
  const mailboxes = await context.rooms.mail.listMailboxes(reached.agent);
  assertVisible(
    reached,
    mailboxes.filter(({ role }) => role === "drafts").map(({ number }) => number),
  );
}

/** The current state that a refused compare-and-swap answers. */
export async function findDraft(
  context: OperationContext,
  reached: ReachedData,
  number: number,
): Promise<Current | undefined> {
  const { mail } = context.rooms;
  const draft = await mail.findDraft(reached.agent, number);
  const message = draft && (await mail.findMessage(draft.agent, draft.message));
  if (draft === undefined || message === undefined) return undefined;
  const form = await listedForm(context, reached, message);
  return { version: draft.version, content: { ...form, ...factsOf(context, draft), version: draft.version } };
}

export async function describeDraft(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  const { reached, draft } = await reachDraft(context, name, "mail:read");
  const { agent, version, id } = draft;
  const message = await context.rooms.mail.findMessage(agent, draft.message);
  if (message === undefined) unknownObject();
  const object = { kind: "draft", agent, number: draft.number, version, ...bytesOf(message) } as const;
  const read = await describeStoredMessage(context, { reached, message, object, ref: id }, request);
  if (read.kind !== "message") return read;
  return { ...read, kind: "draft", content: { ...read.content, ...factsOf(context, draft) } };
}

function factsOf({ rooms }: OperationContext, draft: Draft): Readonly<Record<string, unknown>> {
  const { sendAt, hold } = draft.options;
  return {
    id: draft.id,
    message: rooms.mail.ids.encode("message", draft.agent, draft.message),
    ...(sendAt === undefined ? {} : { send_at: isoTime(Date.parse(sendAt)) }),
    ...(hold === undefined ? {} : { hold }),
  };
}
