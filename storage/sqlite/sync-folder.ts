import fs from "node:fs";

/** The names of new files are durable only when their folder is. */
export function syncFolder(folder: string): void {
  // Windows has no such thing.
  if (process.platform === "win32") return;
  const descriptor = fs.openSync(folder, "r");
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}
