/** From an empty Debian to a mail domain that other servers trust, in one run. The package is installed, `waypost setup` prints records,
 *  a name server of the test serves them, an authority (pebble) issues certificates, and `domain check` is green. Postfix, which
 *  requires TLS with a valid certificate, sends mail and receives mail. Python libraries check SPF, DKIM and the alignment for DMARC of
 *  what it received. Thunderbird sets itself up with an address and an app password. The root is this machine's, below an overlay and
 *  in its own mount and network namespaces, so nothing here changes. Needs in apt's cache: postfix pebble python3-dkim python3-spf
 *  (`apt-get install --download-only`), and for its last part thunderbird and xvfb on this machine. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { buildDeb } from "#/config/build/build-deb.ts";
import { builtBinary } from "./built-binary.ts";
import { missingProgram } from "./suites/suite.ts";

const top = new URL("../..", import.meta.url).pathname;
const needed = ["postfix", "pebble", "python3-dkim", "python3-spf"];
const obstacle = findObstacle();

function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return "only the superuser can make a root of its own";
  for (const tool of ["dpkg-deb", "apt-get", "unshare", "chroot", "setpriv", "ip", "curl", "openssl"])
    if (spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0) return `${tool} is absent`;
  if (!fs.readFileSync("/proc/filesystems", "utf8").includes("overlay")) return "the kernel has no overlayfs";
  const cached = fs.readdirSync("/var/cache/apt/archives");
  const missing = needed.filter((name) => !cached.some((file) => file.startsWith(`${name}_`)));
  return missing.length === 0 ? undefined : `apt has not downloaded ${missing.join(", ")}`;
}
if (obstacle !== undefined) console.log(`nothing is set up from an empty Debian here: ${obstacle}`);
const absent = missingProgram("thunderbird", "Xvfb");
if (absent !== undefined) console.log(`Thunderbird does not set itself up here: ${absent}`);

/** Runs in the new root. Each line `== name` begins a part of the output that the test checks. */
const script = `
set -eu
mkdir -m 755 /scene
export DEBIAN_FRONTEND=noninteractive
settings='--config /etc/waypost/waypost.toml'
privileges='--reuid waypost --regid waypost --init-groups --inh-caps +net_bind_service --ambient-caps +net_bind_service'
as_waypost() { setpriv $privileges "$@"; }
waypost_said() { as_waypost waypost "$@" $settings; }
# until <seconds> <command>: tries until it succeeds.
until_done() {
  local tries=$(( $1 * 2 )); shift
  for try in $(seq $tries); do if "$@" >/scene/tried 2>&1; then return; fi; sleep 0.5; done
  echo "gave up: $*"; cat /scene/tried; tail -n 40 /scene/log /var/log/postfix.log 2>/dev/null; exit 1
}
serve_zone() {
  "$@" ${process.execPath} ${top}test/long/zone-server.ts /scene/zones/* >/scene/dns.$1 2>&1 &
  until_done 20 grep -q names /scene/dns.$1
}

ip link set lo up
# The other server has a network of its own.
unshare --net sleep infinity & theirs=$!
in_theirs() { nsenter --net=/proc/$theirs/ns/net "$@"; }
is_apart() { [ "$(readlink /proc/$theirs/ns/net)" != "$(readlink /proc/self/ns/net)" ]; }
until_done 10 is_apart
ip link add net0 type veth peer name net1
ip link set net1 netns $theirs
ip addr add 44.0.0.10/24 dev net0; ip link set net0 up
in_theirs ip addr add 44.0.0.20/24 dev net1; in_theirs ip link set net1 up; in_theirs ip link set lo up
rm -rf /etc/waypost /var/lib/waypost /etc/resolv.conf /etc/postfix/main.cf /etc/postfix/master.cf
echo 'nameserver 127.0.0.1' >/etc/resolv.conf
printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d
echo 'postfix postfix/main_mailer_type select No configuration' | debconf-set-selections
apt-get install -y -q --no-download ${needed.join(" ")} >/scene/apt.log 2>&1 || { tail -n 20 /scene/apt.log; exit 1; }

echo '== install'; dpkg -i /packages/waypost.deb
echo '== setup'
waypost setup --domain ours.net --person me --agent robin --yes $settings --data /var/lib/waypost/data --user waypost | tee /scene/setup
sed -i 's|^email = .*|&\\ndirectory = "https://localhost:14000/dir"|; s|^bind = "::".*|bind = "44.0.0.10"|' /etc/waypost/waypost.toml

# The printed records, and what the provider of the address and the other domain have.
mkdir /scene/zones
grep ' IN ' /scene/setup | grep -v '^;' >/scene/zones/ours
cat >/scene/zones/others <<'END'
ours.net. 60 IN NS ns.ours.net.
ns.ours.net. 60 IN A 127.0.0.1
10.0.0.44.in-addr.arpa. 60 IN PTR mail.ours.net.
theirs.net. 60 IN MX 10 mx.theirs.net.
theirs.net. 60 IN TXT "v=spf1 ip4:44.0.0.20 -all"
_dmarc.theirs.net. 60 IN TXT "v=DMARC1; p=reject"
mx.theirs.net. 60 IN A 44.0.0.20
20.0.0.44.in-addr.arpa. 60 IN PTR mx.theirs.net.
localhost. 60 IN A 127.0.0.1
END
serve_zone env
serve_zone in_theirs

# Pebble, whose own certificate and whose roots are trusted by all.
cd /scene
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout api.key -out api.pem -days 9 -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout theirs.key -out theirs.pem -days 9 -subj /CN=mx.theirs.net -addext subjectAltName=DNS:mx.theirs.net 2>/dev/null
cat >pebble.json <<'END'
{"pebble":{"listenAddress":"127.0.0.1:14000","managementListenAddress":"127.0.0.1:15000","certificate":"/scene/api.pem","privateKey":"/scene/api.key","httpPort":80,"tlsPort":443}}
END
PEBBLE_VA_NOSLEEP=1 PEBBLE_WFE_NONCEREJECT=0 pebble -config pebble.json -dnsserver 127.0.0.1:53 >/scene/pebble.log 2>&1 &
until_done 20 curl -s --cacert api.pem https://localhost:15000/roots/0 -o root.pem
cat api.pem root.pem >ca.pem; chmod 644 ca.pem

NODE_EXTRA_CA_CERTS=/scene/ca.pem setpriv $privileges /usr/bin/waypost start $settings >/scene/log 2>&1 &
until_done 60 waypost_said status
for name in mail autoconfig mta-sts; do
  until_done 60 curl -s --cacert ca.pem https://$name.ours.net/ -o /dev/null
done
echo '== certificate'
openssl s_client -connect 44.0.0.10:993 -servername mail.ours.net -CAfile ca.pem -verify_return_error </dev/null 2>/dev/null | grep -E 'issuer|Verif'

# Postfix brings mail over TLS with a certificate of that name, or not at all.
[ -e /etc/postfix/master.cf ] || cp /usr/share/postfix/master.cf.dist /etc/postfix/master.cf
cat >/etc/postfix/main.cf <<'END'
compatibility_level = 3.6
myhostname = mx.theirs.net
mydomain = theirs.net
mydestination = theirs.net, mx.theirs.net
inet_interfaces = 44.0.0.20
inet_protocols = ipv4
smtp_bind_address = 44.0.0.20
mynetworks = 127.0.0.0/8
smtp_tls_security_level = secure
smtp_tls_CAfile = /scene/ca.pem
smtp_tls_loglevel = 1
smtpd_tls_security_level = may
smtpd_tls_cert_file = /scene/theirs.pem
smtpd_tls_key_file = /scene/theirs.key
home_mailbox = Maildir/
alias_maps =
alias_database =
maillog_file = /var/log/postfix.log
END
postconf -F '*/*/chroot = n'
useradd -m -s /bin/sh eve
in_theirs postfix start >/dev/null 2>&1
until_done 20 bash -c 'exec 3<>/dev/tcp/44.0.0.20/25; read -r line <&3; case "$line" in 220*) ;; *) exit 1 ;; esac'

echo '== check'; waypost_said domain check ours.net --other theirs.net && echo green

printf 'From: Eve <eve@theirs.net>\\nTo: robin@ours.net, me@ours.net\\nSubject: From Postfix\\nMessage-ID: <1@theirs.net>\\nDate: %s\\n\\nHello\\n' "$(date -R)" | in_theirs sendmail -f eve@theirs.net robin@ours.net me@ours.net
came() { waypost_said call search --agent robin@ours.net --json '{"folder":"inbox"}' | grep -q 'From Postfix'; }
until_done 60 came
echo '== came'
id=$(waypost_said call search --agent robin@ours.net --json '{"folder":"inbox"}' | grep -o 'message_[0-9a-z]*' | head -n 1)
waypost_said call part.describe --agent robin@ours.net --json "{\\"id\\":\\"$id\\"}"
echo '== verified'; grep -E 'Verified TLS connection established to mail.ours.net' /var/log/postfix.log

waypost_said agent update robin@ours.net --hold-policy open >/dev/null
waypost_said call send --agent robin@ours.net --json '{"body":{"to":["eve@theirs.net"],"subject":"From Waypost","text":"Hello Eve"},"idempotency_key":"1"}' >/dev/null
went() { ls /home/eve/Maildir/new/*; }
until_done 60 went
echo '== went'
cat >judge.py <<'END'
import dkim, email, glob, spf
message = open(glob.glob("/home/eve/Maildir/new/*")[0], "rb").read()
parsed = email.message_from_bytes(message)
author = parsed["From"].split("@")[-1].rstrip(">")
for number in range(len(parsed.get_all("DKIM-Signature"))):
    check = dkim.DKIM(message)
    print("dkim", check.verify(number), "aligned", check.domain.decode() == author)
sender = parsed["Return-Path"].strip("<>")
print("spf", spf.check2(i="44.0.0.10", s=sender, h="mail.ours.net")[0], "aligned", sender.split("@")[-1] == author)
print("tls", "with ESMTPS" in parsed.get_all("Received")[0])
END
/usr/bin/python3 judge.py

echo '== autoconfig'
curl -s --cacert ca.pem 'https://autoconfig.ours.net/mail/config-v1.1.xml?emailaddress=me%40ours.net'
${absent === undefined ? thunderbird() : ""}
in_theirs postfix stop >/dev/null 2>&1
`;

