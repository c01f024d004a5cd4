/** Before each file of tests: the threads of the house start from what was compiled of them. From its source a store opens four times
 *  as slowly. */
import { inject } from "vitest";
import { startCompiledThreads } from "#/src/threads/start-thread.ts";

const folder = inject("compiledFolder");
if (folder !== "") startCompiledThreads(new URL(folder));
