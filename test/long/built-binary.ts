/** Runs once before the tests of the binary and of whole programs: builds `dist/waypost`, which several of them use. */
import { execFileSync } from "node:child_process";
import path from "node:path";

const top = path.resolve(import.meta.dirname, "../..");

export const builtBinary = path.join(top, "dist/waypost");

export default function build(): void {
  execFileSync(process.execPath, ["config/build/build-binary.ts"], {
    cwd: top,
    stdio: ["ignore", "ignore", "inherit"],
  });
}
