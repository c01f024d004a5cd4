import { statSync } from "node:fs";

/** Whether everybody on this computer can read a file, or a group can although this user owns the file. The server reads its own file
 *  as the owner, so it does not need the group's permission. */
export function isReadableByOthers(file: string): boolean {
  if (process.platform === "win32") return false;
  const { mode, uid } = statSync(file);
  return (mode & 0o004) !== 0 || ((mode & 0o040) !== 0 && uid === process.getuid?.());
}
