import { hostedThread } from "./threads/process-messages.ts";

// No top-level await: the one binary is CommonJS. The exit is explicit so that nothing that a failed start has left open
// keeps the process; standard output and error are written synchronously.
if (process.env[hostedThread] === undefined) {
  // Only this user can read the files that a command or the daemon writes (store, backup, log, key).
  process.umask(0o077);
  import("./cli/program.ts")
    .then(({ runProgram }) => runProgram(process.argv.slice(2)))
    .then((code) => process.exit(code), fail);
}
// The one binary is started again for a thread that has a process of its own.
else import("./threads/process-host.ts").catch(fail);

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