function thunderbird(): string {
  return `echo '== thunderbird'
password=$(sed -n 's/^ *me@ours.net  app password //p' /scene/setup)
mkdir /scene/thunderbird
${process.execPath} ${top}test/long/thunderbird-in-root.ts me@ours.net "$password" mail.ours.net /scene/root.pem /scene/thunderbird`;
}

test.skipIf(obstacle !== undefined)(
  "an empty Debian becomes a mail domain that Postfix trusts, and that trusts Postfix",
  { timeout: 600_000 },
  () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-empty-"));
    try {
      const packages = path.join(folder, "packages");
      const architecture = process.arch === "arm64" ? "arm64" : "amd64";
      fs.renameSync(
        buildDeb(builtBinary, architecture, packages, { compression: "none" }),
        path.join(packages, "waypost.deb"),
      );
      fs.writeFileSync(path.join(folder, "script"), script);
      const mounts = `set -e; cd ${folder}; mkdir layers root; mount -t tmpfs tmpfs layers; mkdir layers/upper layers/work
        mount -t overlay overlay -o lowerdir=/,upperdir=layers/upper,workdir=layers/work root
        mkdir -p root/packages; mount --bind packages root/packages; mount --rbind /dev root/dev; mount -t proc proc root/proc
        cp script root/script; exec chroot root bash /script`;
      const { status, stdout, stderr } = spawnSync(
        "unshare",
        ["--mount", "--net", "--pid", "--fork", "--kill-child", "sh", "-c", mounts],
        {
          encoding: "utf8",
          env: { HOME: "/root", PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LANG: "C.UTF-8" },
          timeout: 500_000,
        },
      );
      expect(status, `${stdout}\n${stderr}`).toBe(0);
      const parts = new Map(
        stdout.split(/^== /m).map((part) => [part.split("\n", 1)[0]!, part.slice(part.indexOf("\n") + 1)]),
      );
      expect(parts.get("setup")).toMatch(/^mail\.ours\.net\. 3600 IN A 44\.0\.0\.10$/m);
      expect(parts.get("certificate")).toMatch(/issuer=CN ?= ?Pebble Intermediate/);
      expect(parts.get("certificate")).toContain("Verification: OK");
      expect(parts.get("check"), parts.get("check")).toMatch(/^green$/m);
      expect(parts.get("came")).toContain("Hello");
      expect(parts.get("came")).toMatch(/"authenticated":\s*true/);
      expect(parts.get("came")).toMatch(/"spf":\{"result":"pass".*"dmarc":\{"result":"pass"/);
      expect(parts.get("verified")).toContain("TLSv1.3");
      expect(parts.get("went")!.trim().split("\n")).toEqual([
        "dkim True aligned True",
        "dkim True aligned True",
        "spf pass aligned True",
        "tls True",
      ]);
      expect(parts.get("autoconfig")).toMatch(
        /<incomingServer type="imap">[\s\S]*<hostname>mail\.ours\.net<[\s\S]*<port>993</,
      );
      if (absent === undefined)
        expect(parts.get("thunderbird")!.trim().split("\n")).toEqual([
          "ok\tthe servers by autoconfig",
          "ok\tan account with TLS from the first octet",
          "ok\tthe calendar",
          "ok\tthe addressbook",
          "ok\tthe mail",
        ]);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  },
);
