/** What people and programs set on a folder, beside its name (`declared-properties.ts`). They are shown and set over `/v1` (`folder.create`,
 *  `folder.update`), and go into archives. One more is one more line, for example
 *  `colour: { column: "colour", form: "text", charactersMax: 7, says: "#rrggbb." }`, and the migration of its column. */
import {
  propertiesOf,
  type SettableProperties,
  type ShownDeclarations,
  type StoredProperties,
} from "./declared-properties.ts";

export const folderDeclarations = {} as const satisfies ShownDeclarations;

export const folderProperties = propertiesOf(folderDeclarations);
export type StoredOfFolder = StoredProperties<typeof folderDeclarations>;
export type SettableOfFolder = SettableProperties<typeof folderDeclarations>;
