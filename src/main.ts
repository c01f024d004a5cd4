import { runProgram } from "./cli/program.ts";

// No top-level await: the one binary is CommonJS.
void runProgram(process.argv.slice(2));
