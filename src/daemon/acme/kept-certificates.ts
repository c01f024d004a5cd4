/** The stored certificates of an authority, each with its key in one file, so that a pair is never incomplete; and the key of the account
 *  with the authority. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import type { Settings } from "#/config/schema.ts";
import type { PemPair } from "#/protocols/connection/server-keys.ts";

type Storage = Pick<Settings, "storage">;

export function acmeFolder({ storage }: Storage): string {
  return path.join(storage.folder, "tls", "acme");
}

/** The name is a domain of this server or from the settings, so it contains no path. */
function fileOf(settings: Storage, name: string): string {
  return path.join(acmeFolder(settings), `${name.replaceAll(/[^a-z0-9.-]/gi, "_")}.pem`);
}

/** undefined when there is no certificate that matches its key. */
export function readKeptPair(settings: Storage, name: string): PemPair | undefined {
  const text = readIfThere(fileOf(settings, name));
  if (text === undefined) return undefined;
  const begin = text.indexOf("-----BEGIN CERTIFICATE-----");
  const pair = { key: text.slice(0, begin), cert: text.slice(begin) };
  try {
    return new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)) ? pair : undefined;
  } catch (error) {
    // The file was not written by Waypost.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

/** The pairs of the further names, by name. */
export function readKeptPairs(
  settings: Pick<Settings, "storage" | "acme" | "server">,
): ReadonlyMap<string, PemPair> {
  const folder = acmeFolder(settings);
  if (!settings.acme.enabled || !fs.existsSync(folder)) return new Map();
  const names = fs
    .readdirSync(folder)
    .filter((file) => file.endsWith(".pem"))
    .map((file) => file.slice(0, -".pem".length))
    .filter((name) => name !== settings.server.hostname);
  return new Map(
    names.flatMap((name) => {
      const pair = readKeptPair(settings, name);
      return pair === undefined ? [] : [[name, pair] as const];
    }),
  );
}

export function keepPair(settings: Storage, name: string, { key, cert }: PemPair): void {
  writeWhole(fileOf(settings, name), `${key.trim()}\n${cert.trim()}\n`);
}

export function readAccountKey(settings: Storage): string | undefined {
  return readIfThere(path.join(acmeFolder(settings), "account.key"));
}

export function keepAccountKey(settings: Storage, key: string): void {
  writeWhole(path.join(acmeFolder(settings), "account.key"), key);
}

function readIfThere(file: string): string | undefined {
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}

function writeWhole(file: string, text: string): void {
  fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  fs.writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  fs.renameSync(`${file}.new`, file);
}
