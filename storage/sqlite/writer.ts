/** The writer thread of a store. */
import { parentPort, workerData } from "node:worker_threads";
import { serveStore, type WriterData } from "./serve-store.ts";

serveStore(parentPort!, workerData as WriterData);
