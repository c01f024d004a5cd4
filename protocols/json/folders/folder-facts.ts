/** What `/v1` says of a folder wherever it shows one. */
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import type { ContentOf } from "../contents.ts";
import { roleField } from "./folder-role.ts";

type Shown = NonNullable<ContentOf<"agent">["folders"]>[number];

export function folderFacts(folder: Mailbox): Omit<Shown, "size"> {
  const { id, name, role, messageCount, unseenCount } = folder;
  return { id, path: name, ...roleField(role), total: messageCount, unread: unseenCount };
}
