/** What `/v1` says of a folder wherever it shows one. */
import type { Mailbox } from "#/src/mail/mailboxes.ts";
import { folderDeclarations } from "#/src/model/folder-properties.ts";
import { shownProperties } from "#/src/render/shown-properties.ts";
import type { ContentOf } from "../contents.ts";
import { roleField } from "./folder-role.ts";

type Shown = NonNullable<ContentOf<"agent">["folders"]>[number];

export function folderFacts(folder: Mailbox): Omit<Shown, "size"> {
  const { id, name, role, messageCount, unseenCount, properties } = folder;
  return {
    id,
    path: name,
    ...roleField(role),
    total: messageCount,
    unread: unseenCount,
    ...shownProperties(folderDeclarations, properties),
  };
}
