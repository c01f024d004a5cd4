/** Every setting of Waypost: its type, default and meaning in one line. Names are camelCase here, snake_case in the
 *  file (`smtp.max_message_bytes`) and with `--set`, upper case in the environment (`WAYPOST_SMTP_MAX_MESSAGE_BYTES`).
 *  Limits that no operator should choose are in `src/model/limits.ts`.
 *  Long because it is the one list of settings, each with its description. */
import { isIP } from "node:net";
import { z } from "zod";
import {
  bindAddress,
  bindAddressOrEmpty,
  hostName,
  mailAddressOrEmpty,
  nameServer,
  network,
  operationName,
  peerHost,
  publicOriginOrEmpty,
  webUrl,
  webUrlOrEmpty,
} from "./kinds.ts";

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const gibibyte = 1024 * mebibyte;
const minuteMs = 60_000;

/** The longest delay that a timer of Node accepts. */
const timerMs = z
  .int()
  .min(1)
  .max(2 ** 31 - 1);
const count = z.int().min(1).max(1_000_000);
const bytes = z.int().min(1).max(Number.MAX_SAFE_INTEGER);
/** A usual mail with a picture has more; servers that take less refuse nearly everything. */
const messageBytes = z
  .int()
  .min(64 * kibibyte, "is less than 65536 bytes; a usual number is 52428800.")
  .max(gibibyte);

function listener(port: number, what: string) {
  return {
    enabled: z.boolean().default(true).describe(`Whether ${what} is served.`),
    host: bindAddressOrEmpty.default("").describe("Address to bind; empty: that of server.bind."),
    port: z.int().min(0).max(65535).default(port).describe(`TCP port of ${what}; 0 takes a free one.`),
  };
}

