/** The certificate of a running daemon. It is replaced when its files change or when `reload` is called; open connections stay. For an
 *  unusable certificate it writes an error to the log, and the former one stays in use. */
import { readFile } from "node:fs/promises";
import type { Logger } from "pino";
import { isReadableByOthers } from "#/config/readable-by-others.ts";
import type { Settings } from "#/config/schema.ts";
import type { ServerKeys } from "#/protocols/connection/server-keys.ts";
import { every, idleTime } from "#/src/model/background.ts";
import { type Clock, leftUntil } from "#/src/model/clock.ts";
import { readThrown } from "#/src/model/thrown.ts";
import type { Challenges } from "./acme/challenges.ts";
import { readKeptPairs } from "./acme/kept-certificates.ts";
import { type Certificate, concernsOf, loadCertificate } from "./certificate.ts";

export interface LiveCertificate extends Certificate, ServerKeys {
  /** Reads the files again. Never rejects. */
  reload(): Promise<void>;
  close(): void;
}

/** Contents are compared, because a file that is replaced behind a link, in a container or on a network disk causes no event. */
const lookMs = 10_000;
const warnMs = 86_400_000;

type CertificateSettings = Pick<Settings, "tls" | "acme" | "server" | "storage" | "sts">;

/** Throws `invalid` when the pair of files is unusable. */
export async function openCertificate(
  settings: CertificateSettings,
  clock: Clock,
  log: Logger,
  challenges?: Challenges,
): Promise<LiveCertificate> {
  let current = await loadCertificate(settings, clock);
  let further = readKeptPairs(settings);
  let seen = await contentsOf(settings);
  let warnedAt = 0;

  const warn = (): void => {
    warnedAt = clock.now();
    for (const concern of concernsOf(current, settings.server.hostname, warnedAt)) log.warn(concern);
    if (current.isSelfSigned && settings.sts.mode === "enforce")
      log.warn(
        'sts.mode is "enforce" and the certificate is self-signed: servers that keep to the policy bring no mail. Enable acme, or set tls.certificate_file and tls.key_file.',
      );
    const { keyFile } = settings.tls;
    if (keyFile !== "" && isReadableByOthers(keyFile))
      log.warn(`others can read the private key (tls.key_file): chmod 600 ${keyFile}`);
  };
  const reload = async (): Promise<void> => {
    try {
      const next = await loadCertificate(settings, clock);
      const isAnother = next.cert !== current.cert || next.key !== current.key;
      current = next;
      further = readKeptPairs(settings);
      const { fingerprint, expiresAt } = next;
      if (isAnother)
        log.info({ fingerprint, expiresAt: new Date(expiresAt).toISOString() }, "new certificate in use");
      warn();
    } catch (error) {
      const { message } = readThrown(error);
      log.error({ problem: message }, "the new certificate is of no use; the former one stays in use");
    }
  };
  const look = async (): Promise<void> => {
    const contents = await contentsOf(settings);
    if (contents !== seen) {
      seen = contents;
      await reload();
    } else if (leftUntil(warnedAt + warnMs, clock.now(), warnMs) === 0) warn();
  };

  warn();
  const timer = every(idleTime(lookMs), look);
  timer.unref();
  return {
    get key() {
      return current.key;
    },
    get cert() {
      return current.cert;
    },
    get isSelfSigned() {
      return current.isSelfSigned;
    },
    get fingerprint() {
      return current.fingerprint;
    },
    get expiresAt() {
      return current.expiresAt;
    },
    get further() {
      return further;
    },
    ...(challenges === undefined ? {} : { challenged: challenges.alpn }),
    async reload() {
      seen = await contentsOf(settings);
      await reload();
    },
    close: () => clearInterval(timer),
  };
}

/** The contents of both files; a file that cannot be read counts as empty. */
async function contentsOf({ tls }: CertificateSettings): Promise<string> {
  if (tls.certificateFile === "") return "";
  const files = await Promise.allSettled([readFile(tls.certificateFile), readFile(tls.keyFile)]);
  return JSON.stringify(files.map((file) => (file.status === "fulfilled" ? String(file.value) : "")));
}
