/** Builds and uses `disk-shim.c`. When a program that runs with it is killed, it loses everything that no sync has made durable. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

/** The library to preload, or the reason why this machine cannot build it. */
export function buildDiskShim(folder: string): { library: string } | { reason: string } {
  if (process.platform !== "linux") return { reason: "the shim is preloaded, which needs Linux" };
  const library = path.join(folder, "disk-shim.so");
  const source = new URL("disk-shim.c", import.meta.url).pathname;
  const built = spawnSync("cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"], {
    encoding: "utf8",
  });
  if (built.error !== undefined) return { reason: "there is no C compiler (cc)" };
  if (built.status !== 0) throw new Error(`cc could not build the shim: ${built.stderr}`);
  return { library };
}

export interface PowerLoss {
  /** The environment of the program that will lose its power. */
  readonly environment: Readonly<Record<string, string>>;
  /** Call after the kill: puts the folder into the state that the disk would have. */
  restore(): void;
}

/** Makes the current state of `folder` the first durable state. `spare` is an empty folder elsewhere. */
export function beginPowerLoss(library: string, folder: string, spare: string): PowerLoss {
  fs.rmSync(spare, { recursive: true, force: true });
  fs.mkdirSync(spare, { recursive: true });
  const names = fs.readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of names) fs.copyFileSync(path.join(folder, name), path.join(spare, name));
  fs.writeFileSync(path.join(spare, ".names"), names.map(({ name }) => `${name}\n`).join(""));
  return {
    environment: { LD_PRELOAD: library, SHADOW_FROM: fs.realpathSync(folder), SHADOW_TO: spare },
    restore() {
      for (const entry of fs.readdirSync(folder, { withFileTypes: true }))
        if (entry.isFile()) fs.rmSync(path.join(folder, entry.name));
      const durable = fs.readFileSync(path.join(spare, ".names"), "utf8").split("\n").filter(Boolean);
      for (const name of durable) {
        const copy = path.join(spare, name);
        // A durable name whose file was never synced is an empty file.
        if (fs.existsSync(copy)) fs.copyFileSync(copy, path.join(folder, name));
        else fs.writeFileSync(path.join(folder, name), "");
      }
    },
  };
}
