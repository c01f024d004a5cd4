/** The single binary for Linux on arm64, run by Debian's qemu-user: apt-get install qemu-user libc6-arm64-cross
 *  libstdc++6-arm64-cross libatomic1-arm64-cross */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChildDaemon } from "../support/daemon.ts";

const top = new URL("../..", import.meta.url).pathname;
const libraries = "/usr/aarch64-linux-gnu";
const hasQemu =
  spawnSync("qemu-aarch64", ["--version"]).status === 0 &&
  fs.existsSync(`${libraries}/lib/libatomic.so.1`) &&
  fs.existsSync(`${libraries}/lib/libstdc++.so.6`);
if (!hasQemu)
  console.log(
    "nothing of arm64 is run here: qemu-aarch64 or the libraries in /usr/aarch64-linux-gnu are absent",
  );

describe.runIf(hasQemu && process.arch === "x64")("the binary for arm64", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-arm64-"));
  const binary = path.join(folder, "waypost");
  const emulated = ["qemu-aarch64", "-L", libraries, binary];
  beforeAll(() => {
    execFileSync(process.execPath, ["config/build/build-binary.ts", "linux-arm64", folder], { cwd: top });
  }, 180_000);
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  test("is built for arm64, serves requests, accepts a mail and stops cleanly", {
    timeout: 300_000,
  }, async () => {
    // The machine field in the header of an ELF file: 183 is AArch64.
    expect(fs.readFileSync(binary).readUInt16LE(18)).toBe(183);
    const data = path.join(folder, "data");
    await using daemon = await startChildDaemon({ command: emulated, cwd: folder, data });
    const { address, token } = daemon.agents[0]!;
    const [program, ...args] = emulated;
    const deliver = [
      "deliver",
      "--to",
      address,
      "--subject",
      "Hello",
      "--text",
      "From arm64",
      "--data",
      data,
    ];
    expect(execFileSync(program!, [...args, ...deliver], { cwd: folder, encoding: "utf8" })).toContain(
      "250 ",
    );
    const response = await fetch(`${daemon.http.url}/v1/search`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(await response.text()).toContain("Hello");
    expect(await daemon.stop()).toBe(0);
  });
});
