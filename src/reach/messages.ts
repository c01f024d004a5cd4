/** Messages and folders of a reached agent: what a grant on some folders shows of them. */
import type { Mail } from "#/src/mail/mail.ts";
import type { Message } from "#/src/mail/messages.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import type { Asked, ReachedData } from "./agents.ts";
import { forbidden, noSuchObject } from "./refusals.ts";

/** Who asks, of mail. */
export interface AskedOfMail extends Asked {
  readonly rooms: Asked["rooms"] & { readonly mail: Pick<Mail, "findMessage"> };
}

export type ReachedFolders = Pick<ReachedData, "agent" | "objects">;

export function isVisible({ objects }: ReachedFolders, mailbox: MailboxNumber): boolean {
  return objects.mailbox === "all" || objects.mailbox.has(mailbox);
}

/** Throws `forbidden_scope` when none of the folders is reached. */
export function assertVisible(reached: ReachedFolders, mailboxes: readonly MailboxNumber[]): void {
  if (mailboxes.some((mailbox) => isVisible(reached, mailbox))) return;
  throw forbidden(
    "The grant does not reach this folder.",
    "The credential itself is fine; the operator chooses the folders of a grant.",
  );
}

/** What is in no folder, and the folders themselves, are for who reaches them all. */
export function assertReachesAll({ objects }: ReachedFolders): void {
  if (objects.mailbox === "all") return;
  throw forbidden(
    "The grant reaches some folders only.",
    "The credential itself is fine; the operator can grant reach to all folders.",
  );
}

/** To what a cursor is bound beside what was asked: it is of no use once the reach is another. */
export function reachName({ agent, objects }: ReachedFolders): string {
  const { mailbox } = objects;
  return `${agent}:${mailbox === "all" ? "all" : [...mailbox].toSorted((a, b) => a - b).join(",")}`;
}

/** A message that the login reaches, in a folder that it reaches. Throws `not_found`, `forbidden_scope`. */
export async function reachMessage(
  asked: AskedOfMail,
  reached: ReachedFolders,
  number: number,
): Promise<Message> {
  const message = await reachMessageIfAny(asked, reached, number);
  if (message === undefined) throw noSuchObject();
  return message;
}

/** The same where a message that has gone is no refusal; one that is there has to be in reach. */
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
