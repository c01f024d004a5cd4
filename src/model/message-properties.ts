/** What people and programs set on a message, beside its flags and labels (`declared-properties.ts`). All places of the message in a mailbox
 *  share them. They are shown and set over `/v1` (`message.update`), and go into copies, to other owners, into new versions of drafts and
 *  into archives; a file of mail has no place for them. What is true or false is a mark instead (`marks.ts`), which mail programs show too.
 *  One more is one more line, for example `note: { column: "note", form: "text", charactersMax: 500, says: "A note for yourself." }`, and
 *  the migration of its column. */
import {
  propertiesOf,
  type SettableProperties,
  type ShownDeclarations,
  type StoredProperties,
} from "./declared-properties.ts";

export const messageDeclarations = {} as const satisfies ShownDeclarations;

export const messageProperties = propertiesOf(messageDeclarations);
export type StoredOfMessage = StoredProperties<typeof messageDeclarations>;
export type SettableOfMessage = SettableProperties<typeof messageDeclarations>;
