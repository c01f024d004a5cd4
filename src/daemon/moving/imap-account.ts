/** The mailboxes of an account on another IMAP server (RFC 9051), by `imapflow`. A message is identified by its mailbox, UIDVALIDITY
 *  and UID. A message that was imported before is not fetched again. */
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { isIP } from "node:net";
import { type ConnectionOptions, connect, type PeerCertificate } from "node:tls";
import { ImapFlow } from "imapflow";
import { publicLookup } from "#/protocols/webhooks/public-lookup.ts";
import { systemAddresses } from "#/protocols/webhooks/system-addresses.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { isKeyword, systemFlagNamed, systemFlags } from "#/src/model/flags.ts";
import type { MailSource, SourceMessage } from "./mail-source.ts";

export interface ImapPlace {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly user: string;
  readonly password: string;
  /** A token of OAuth 2 in the place of a password (RFC 7628), as for Gmail and Microsoft. */
  readonly isToken: boolean;
  /** PEM of the authority that signed the server's certificate. */
  readonly authority?: string;
  /** SHA-256 of the server's certificate, which is trusted then whoever signed it. */
  readonly fingerprint?: string;
  /** Its name may lead to public addresses alone. */
  readonly isPublic: boolean;
  /** Of one message: a server that sends more than it said ends the import. */
  readonly bytesMax: number;
}

/** UIDs and flags that are asked for at once. */
const pageUids = 500;
/** One line of an answer: the UIDs of a million messages. */
const lineBytesMax = 16 * 1024 * 1024;
/** Flags of one message that are looked at, and their characters. */
const flagsMax = 200;
const flagCharactersMax = 255;

export async function openImapAccount({
  host,
  port,
  isTls,
  user,
  password,
  isToken,
  bytesMax,
  authority,
  fingerprint,
  isPublic,
}: ImapPlace): Promise<MailSource> {
  const way = isPublic ? { lookup: publicLookup(systemAddresses) } : {};
  const trust =
    fingerprint === undefined
      ? authority === undefined
        ? {}
        : { ca: authority }
      : await trustInOne({ host, port, ...way }, fingerprint);
  const client = new ImapFlow({
    host,
    port,
    secure: isTls,
    auth: isToken ? { user, accessToken: password } : { user, pass: password },
    logger: false,
    // All of it goes to the connection, also to one that begins without TLS.
    tls: { ...trust, ...way } as object,
    maxLiteralSize: bytesMax,
    maxLineLength: lineBytesMax,
    maxResponseSize: bytesMax + lineBytesMax,
    // A server that offers no encryption gets no password, and one on this host needs none.
    ...(isTls ? {} : { doSTARTTLS: !/^(?:localhost$|127\.|::1$)/.test(host) }),
  });
  client.on("error", () => {});
  await client.connect();
  const listed = await client.list();
  // What others share with the account is theirs (RFC 2342).
  const { other, shared } = client.namespaces as Readonly<
    Record<"other" | "shared", readonly { readonly prefix: string }[] | false | undefined>
  >;
  const foreign = [...(other || []), ...(shared || [])]
    .map(({ prefix }) => prefix)
    .filter((one) => one !== "");
  const selectable = listed.filter(
    ({ flags, path }) =>
      !flags.has("\\Noselect") &&
      !flags.has("\\NonExistent") &&
      !foreign.some((prefix) => path.startsWith(prefix)),
  );

  return {
    name: `imap ${user} ${host}`,
    async count() {
      let count = 0;
      for (const { path } of selectable) {
        const status = await client.status(path, { messages: true });
        if (status !== false) count += status.messages ?? 0;
      }
      return count;
    },
    async *messages() {
      for (const { path, delimiter, specialUse } of selectable) {
        // Gmail's view of everything would be each message twice.
        if (specialUse === "\\All" || specialUse === "\\Flagged") continue;
        // Some servers have everything below INBOX (RFC 2342 section 5).
        const prefix = client.namespace?.prefix ?? "";
        const own = prefix !== "" && path.startsWith(prefix) ? path.slice(prefix.length) : path;
        const folder = path === "INBOX" ? path : own.split(delimiter || "/").join("/");
        yield* messagesOf(client, path, specialUse ?? folder);
      }
    },
    async [Symbol.asyncDispose]() {
      await client.logout().catch(() => client.close());
    },
  };
}