export const settingsSchema = z.strictObject({
  server: z
    .strictObject({
      hostname: hostName("mail.example.org")
        .default("localhost")
        .describe("Name of this host in greetings, Received fields and the self-signed certificate."),
      domain: hostName("example.org")
        .default("waypost.test")
        .describe("Mail domain that the first run creates."),
      publicUrl: publicOriginOrEmpty
        .default("")
        .describe(
          "Where browsers find the pages: https://mail.example.org; empty: http://localhost with the port of HTTP, for this host alone.",
        ),
      bind: bindAddress
        .default("127.0.0.1")
        .describe(
          "Address that every listener binds unless it names its own; :: or 0.0.0.0 opens it to others.",
        ),
      trustedProxies: z
        .array(network)
        .max(100)
        .default([])
        .describe(
          "Proxies, as addresses or networks (10.0.0.0/8), whose PROXY header and, over HTTP, client_header are believed.",
        ),
      clientHeader: z
        .enum(["x-forwarded-for", "forwarded"])
        .default("x-forwarded-for")
        .describe(
          "Field of HTTP in which trusted proxies name the client: x-forwarded-for, or forwarded (RFC 7239); the other is not read.",
        ),
    })
    .describe("The server as a whole."),
  storage: z
    .strictObject({
      folder: z
        .string()
        .min(1)
        .default("./data")
        .describe("Folder of the database, the certificate and the private socket, made if it is missing."),
      url: z
        .string()
        .refine(
          (url) => url === "" || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)),
          "is no URL of PostgreSQL, as postgres://user@host:5432/database.",
        )
        .default("")
        .meta({
          description:
            "PostgreSQL in place of the file in the folder, experimental: postgres://waypost@db.example/waypost?sslmode=verify-full.",
          isSecret: true,
        }),
      passwordFile: z
        .string()
        .default("")
        .describe("File with the password of that database, in one line; empty: the one in the URL."),
      blobs: z
        .string()
        .refine(
          (url) => url === "" || (/^s3:\/\/[^/]/.test(url) && URL.canParse(url)),
          "is no place in an object store, as s3://bucket/prefix?endpoint=https://s3.example.net&region=eu-1.",
        )
        .default("")
        .describe(
          "Object store for long bodies of mail, else they are rows: s3://bucket/prefix?endpoint=https://s3.example.net&region=eu-1.",
        ),
      blobsKeyFile: z
        .string()
        .default("")
        .describe(
          "File with its key: the id in the first line, the secret in the second; empty: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
        ),
      quotaBytes: bytes
        .default(10 * gibibyte)
        .describe("Most bytes of mail in a new mailbox; each can be given its own."),
    })
    .describe("Where everything is kept."),
  log: z
    .strictObject({
      level: z
        .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"])
        .default("info")
        .describe("Least severe message that is written."),
      file: z.string().default("").describe("File to append JSON lines to; empty: standard error."),
    })
    .describe("The log, one JSON object a line."),
  tls: z
    .strictObject({
      certificateFile: z
        .string()
        .default("")
        .describe("PEM file of the certificate chain; empty: a self-signed one is made and kept."),
      keyFile: z
        .string()
        .default("")
        .describe("PEM file of the private key that belongs to the certificate."),
    })
    .describe("The certificate of all listeners."),
  acme: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe(
          "Whether certificates are obtained by ACME and renewed; who enables it agrees to the terms of the authority.",
        ),
      directory: webUrl("https://acme-v02.api.letsencrypt.org/directory")
        .default("https://acme-v02.api.letsencrypt.org/directory")
        .describe("Directory of the authority."),
      email: mailAddressOrEmpty.default("").describe("Where the authority writes to; empty: it does not."),
      names: z
        .array(hostName("mail.example.org").toLowerCase())
        .max(100)
        .default([])
        .describe(
          "Further names beside server.hostname; mta-sts., autoconfig. and autodiscover. of a domain are found by themselves.",
        ),
      challenge: z
        .enum(["http-01", "tls-alpn-01"])
        .default("http-01")
        .describe(
          "How the authority asks: on port 80 (http-01), or on port 443, which https then has to have.",
        ),
      host: bindAddressOrEmpty
        .default("")
        .describe("Address that the port of http-01 binds; empty: that of server.bind."),
      port: z
        .int()
        .min(0)
        .max(65535)
        .default(80)
        .describe("TCP port of http-01, on which nothing else is served; the authority asks on port 80."),
    })
    .describe("Certificates of an authority (RFC 8555), as Let's Encrypt."),
  smtp: z
    .strictObject({
      ...listener(2525, "SMTP for mail from other servers (STARTTLS)"),
      maxMessageBytes: messageBytes
        .default(50 * mebibyte)
        .describe("Largest message taken, also on the submission ports; announced as SIZE."),
      maxRecipients: count.max(10_000).default(100).describe("Most recipients of one message."),
      maxConnections: count.max(100_000).default(1000).describe("Most open connections of other servers."),
      maxConnectionsPerNetwork: count
        .default(100)
        .describe("Most of them from one network (IPv4 /24, IPv6 /64)."),
      idleTimeoutMs: timerMs
        .default(5 * minuteMs)
        .describe("Silence after which a connection is closed (RFC 5321 section 4.5.3.2.7 wants 5 minutes)."),
    })
    .describe("Incoming mail, and what all SMTP ports have in common."),
  dns: z
    .strictObject({
      servers: z
        .array(nameServer)
        .max(16)
        .default([])
        .describe(
          'Name servers, as addresses with an optional port; empty for those of the system, "none" to ask nobody.',
        ),
      timeoutMs: timerMs.default(3000).describe("Time for one question; it is asked twice."),
      trustAd: z
        .enum(["auto", "always", "never"])
        .default("auto")
        .describe(
          "Whose word that an answer is signed (DNSSEC) is believed, for DANE: that of name servers on this host, of all, or of none.",
        ),
    })
    .describe("Who is asked about domains."),
  evidence: z
    .strictObject({
      failedDmarc: z
        .enum(["junk", "reject", "keep"])
        .default("junk")
        .describe(
          "Mail that fails DMARC where the domain asks for quarantine or reject: into Junk, refused if it says reject, or kept.",
        ),
      rspamdUrl: webUrlOrEmpty("http://127.0.0.1:11333")
        .default("")
        .describe(
          "Where rspamd listens, as http://127.0.0.1:11333, for a verdict that is kept and used for Junk; empty for none.",
        ),
      rspamdTimeoutMs: timerMs
        .default(5000)
        .describe("Time that rspamd has for a message; then it is taken without a verdict."),
    })
    .describe("What is found out about incoming mail before it is taken."),
  outbound: z
    .strictObject({
      smarthostHost: peerHost
        .default("")
        .describe(
          "Server that all mail to others is given to. Empty: it goes to the servers of each domain, from domains that the DNS can know.",
        ),
      smarthostPort: z.int().min(1).max(65535).default(587).describe("TCP port of the smarthost."),
      smarthostTls: z
        .enum(["starttls", "tls", "none"])
        .default("starttls")
        .describe(
          "TLS with the smarthost: asked for and required, from the first byte (port 465), or none, as on this host.",
        ),
      smarthostUser: z.string().max(300).default("").describe("Login at the smarthost; empty: none."),
      smarthostPassword: z
        .string()
        .max(1000)
        .default("")
        .meta({ description: "Password of that login.", isSecret: true }),
      mxPort: z.int().min(1).max(65535).default(25).describe("TCP port of the servers of other domains."),
      ipFamily: z
        .enum(["any", "ipv4", "ipv6"])
        .default("any")
        .describe("Which addresses of other servers are tried."),
      sourceAddresses: z
        .array(z.string().refine((text) => isIP(text) !== 0, "is no IP address."))
        .refine((list) => new Set(list.map(isIP)).size === list.length, "has two addresses of one family.")
        .default([])
        .describe(
          "Addresses of this host that mail leaves from, one IPv4 and one IPv6 at most; empty: the one that smtp is bound to.",
        ),
      allowPrivateAddresses: z
        .boolean()
        .default(false)
        .describe(
          "Whether mail goes to servers of other domains at addresses of loopback and private networks; a smarthost may always be there.",
        ),
      maxAgeHours: z
        .int()
        .min(1)
        .max(24 * 30)
        .default(120)
        .describe("Hours of trying, then the sender is told that it failed (RFC 5321 section 4.5.4.1)."),
      connections: count.max(1000).default(50).describe("Most connections to other servers."),
      connectionsPerDomain: count
        .max(100)
        .default(5)
        .describe(
          "Most of them for the mail of one domain, to one address of a server, or to the smarthost.",
        ),
      connectTimeoutMs: timerMs.default(30_000).describe("Time for a connection to one address."),
      replyTimeoutMs: timerMs
        .default(10 * minuteMs)
        .describe("Time for any reply (RFC 5321 section 4.5.3.2.6 wants 10 minutes after a message)."),
      returnPathTags: z
        .boolean()
        .default(true)
        .describe(
          "Whether mail leaves with a return path that reports are recognised by (name+b-…@domain); some smarthosts refuse it.",
        ),
    })
    .describe("Mail to other servers."),
  submission: z
    .strictObject({
      ...listener(1587, "message submission with STARTTLS"),
      maxConnections: count
        .max(100_000)
        .default(1000)
        .describe("Most open connections of both submission ports together."),
      maxConnectionsPerNetwork: count
        .default(50)
        .describe("Most of them from one network (IPv4 /24, IPv6 /64) that have not logged in."),
      maxConnectionsPerLogin: count
        .max(10_000)
        .default(20)
        .describe("Most of them that one mailbox is logged in on."),
    })
    .describe(
      "Mail from the mail clients of people and agents (RFC 6409), and what both submission ports have in common.",
    ),
  submissions: z
    .strictObject(listener(1465, "message submission over TLS"))
    .describe("The same with TLS from the first byte (RFC 8314)."),
  imap: z
    .strictObject({
      ...listener(1143, "IMAP with STARTTLS"),
      maxConnections: count
        .max(100_000)
        .default(5000)
        .describe("Most open connections of both IMAP ports together."),
      maxConnectionsPerNetwork: count
        .default(100)
        .describe("Most of them from one network (IPv4 /24, IPv6 /64) that have not logged in."),
      maxConnectionsPerLogin: count
        .max(10_000)
        .default(50)
        .describe("Most of them that one mailbox is logged in on."),
      idleTimeoutMs: timerMs
        .min(minuteMs)
        .default(30 * minuteMs)
        .describe(
          "Silence after which a connection is closed (RFC 9051 section 5.4 wants at least 30 minutes).",
        ),
      maxAppendBytes: bytes
        .max(gibibyte)
        .default(50 * mebibyte)
        .describe("Largest message that APPEND takes; announced as APPENDLIMIT."),
      messageLimit: count
        .min(1000)
        .default(1_000_000)
        .describe(
          "Most messages that one command is carried out for, the newest; announced as MESSAGELIMIT (RFC 9738).",
        ),
    })
    .describe("Mail for the clients of people, and what both IMAP ports have in common."),
  imaps: z
    .strictObject(listener(1993, "IMAP over TLS"))
    .describe("The same with TLS from the first byte (RFC 8314)."),
  http: z
    .strictObject({
      ...listener(8080, "the JSON interface without TLS"),
      maxConnections: count
        .max(100_000)
        .default(5000)
        .describe("Most open connections of both HTTP ports together."),
      maxConnectionsPerNetwork: count
        .default(250)
        .describe(
          "Most of them from one network (IPv4 /24, IPv6 /64) that have not shown a valid token yet.",
        ),
      maxConnectionsPerLogin: count
        .max(100_000)
        .default(200)
        .describe("Most of them whose last token was of one mailbox."),
      requestTimeoutMs: timerMs
        .default(30_000)
        .describe(
          "Time for a request to arrive, first byte to last, and in which its reader must take some of the answer.",
        ),
    })
    .describe("The JSON interface for programs, and what both HTTP ports have in common."),
  https: z.strictObject(listener(8443, "the JSON interface over TLS")).describe("The same over TLS."),
  sts: z
    .strictObject({
      mode: z
        .enum(["none", "testing", "enforce"])
        .default("testing")
        .describe(
          "What others do whose connection cannot be encrypted: tell of it (testing), or bring no mail.",
        ),
    })
    .describe("The policy about TLS that is served for our domains (RFC 8461)."),
  reports: z
    .strictObject({
      sendTls: z
        .boolean()
        .default(true)
        .describe(
          "Whether domains that ask for it (_smtp._tls) are told each day how TLS with their servers went (RFC 8460).",
        ),
      sendDmarc: z
        .boolean()
        .default(true)
        .describe(
          "Whether domains that ask for it (_dmarc) are told each day what mail came in their name (RFC 7489 section 7.2).",
        ),
    })
    .describe("Reports to other domains."),
  operator: z
    .strictObject({
      servedOn: z
        .enum(["http", "own_port", "nowhere"])
        .default("http")
        .describe("Where /operator/v1 is served: on the HTTP ports, on a port of its own alone, or nowhere."),
      host: bindAddressOrEmpty.default("127.0.0.1").describe("Address that the port of its own binds."),
      port: z
        .int()
        .min(0)
        .max(65535)
        .default(8081)
        .describe("TCP port of the operator's interface where it has its own; 0 takes a free one."),
      tls: z.boolean().default(false).describe("Whether that port speaks TLS."),
      files: z
        .string()
        .default("")
        .describe(
          "Folder of the files that programs may name for imports, exports and backups; empty: exchange in the data folder.",
        ),
    })
    .describe(
      "The interface for programs that administer this server; waypost operator create makes their tokens.",
    ),
  metrics: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe(
          "Whether metrics for Prometheus (/metrics) and readiness (/health) have a port of their own.",
        ),
      host: bindAddressOrEmpty
        .default("127.0.0.1")
        .describe("Address that it binds; whoever reaches it may read."),
      port: z.int().min(0).max(65535).default(9480).describe("TCP port of metrics; 0 takes a free one."),
    })
    .describe("For who watches the server."),
  tracing: z
    .strictObject({
      enabled: z
        .boolean()
        .default(false)
        .describe("Whether traces are sent to a collector of OpenTelemetry."),
      url: webUrl("http://127.0.0.1:4318/v1/traces")
        .default("http://127.0.0.1:4318/v1/traces")
        .describe("Where the collector takes them: OTLP over HTTP, JSON."),
      ratio: z
        .number()
        .min(0)
        .max(1)
        .default(1)
        .describe("Part of the traces that is sent, from 0 to 1; all spans of a mail or none."),
    })
    .describe("Traces: how long each step of a mail or request takes."),
  json: z
    .strictObject({
      unservedOperations: z
        .array(operationName)
        .max(200)
        .default([])
        .describe("Operations of /v1 that this deployment does not serve; they answer 501 unavailable."),
      mcpHosts: z
        .array(z.string().min(1).max(253))
        .max(100)
        .default([])
        .describe(
          "Host names beside localhost and server.hostname that requests and web pages may name at /mcp.",
        ),
    })
    .describe("What /v1 and /mcp serve."),
  dav: z
    .strictObject({
      enabled: z.boolean().default(true).describe("Whether CalDAV and CardDAV are served on the HTTP ports."),
    })
    .describe("Calendars and addressbooks for the clients of people, at /dav/."),
  holds: z
    .strictObject({
      graceS: z
        .int()
        .min(0)
        .max(86_400)
        .default(20)
        .describe(
          "Seconds between an approval and the mail leaving, in which the approval can be taken back.",
        ),
      expiryDays: z
        .int()
        .min(1)
        .max(365)
        .default(7)
        .describe("Days after which mail that nobody has approved is declined."),
      bulkRecipients: count.default(25).describe("Mail of an agent to more recipients than this waits."),
      noticeMinutes: z
        .int()
        .min(0)
        .max(10_080)
        .default(10)
        .describe("Least minutes between two notices to the same approver; what comes meanwhile shares one."),
    })
    .describe("Mail of agents that waits for a person."),
  pages: z
    .strictObject({
      agentsPerPerson: z
        .int()
        .min(0)
        .max(1000)
        .default(0)
        .describe("Agents that one person may have who makes them on the pages; 0: nobody makes any."),
      policies: z
        .enum(["none", "stricter", "any"])
        .default("stricter")
        .describe(
          "What approvers may change of their agents' policies, and of a new agent's, first_contact: none, stricter (only more waits or is blocked), any.",
        ),
    })
    .describe("What people may do on the pages."),
  breaker: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe("Whether an agent whose mail keeps failing is paused until the operator resumes it."),
      bounces: count
        .max(1000)
        .default(5)
        .describe("Mails that have failed for somebody, at which it is paused."),
      sends: count.max(1000).default(20).describe("How many of its last mails are looked at."),
    })
    .describe("The breaker, which pauses agents whose mail keeps failing."),
  webhooks: z
    .strictObject({
      allowPrivateAddresses: z
        .boolean()
        .default(false)
        .describe(
          "Whether webhooks and pushes may go to loopback, link-local and private addresses, and without TLS.",
        ),
    })
    .describe("Events for programs that are called."),
  limits: z
    .strictObject({
      requestsPerSecond: z
        .number()
        .positive()
        .max(1_000_000)
        .default(20)
        .describe("Requests that a token regains in each second."),
      requestsBurst: count.default(60).describe("Requests that a token can make at once."),
      agentRequestsPerSecond: z
        .number()
        .positive()
        .max(1_000_000)
        .default(60)
        .describe("Requests that an agent regains in each second, with all of its tokens."),
      agentRequestsBurst: count
        .default(180)
        .describe("Requests that an agent can make at once, with all of its tokens."),
      connectionsShareOfAccount: z
        .number()
        .positive()
        .max(1)
        .default(0.5)
        .describe(
          "Part of the open connections of IMAP, of submission and of HTTP that the logins of one account may have; 1 where there is one account.",
        ),
      streamsPerToken: count
        .default(4)
        .describe("Open streams (watch, and wait while it waits) of one token."),
      sendsPerHour: z
        .int()
        .min(0)
        .max(1_000_000)
        .default(30)
        .describe("Messages that a mailbox sends in an hour at most; 0: no limit."),
      sendsPerDay: z
        .int()
        .min(0)
        .max(10_000_000)
        .default(200)
        .describe("Messages that a mailbox sends in a day at most; 0: no limit."),
      auditRetentionDays: z
        .int()
        .min(1)
        .max(3650)
        .default(400)
        .describe("Days for which the audit log keeps what operators have done."),
      eventRetentionDays: z
        .int()
        .min(1)
        .max(3650)
        .default(90)
        .describe("Days after which a change can no longer be resumed from."),
      loginFailuresPerAddress: count
        .default(5)
        .describe("Failed logins of one address before it has to wait."),
      loginFailuresPerNetwork: count
        .default(20)
        .describe(
          "Failed logins from one network (IPv4 /24, IPv6 /64), and bad tokens from one address, before it has to wait.",
        ),
      loginDelayMs: timerMs
        .default(1000)
        .describe("First wait after too many failed logins; it doubles with each further one."),
      loginDelayMaxMs: timerMs
        .default(15 * minuteMs)
        .describe("Longest wait; as much quiet time forgets the failures."),
      loginTableEntries: count
        .default(50_000)
        .describe("Addresses and networks whose failures are remembered at most."),
    })
    .describe("Bounds on use; the catalogue of /v1 publishes those of requests and streams."),
});

