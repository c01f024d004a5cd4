/** Runs before each test file: threads start from the compiled code, and those of writers are kept. From source, a thread takes four times
 *  as long to start. */
import { inject } from "vitest";
import { startCompiledThreads } from "#/src/threads/start-thread.ts";
import { keepWriters } from "./kept-writers.ts";

const folder = inject("compiledFolder");
if (folder !== "") startCompiledThreads(new URL(folder));
keepWriters();
