/** The folder in which programs with an operator token name files: of imports, exports and backups. They reach no other file of this host. */
import fs from "node:fs";
import path from "node:path";
import type { Settings } from "#/config/schema.ts";
import { WaypostError } from "#/src/model/errors.ts";

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9._@+-]{0,199}$/;

export function exchangeFolder({ operator, storage }: Pick<Settings, "operator" | "storage">): string {
  return path.resolve(operator.files === "" ? path.join(storage.folder, "exchange") : operator.files);
}

/** Where a name is. Throws `invalid` for anything but a plain name, and for a link to elsewhere. */
export function createExchange(settings: Pick<Settings, "operator" | "storage">) {
  const folder = exchangeFolder(settings);
  return (name: string): string => {
    if (!namePattern.test(name))
      throw new WaypostError("invalid", "A file is named by letters, digits and . _ @ + - alone.", {
        field: "/file",
        hint: `Files are in ${folder} on the server (operator.files).`,
      });
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    const place = path.join(folder, name);
    if (fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true)
      throw new WaypostError("invalid", `${name} is a link.`, { field: "/file" });
    return place;
  };
}