/** No lock is held while a message is handed over: each read takes the mailbox for itself, as another may be open by then. */
async function* messagesOf(client: ImapFlow, path: string, folder: string): AsyncGenerator<SourceMessage> {
  const opened = await inMailbox(client, path, async (uidValidity) => ({
    uidValidity,
    uids: (await client.search({ all: true }, { uid: true })) || [],
  }));
  if (opened === undefined) return;
  const { uidValidity, uids } = opened;
  for (let at = 0; at < uids.length; at += pageUids) {
    const page = uids.slice(at, at + pageUids).join(",");
    const found = await inMailbox(client, path, () => listPage(client, page));
    for (const { uid, names, internalDate, size } of found ?? []) {
      yield {
        folder,
        key: `${path} ${uidValidity} ${uid}`,
        flags: names.reduce((mask, name) => {
          const flag = systemFlagNamed(name);
          return flag === undefined ? mask : mask | systemFlags[flag];
        }, 0),
        keywords: names.filter(isKeyword),
        size,
        ...(internalDate === undefined ? {} : { internalDate }),
        read: () =>
          inMailbox(client, path, async (now) => {
            // The UID means another message since.
            if (now !== uidValidity) return undefined;
            const one = await client.fetchOne(String(uid), { source: true }, { uid: true });
            return one === false ? undefined : one.source;
          }),
      };
    }
  }
}

interface Listed {
  readonly uid: number;
  readonly names: readonly string[];
  readonly size: number;
  readonly internalDate: number | undefined;
}

/** Throws when the server tells of many more messages than it was asked for. */
async function listPage(client: ImapFlow, page: string): Promise<Listed[]> {
  const listed: Listed[] = [];
  const query = { uid: true, flags: true, internalDate: true, size: true } as const;
  for await (const message of client.fetch(page, query, { uid: true })) {
    const { uid, flags = new Set<string>(), size = 0, internalDate } = message;
    if (listed.length === 2 * pageUids)
      throw new Error("The server tells of messages that it was not asked for.");
    const names = [...flags].filter((name) => name.length <= flagCharactersMax).slice(0, flagsMax);
    const date = internalDate === undefined ? undefined : new Date(internalDate).getTime();
    listed.push({ uid, names, size, internalDate: date });
  }
  return listed;
}

/** undefined where the mailbox cannot be opened. */
async function inMailbox<T>(
  client: ImapFlow,
  path: string,
  work: (uidValidity: bigint) => Promise<T>,
): Promise<T | undefined> {
  const lock = await client.getMailboxLock(path, { readOnly: true });
  try {
    return client.mailbox === false ? undefined : await work(client.mailbox.uidValidity);
  } finally {
    lock.release();
  }
}

const certificateTimeoutMs = 30_000;

/** Options of TLS that trust the certificate with this SHA-256 alone. Node checks an identity only of a chain that it trusts, so the
 *  certificate is fetched first, and is its own authority. */
async function trustInOne(
  place: ConnectionOptions & { readonly host: string },
  fingerprint: string,
): Promise<ConnectionOptions> {
  const isIt = ({ fingerprint256 = "" }: Pick<PeerCertificate, "fingerprint256">) =>
    fingerprint256.replaceAll(":", "").toLowerCase() === fingerprint;
  const socket = connect({
    ...place,
    rejectUnauthorized: false,
    ...(isIP(place.host) === 0 ? { servername: place.host } : {}),
  });
  socket.setTimeout(certificateTimeoutMs, () => socket.destroy(new Error("The server does not answer.")));
  try {
    await once(socket, "secureConnect");
    const found = socket.getPeerCertificate();
    if (!isIt(found))
      throw new WaypostError(
        "invalid",
        `The certificate of the server has another fingerprint: ${found.fingerprint256 ?? "none"}.`,
        { field: "/fingerprint", hint: "If it is the right server, give this one." },
      );
    return {
      ca: new X509Certificate(found.raw).toString(),
      allowPartialTrustChain: true,
      checkServerIdentity: (_, seen) => (isIt(seen) ? undefined : new Error("The certificate has changed.")),
    };
  } finally {
    socket.destroy();
  }
}
