/** The SQLite addon. From source the package loads its own file; inside the one binary it is an asset, which the system can
 *  only load from a file: it is written once into a folder of the store, under a name that holds its SHA-256. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import sea from "node:sea";

let addon: unknown;

/** The loaded addon inside the binary, undefined elsewhere. `folder` must not be mounted noexec. */
export function sqliteAddon(folder: string): unknown {
  if (!sea.isSea()) return undefined;
  if (addon !== undefined) return addon;
  const bytes = Buffer.from(sea.getRawAsset("better-sqlite3.node") as ArrayBuffer);
  const directory = path.join(folder, "native");
  const file = path.join(directory, `better-sqlite3-${sha256(bytes).slice(0, 32)}.node`);
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (!fs.existsSync(file) || sha256(fs.readFileSync(file)) !== sha256(bytes)) {
    const temporary = `${file}.${process.pid}.${performance.now()}`;
    fs.writeFileSync(temporary, bytes, { mode: 0o500, flag: "wx" });
    fs.renameSync(temporary, file);
  }
  const holder = { exports: {} as unknown };
  process.dlopen(holder, file);
  addon = holder.exports;
  return addon;
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
