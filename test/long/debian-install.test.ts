/** The Debian package on a Debian root of its own: installed, set up, started as its own user on the mail ports, upgraded, removed and
 *  purged. The root is this machine's, below an overlay and in its own mount and network namespaces, so nothing here changes. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { buildDeb } from "#/config/build/build-deb.ts";
import { builtBinary } from "./built-binary.ts";

const architecture = process.arch === "arm64" ? "arm64" : "amd64";

/** The reason why the test cannot run here. It needs the superuser of a Debian, for overlays, namespaces and packages. */
const obstacle = findObstacle();

function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return "only the superuser can make a root of its own";
  for (const tool of ["dpkg", "dpkg-deb", "unshare", "chroot", "setpriv", "ip"])
    if (spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0) return `${tool} is absent`;
  if (!fs.readFileSync("/proc/filesystems", "utf8").includes("overlay")) return "the kernel has no overlayfs";
  return undefined;
}
if (obstacle !== undefined) console.log(`the Debian package is not installed here: ${obstacle}`);

/** Runs in the new root. Each line `== name` begins a part of the output that the test checks. */
const script = `
set -eu
settings='--config /etc/waypost/waypost.toml'
privileges='--reuid waypost --regid waypost --init-groups --inh-caps +net_bind_service --ambient-caps +net_bind_service'
as_waypost() { setpriv $privileges "$@"; }
start() {
  setpriv $privileges /usr/bin/waypost start $settings >/tmp/log 2>&1 &
  pid=$!
  for try in $(seq 150); do
    if as_waypost waypost status $settings >/tmp/status 2>/dev/null; then return; fi
    kill -0 $pid || { cat /tmp/log; exit 1; }
    sleep 0.2
  done
  cat /tmp/log; exit 1
}
stop() { kill $pid; wait $pid; }
found() { as_waypost waypost call search --agent robin@ours.net --json '{"folder":"inbox"}' $settings; }

ip link set lo up
rm -rf /etc/waypost /var/lib/waypost
echo '== install'; dpkg -i /packages/first.deb
echo '== user'; getent passwd waypost
echo '== folders'; stat -c '%n %U %G %a' /etc/waypost /var/lib/waypost
echo '== setup'
waypost setup --domain ours.net --person me --agent robin --no-acme --yes $settings --data /var/lib/waypost/data --user waypost
stat -c '%n %U %a' /etc/waypost/waypost.toml /var/lib/waypost/data
start
echo '== banner'; bash -c 'exec 3<>/dev/tcp/127.0.0.1/25; read -r line <&3; echo "$line"'
as_waypost waypost deliver --to robin@ours.net --subject Kept --text 'Before the upgrade' $settings
echo '== before'; found
stop
echo '== upgrade'; dpkg -i /packages/second.deb
dpkg-query -W -f '\${Version}\\n' waypost
start
echo '== after'; found
stop
echo '== remove'; dpkg -r waypost; ls /usr/bin/waypost 2>&1 || true
echo '== purge'; dpkg -P waypost; ls /var/lib/waypost/data/waypost.db /etc/waypost/waypost.toml
`;

test.skipIf(obstacle !== undefined)(
  "installs, is set up, runs as its own user, keeps its mail through an upgrade, and leaves the mail when it is purged",
  () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-debian-"));
    try {
      const packages = path.join(folder, "packages");
      for (const [name, version] of [
        ["first", "0.0.1"],
        ["second", "0.0.2"],
      ] as const)
        fs.renameSync(
          buildDeb(builtBinary, architecture, packages, { version, compression: "none" }),
          path.join(packages, `${name}.deb`),
        );
      fs.writeFileSync(path.join(folder, "script"), script);
      const mounts = `set -e; cd ${folder}; mkdir layers root; mount -t tmpfs tmpfs layers; mkdir layers/upper layers/work
        mount -t overlay overlay -o lowerdir=/,upperdir=layers/upper,workdir=layers/work root
        mkdir -p root/packages; mount --bind packages root/packages; mount --rbind /dev root/dev; mount -t proc proc root/proc
        cp script root/script; exec chroot root sh /script`;
      const { status, stdout, stderr } = spawnSync(
        "unshare",
        ["--mount", "--net", "--pid", "--fork", "sh", "-c", mounts],
        { encoding: "utf8", env: { HOME: "/tmp", PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } },
      );
      expect(status, `${stdout}\n${stderr}`).toBe(0);
      const parts = new Map(
        stdout.split(/^== /m).map((part) => [part.split("\n", 1)[0]!, part.slice(part.indexOf("\n") + 1)]),
      );
      expect(parts.get("install")).toContain("waypost setup --config /etc/waypost/waypost.toml");
      expect(parts.get("user")).toMatch(/^waypost:.*:\/var\/lib\/waypost:\/usr\/sbin\/nologin$/m);
      expect(parts.get("folders")).toBe(
        "/etc/waypost root waypost 750\n/var/lib/waypost waypost waypost 700\n",
      );
      expect(parts.get("setup")).toMatch(/robin@ours\.net {2}app password \S+ {2}token wp_/);
      expect(parts.get("setup")).toMatch(/^\/etc\/waypost\/waypost\.toml waypost 600$/m);
      expect(parts.get("setup")).toMatch(/^\/var\/lib\/waypost\/data waypost 700$/m);
      expect(parts.get("banner")).toMatch(/^220 mail\.ours\.net /);
      expect(parts.get("before")).toContain("Kept");
      expect(parts.get("upgrade")).toContain("0.0.2\n");
      expect(parts.get("after")).toBe(parts.get("before"));
      expect(parts.get("remove")).toContain("No such file");
      expect(parts.get("purge")).toContain("The mail stays in /var/lib/waypost");
      expect(parts.get("purge")).toContain("/var/lib/waypost/data/waypost.db\n");
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
  300_000,
);
