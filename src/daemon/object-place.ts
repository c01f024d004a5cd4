import type { Settings } from "#/config/schema.ts";
import type { ObjectPlace } from "#/storage/objects/objects.ts";

/** Undefined where bodies are rows. */
export function objectsOf({ blobs, blobsKeyFile }: Settings["storage"]): ObjectPlace | undefined {
  if (blobs === "") return undefined;
  return blobsKeyFile === "" ? { url: blobs } : { url: blobs, keyFile: blobsKeyFile };
}
