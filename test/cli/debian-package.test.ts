/** The Debian package: its files, their owners, and the syntax of its scripts. A small file stands in for the binary. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { buildDeb, checksums } from "#/config/build/build-deb.ts";
import { exitCodes } from "#/src/cli/shell.ts";

const hasTools = ["dpkg-deb", "sh"].every((tool) => {
  try {
    execFileSync("sh", ["-c", `command -v ${tool}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});

test.runIf(hasTools)("has the program, the unit and scripts that create a user and never delete mail", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-package-"));
  try {
    const binary = path.join(folder, "waypost");
    fs.writeFileSync(binary, "#!/bin/sh\necho waypost\n", { mode: 0o755 });
    const deb = buildDeb(binary, "amd64", folder);
    const list = execFileSync("dpkg-deb", ["-c", deb], { encoding: "utf8" });
    expect(list).toMatch(/^-rwxr-xr-x root\/root .* \.\/usr\/bin\/waypost$/m);
    expect(list).toMatch(/^-rw-r--r-- root\/root .* \.\/usr\/lib\/systemd\/system\/waypost\.service$/m);
    for (const name of ["waypost-backup.service", "waypost-backup.timer"])
      expect(list).toContain(`./usr/lib/systemd/system/${name}`);
    const root = path.join(folder, "root");
    execFileSync("dpkg-deb", ["-R", deb, root]);
    const control = fs.readFileSync(path.join(root, "DEBIAN/control"), "utf8");
    expect(control).toMatch(/^Package: waypost\nVersion: \d+\.\d+\.\d+\nArchitecture: amd64$/m);
    for (const name of ["postinst", "prerm", "postrm"])
      execFileSync("sh", ["-n", path.join(root, "DEBIAN", name)]);
    // Nothing in the scripts deletes.
    for (const name of ["prerm", "postrm"])
      expect(fs.readFileSync(path.join(root, "DEBIAN", name), "utf8")).not.toMatch(/\brm\b|userdel/);
    const unit = fs.readFileSync(path.join(root, "usr/lib/systemd/system/waypost.service"), "utf8");
    const copies = fs.readFileSync(path.join(root, "usr/lib/systemd/system/waypost-backup.service"), "utf8");
    expect(copies).toContain(
      "ExecStart=/usr/bin/waypost backup /var/lib/waypost/backups --keep 7 --verify --config /etc/waypost/waypost.toml",
    );
    for (const line of [
      "ExecStart=/usr/bin/waypost start --config /etc/waypost/waypost.toml",
      "User=waypost",
      "AmbientCapabilities=CAP_NET_BIND_SERVICE",
      "NoNewPrivileges=yes",
      "ReadWritePaths=/var/lib/waypost",
      // The log that fail2ban reads, as the documentation has it.
      "LogsDirectory=waypost",
      // A wrong setting, or another wrong use, would only be refused again.
      `RestartPreventExitStatus=${exitCodes.usage}`,
    ])
      expect(unit.split("\n")).toContain(line);
    expect(checksums([deb])).toMatch(new RegExp(`^[0-9a-f]{64}  ${path.basename(deb)}\n$`));
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

test.runIf(hasTools)("says what failed when no package can be made", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-package-"));
  try {
    const binary = path.join(folder, "waypost");
    fs.writeFileSync(binary, "#!/bin/sh\n");
    const make = () => buildDeb(binary, "amd64", folder, { version: "a wrong one", compression: "none" });
    expect(make).toThrow(/dpkg-deb: error: .*version/s);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
