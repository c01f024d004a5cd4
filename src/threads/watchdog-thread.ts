/** A thread for the watchdog alone, where no other thread lives as long as the process: with a store in PostgreSQL. */
import { parentPort } from "node:worker_threads";
import { watchMainThread } from "./watchdog.ts";

watchMainThread();
// Its port keeps the thread alive.
parentPort!.on("message", () => {});
