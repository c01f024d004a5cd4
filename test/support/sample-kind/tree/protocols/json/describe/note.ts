import { z } from "zod";
import type { GrantRight } from "#/src/model/grants.ts";
import type { ObjectName } from "#/src/model/ids.ts";
import { type ReachedData, reachAgent } from "#/src/reach/agents.ts";
import { forbidden } from "#/src/reach/refusals.ts";
import type { Current } from "../current.ts";
import { unknownObject } from "../errors.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { assertRender } from "./assert-render.ts";
import type { PartRequest } from "./part-request.ts";

export const noteFields = {
  title: z.string().max(200).describe("One line."),
  body: z.string().max(20_000).describe("The text."),
};
export const shownNote = z.strictObject({ id: z.string(), ...noteFields });

export function reachesNote({ objects }: ReachedData, note: number): boolean {
  return objects.note === "all" || objects.note.has(note);
}

/** The owner of a note that the login reaches. */
export async function reachNote(
  context: OperationContext,
  name: ObjectName,
  right: GrantRight,
): Promise<ReachedData> {
  const reached = await reachAgent(context, name.agent, right);
  if (reachesNote(reached, name.object)) return reached;
  throw forbidden("The grant does not reach this note.");
}

export async function findNote(context: OperationContext, name: ObjectName): Promise<Current | undefined> {
  const note = await context.rooms.mail.findNote(name.agent, name.object);
  if (note === undefined) return undefined;
  const id = context.rooms.mail.ids.encode("note", name.agent, note.note);
  return { version: String(note.modseq), content: { id, title: note.title, body: note.body } };
}

export async function describeNote(
  context: OperationContext,
  name: ObjectName,
  request: PartRequest,
): Promise<ReadResult> {
  assertRender(request.render, ["json"]);
  await reachNote(context, name, "mail:read");
  return { ref: request.id, kind: "note", ...((await findNote(context, name)) ?? unknownObject()) };
}
