/** The configuration that Thunderbird and others request when a person has typed an address (Mozilla's config-v1.1.xml): where the
 *  servers are. Servers with TLS from the first octet are listed first. */
import type { Settings } from "#/config/schema.ts";

/** The client replaces `%EMAILADDRESS%` by the address that the person has typed: the login is the whole address. */
const userName = "<username>%EMAILADDRESS%</username>";

interface Server {
  readonly tag: "incomingServer" | "outgoingServer";
  readonly type: "imap" | "smtp";
  readonly door: Settings["imap" | "imaps" | "submission" | "submissions"];
  readonly socketType: "SSL" | "STARTTLS";
}

/** `domain` is one that this server serves, in A-labels. */
export function formatClientConfig(domain: string, settings: Settings): string {
  const { hostname } = settings.server;
  const { imap, imaps, submission, submissions, https, dav } = settings;
  const servers: readonly Server[] = [
    { tag: "incomingServer", type: "imap", door: imaps, socketType: "SSL" },
    { tag: "incomingServer", type: "imap", door: imap, socketType: "STARTTLS" },
    { tag: "outgoingServer", type: "smtp", door: submissions, socketType: "SSL" },
    { tag: "outgoingServer", type: "smtp", door: submission, socketType: "STARTTLS" },
  ];
  const mail = servers
    .filter(({ door }) => door.enabled && door.port > 0)
    .flatMap(({ tag, type, door, socketType }) => [
      `    <${tag} type="${type}">`,
      `      <hostname>${escapeXml(hostname)}</hostname>`,
      `      <port>${door.port}</port>`,
      `      <socketType>${socketType}</socketType>`,
      `      ${userName}`,
      "      <authentication>password-cleartext</authentication>",
      `    </${tag}>`,
    ]);
  const collections =
    dav.enabled && https.enabled && https.port > 0
      ? (["addressBook", "calendar"] as const).flatMap((tag) => [
          `  <${tag} type="${tag === "calendar" ? "caldav" : "carddav"}">`,
          `    ${userName}`,
          "    <authentication>http-basic</authentication>",
          `    <serverURL>https://${escapeXml(hostname)}${https.port === 443 ? "" : `:${https.port}`}/dav/</serverURL>`,
          `  </${tag}>`,
        ])
      : [];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<clientConfig version="1.1">',
    `  <emailProvider id="${escapeXml(domain)}">`,
    `    <domain>${escapeXml(domain)}</domain>`,
    `    <displayName>${escapeXml(domain)}</displayName>`,
    `    <displayShortName>${escapeXml(domain)}</displayShortName>`,
    ...mail,
    "  </emailProvider>",
    ...collections,
    "</clientConfig>",
    "",
  ].join("\n");
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
