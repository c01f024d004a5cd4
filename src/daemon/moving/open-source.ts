import fs from "node:fs";
import path from "node:path";
import { printableText } from "#/protocols/delivery/reply.ts";
import { assertPublicHost, PrivateAddress } from "#/protocols/webhooks/public-lookup.ts";
import { isWaypostError, WaypostError } from "#/src/model/errors.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { assertFileSize } from "./import-bounds.ts";
import type { MailSource } from "./mail-source.ts";
import { isMaildir, openMaildir } from "./maildir.ts";
import { openMbox } from "./mbox.ts";
import { openMessageFiles } from "./message-files.ts";

export interface ImapLogin {
  readonly password: string;
  readonly isToken: boolean;
  readonly authority?: string;
  readonly fingerprint?: string;
  /** Only a server on the public internet. */
  readonly isPublic?: boolean;
}

/** Lower-case hexadecimal digits; colons between them are left out. */
function readFingerprint(text: string, isTls: boolean): string {
  const digits = text.replaceAll(":", "").toLowerCase();
  if (isTls && /^[0-9a-f]{64}$/.test(digits)) return digits;
  throw new WaypostError(
    "invalid",
    isTls ? "The fingerprint is not the SHA-256 of a certificate." : "A fingerprint needs imaps://.",
    {
      field: "/fingerprint",
      hint: "openssl s_client -connect <host>:993 </dev/null | openssl x509 -noout -fingerprint -sha256 prints it.",
    },
  );
}

/** Opens a source by its name: `imap://` and `imaps://` are an account, a folder with `cur` and `new` is a Maildir, any other folder
 *  has `.eml` files, or folders of them, and a file is one of these or an mbox. */
export async function openMailSource(place: string, bytesMax: number, login: ImapLogin): Promise<MailSource> {
  if (/^imaps?:/i.test(place)) return openAccount(place, bytesMax, login);
  const file = path.resolve(place);
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new WaypostError("invalid", `${file} is not there.`, { field: "/file" });
  if (found.isDirectory()) return isMaildir(file) ? openMaildir(file) : openMessageFiles(file);
  assertFileSize(file, found.size);
  return /\.eml$/i.test(file) ? openMessageFiles(file) : openMbox(file, bytesMax);
}

/** Empty where there is none, or one that is no text in percent-encoding. */
function userOf(url: URL | null): string {
  try {
    return decodeURIComponent(url?.username ?? "");
  } catch (error) {
    if (error instanceof URIError) return "";
    throw error;
  }
}

async function openAccount(
  place: string,
  bytesMax: number,
  { password, isToken, authority, fingerprint, isPublic = false }: ImapLogin,
): Promise<MailSource> {
  const url = URL.parse(place);
  const user = userOf(url);
  if (url === null || url.hostname === "" || user === "" || url.password !== "")
    throw new WaypostError(
      "invalid",
      "The address is not of the form imaps://name%40example.org@imap.example.org.",
      {
        field: "/file",
        hint: "Do not put the password into the address: use --password-file.",
      },
    );
  const isTls = url.protocol.toLowerCase() === "imaps:";
  const port = Number(url.port) || (isTls ? 993 : 143);
  const digits = fingerprint === undefined ? undefined : readFingerprint(fingerprint, isTls);
  const { openImapAccount } = await import("./imap-account.ts");
  try {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isPublic) assertPublicHost(host);
    return await openImapAccount({
      ...{ host, port, isTls, user, password, isToken, bytesMax, isPublic },
      ...(authority === undefined ? {} : { authority }),
      ...(digits === undefined ? {} : { fingerprint: digits }),
    });
  } catch (error) {
    if (isWaypostError(error)) throw error;
    if (error instanceof PrivateAddress)
      throw new WaypostError("invalid", `${url.host} has no address of the public internet.`, {
        field: "/file",
        hint: "At the command line of the server, waypost import takes it.",
      });
    const { message, further } = readThrown(error);
    const said = typeof further.responseText === "string" ? further.responseText : message;
    throw new WaypostError("upstream_unavailable", `${url.host}: ${printableText(said)}`, {
      cause: error,
    });
  }
}
