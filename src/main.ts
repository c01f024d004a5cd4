import { runProgram } from "./cli/program.ts";

// No top-level await: the one binary is CommonJS. The exit is explicit so that nothing that a failed start has left open
// keeps the process; standard output and error are written synchronously.
void runProgram(process.argv.slice(2)).finally(() => process.exit());
