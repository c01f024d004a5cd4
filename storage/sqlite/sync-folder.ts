import fs from "node:fs";

/** The name of a new file is durable only after an fsync of its folder. */
export function syncFolder(folder: string): void {
  // Windows cannot sync a folder.
  if (process.platform === "win32") return;
  const descriptor = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