export type Settings = Readonly<{
  [Section in keyof z.infer<typeof settingsSchema>]: Readonly<z.infer<typeof settingsSchema>[Section]>;
}>;

/** Sections whose `host` follows `server.bind` when it is empty. */
export const listenerSections = [
  "smtp",
  "submission",
  "submissions",
  "imap",
  "imaps",
  "http",
  "https",
  "operator",
  "metrics",
  "acme",
] as const satisfies readonly (keyof Settings)[];
export type ListenerSection = (typeof listenerSections)[number];

export interface SettingDescription {
  readonly section: keyof Settings;
  /** Name inside the section, camelCase. */
  readonly key: string;
  /** `smtp.max_recipients`. */
  readonly name: string;
  /** `WAYPOST_SMTP_MAX_RECIPIENTS`. */
  readonly environmentName: string;
  readonly type: "text" | "number" | "boolean" | "list";
  /** The allowed values, for a setting with a fixed list of them. */
  readonly choices: readonly string[] | undefined;
  readonly defaultValue: unknown;
  readonly meaning: string;
  /** Whoever reads the value can act as this server. */
  readonly isSecret: boolean;
}

/** All settings in the order of the schema. */
export const settingDescriptions: readonly SettingDescription[] = Object.entries(
  settingsSchema.shape,
).flatMap(([section, schema]) =>
  Object.entries(schema.shape).map(([key, field]): SettingDescription => {
    const inner: z.ZodType = field.def.innerType;
    const name = `${section}.${snakeCase(key)}`;
    return {
      section: section as keyof Settings,
      key,
      name,
      environmentName: `WAYPOST_${name.replace(".", "_").toUpperCase()}`,
      type:
        inner instanceof z.ZodNumber
          ? "number"
          : inner instanceof z.ZodBoolean
            ? "boolean"
            : inner instanceof z.ZodArray
              ? "list"
              : "text",
      choices: inner instanceof z.ZodEnum ? inner.options.map(String) : undefined,
      defaultValue: field.def.defaultValue,
      meaning: field.description ?? "",
      isSecret: field.meta()?.isSecret === true,
    };
  }),
);

export function sectionMeaning(section: keyof Settings): string {
  return settingsSchema.shape[section].description ?? "";
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The settings of an installation that sets nothing. */
export function defaultSettings(): Settings {
  const empty = Object.fromEntries(Object.keys(settingsSchema.shape).map((section) => [section, {}]));
  return withBoundHosts(settingsSchema.parse(empty));
}

/** Fills the hosts that follow `server.bind`. */
export function withBoundHosts(settings: Settings): Settings {
  const bound = Object.fromEntries(
    listenerSections.map((section) => [
      section,
      { ...settings[section], host: settings[section].host || settings.server.bind },
    ]),
  );
  return { ...settings, ...bound };
}
