/** The exit code of a suite that could not run, as automake's tests have it. It is neither passed nor failed. */
export const didNotRunCode = 77;

/** Ends the suite: this machine does not have what it needs. */
export function didNotRun(reason: string): never {
  console.log(`did not run: ${reason}`);
  process.exit(didNotRunCode);
}
