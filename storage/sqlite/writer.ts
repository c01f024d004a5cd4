/** The writer thread of a store. */
import { parentPort, workerData } from "node:worker_threads";
import { watchMainThread } from "#/src/threads/watchdog.ts";
import { serveStore, type WriterData } from "./serve-store.ts";

watchMainThread();
serveStore(parentPort!, workerData as WriterData);
