/** Serves one store after the other, each on a port of its own (`kept-writers.ts`). */
import { type MessagePort, parentPort } from "node:worker_threads";
import { serveStore, type WriterData } from "#/storage/sqlite/serve-store.ts";

parentPort!.on("message", ({ port, data }: { readonly port: MessagePort; readonly data: WriterData }) => {
  port.on("close", () => parentPort!.postMessage("served"));
  serveStore(port, data);
});
