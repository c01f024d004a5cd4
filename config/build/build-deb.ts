/** Builds waypost_<version>_<arch>.deb around the one binary and beside it: node config/build/build-deb.ts [binary] [architecture]
 *
 *  The package has the program, a unit for systemd and a user without a shell. It has no settings: `waypost setup` writes them to
 *  /etc/waypost, and the data to /var/lib/waypost. An upgrade and a removal leave both. A purge leaves the data and says where it
 *  is. The SHA-256 of the package and the list of its contents (CycloneDX) are beside it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { formatBackupUnits, formatUnit } from "#/config/systemd-unit.ts";
import manifest from "#/package.json" with { type: "json" };

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
const config = "/etc/waypost/waypost.toml";
const data = "/var/lib/waypost";
const maintainer = "Waypost <waypost@localhost>";

const postinst = `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if ! getent passwd waypost >/dev/null; then
    useradd --system --user-group --home-dir ${data} --no-create-home --shell /usr/sbin/nologin waypost
  fi
  install -d -m 0750 -o root -g waypost /etc/waypost
  install -d -m 0700 -o waypost -g waypost ${data}
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if [ -e ${config} ]; then systemctl try-restart waypost.service; fi
  fi
  if [ ! -e ${config} ]; then
    echo "Set Waypost up: waypost setup --config ${config} --data ${data}/data --user waypost"
    echo "then: systemctl enable --now waypost"
  fi
fi
`;

const prerm = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl disable --now waypost.service waypost-backup.timer || true; fi
`;

const postrm = `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
if [ "$1" = purge ] && [ -d ${data} ]; then
  echo "The mail stays in ${data}, and the settings in /etc/waypost: delete them yourself if nobody needs them."
fi
`;

export interface DebOptions {
  readonly version?: string;
  /** Compressing the program with xz takes a minute. */
  readonly compression?: "xz" | "none";
}

/** Returns the path of the package. */
export function buildDeb(
  binary: string,
  architecture: string,
  out: string,
  { version = manifest.version, compression = "xz" }: DebOptions = {},
): string {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-deb-"));
  const put = (place: string, content: string | Buffer, mode = 0o644): void => {
    const file = path.join(root, place);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content, { mode });
    fs.chmodSync(file, mode);
  };
  try {
    fs.chmodSync(root, 0o755);
    put("usr/bin/waypost", fs.readFileSync(binary), 0o755);
    put("usr/lib/systemd/system/waypost.service", formatUnit({ program: "/usr/bin/waypost", config, data }));
    const backup = formatBackupUnits({ program: "/usr/bin/waypost", config, data });
    put("usr/lib/systemd/system/waypost-backup.service", backup.service);
    put("usr/lib/systemd/system/waypost-backup.timer", backup.timer);
    const top = path.resolve(import.meta.dirname, "../..");
    put(
      "usr/share/doc/waypost/waypost.example.toml",
      fs.readFileSync(path.join(top, "config/waypost.example.toml")),
    );
    put("usr/share/doc/waypost/copyright", fs.readFileSync(path.join(top, "LICENSE")));
    put("DEBIAN/control", controlText(version, architecture, Math.ceil(fs.statSync(binary).size / 1024)));
    for (const [name, text] of Object.entries({ postinst, prerm, postrm }))
      put(`DEBIAN/${name}`, text, 0o755);
    fs.mkdirSync(out, { recursive: true });
    const file = path.join(out, `waypost_${version}_${architecture}.deb`);
    // The error has what dpkg-deb wrote.
    execFileSync("dpkg-deb", ["--root-owner-group", `-Z${compression}`, "--build", root, file], {
      stdio: "pipe",
    });
    return file;
  } finally {
    fs.rmSync(root, { recursive: true, force: true });
  }
}

function controlText(version: string, architecture: string, kibibytes: number): string {
  return `Package: waypost
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${kibibytes}
Depends: libc6 (>= 2.34), libstdc++6, libatomic1, passwd
Section: mail
Priority: optional
Description: ${manifest.description}
 One daemon with SMTP, IMAP, CalDAV and CardDAV for the clients of people, and a
 JSON interface and MCP for software agents, over one SQLite store.
`;
}

/** A line of sha256sum for each file. */
export function checksums(files: readonly string[]): string {
  return files
    .map((file) => {
      const digest = createHash("sha256").update(fs.readFileSync(file)).digest("hex");
      return `${digest}  ${path.basename(file)}\n`;
    })
    .join("");
}

if (import.meta.filename === process.argv[1]) {
  const binary = path.resolve(process.argv[2] ?? path.join(import.meta.dirname, "../../dist/waypost"));
  const out = path.dirname(binary);
  const architecture = process.argv[3] ?? architectures[process.arch] ?? process.arch;
  const deb = buildDeb(binary, architecture, out);
  const sbom = path.join(out, "waypost.cdx.json");
  fs.writeFileSync(
    sbom,
    execFileSync("npm", ["sbom", "--omit", "dev", "--sbom-format", "cyclonedx"], {
      cwd: path.resolve(import.meta.dirname, "../.."),
      maxBuffer: 64 * 1024 * 1024,
    }),
  );
  fs.writeFileSync(path.join(out, "SHA256SUMS"), checksums([binary, deb, sbom]));
  console.log(deb);
}
