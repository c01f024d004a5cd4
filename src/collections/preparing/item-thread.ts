/** The thread that parses items and derives their facts. */
import { isWaypostError } from "#/src/model/errors.ts";
import { serveJobs } from "#/src/threads/serve-jobs.ts";
import { deriveItem, readItem } from "./derive-item.ts";
import type { ItemAnswer, ItemJob } from "./preparation.ts";

serveJobs<undefined, ItemJob, ItemAnswer>(() => async ({ bytes, item }) => {
  try {
    const facts = await deriveItem(bytes, readItem(bytes, item), item.at);
    return { result: { facts }, transfer: [facts.data.buffer as ArrayBuffer] };
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    const { reason } = error.details;
    return { result: { refusal: { message: error.message, reason } }, transfer: [] };
  }
});
