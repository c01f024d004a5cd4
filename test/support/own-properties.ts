/** For each declared property of messages and folders a value that none has by itself, by the names of `/v1`. */
import type { DeclaredProperties, ShownDeclarations } from "#/src/model/declared-properties.ts";
import { folderProperties } from "#/src/model/folder-properties.ts";
import { messageProperties } from "#/src/model/message-properties.ts";

const ownOf = <D extends ShownDeclarations>(properties: DeclaredProperties<D>) =>
  properties.forEachColumn({
    name: "Own",
    text: "Own",
    number: 7,
    flag: true,
    time: "2031-02-03T04:05:06.789Z",
  });

export const ownOfMessage = ownOf(messageProperties);
export const ownOfFolder = ownOf(folderProperties);
