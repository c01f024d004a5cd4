/** Access to messages and folders of an agent, for a grant on some of its folders. */
import type { Mail } from "#/src/mail/mail.ts";
import type { Message } from "#/src/mail/messages.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import type { Asked, ReachedData } from "./agents.ts";
import { forbidden, noSuchObject } from "./refusals.ts";

/** The login and the rooms that are needed to check access to mail. */
export interface AskedOfMail extends Asked {
  readonly rooms: Asked["rooms"] & { readonly mail: Pick<Mail, "findMessage"> };
}

export type ReachedFolders = Pick<ReachedData, "agent" | "objects">;

export function isVisible({ objects }: ReachedFolders, mailbox: MailboxNumber): boolean {
  return objects.mailbox === "all" || objects.mailbox.has(mailbox);
}

/** Throws `forbidden_scope` if the grant reaches none of the folders. */
export function assertVisible(reached: ReachedFolders, mailboxes: readonly MailboxNumber[]): void {
  if (mailboxes.some((mailbox) => isVisible(reached, mailbox))) return;
  throw forbidden(
    "The grant does not reach this folder.",
    "The credential itself is fine; the operator chooses the folders of a grant.",
  );
}

/** Objects in no folder, and changes of folders themselves, need reach to all folders. */
export function assertReachesAll({ objects }: ReachedFolders): void {
  if (objects.mailbox === "all") return;
  throw forbidden(
    "The grant reaches some folders only.",
    "The credential itself is fine; the operator can grant reach to all folders.",
  );
}

/** The reach as text, to which a cursor is bound: with another reach the cursor is refused. */
export function reachName({ agent, objects }: ReachedFolders): string {
  const { mailbox } = objects;
  return `${agent}:${mailbox === "all" ? "all" : [...mailbox].toSorted((a, b) => a - b).join(",")}`;
}

/** A message in a folder that the login reaches. Throws `not_found`, `forbidden_scope`. */
export async function reachMessage(
  asked: AskedOfMail,
  reached: ReachedFolders,
  number: number,
): Promise<Message> {
  const message = await reachMessageIfAny(asked, reached, number);
  if (message === undefined) throw noSuchObject();
  return message;
}

/** The same, but gives undefined for a deleted message. An existing one must be in reach. */
export async function reachMessageIfAny(
  { rooms }: AskedOfMail,
  reached: ReachedFolders,
  number: number,
): Promise<Message | undefined> {
  const message = await rooms.mail.findMessage(reached.agent, number as Message["number"]);
  if (message === undefined) return undefined;
  assertVisible(
    reached,
    message.places.map((place) => place.mailbox),
  );
  return message;
}
