/** A configuration profile of Apple's systems (".mobileconfig"): mail, calendars and contacts of a domain, without address and password.
 *  The system asks for what is absent (EmailAddress, the usernames, the password) when a person installs the profile.
 *
 *  A property list with a payload for each kind of account: com.apple.mail.managed, com.apple.caldav.account, com.apple.carddav.account. */
import { createHash } from "node:crypto";
import type { Settings } from "#/config/schema.ts";
import { escapeXml } from "./client-config.ts";

type Value = string | number | boolean | readonly Fields[];
type Fields = Readonly<Record<string, Value>>;

/** undefined when no protocol is enabled that a profile can name. The domain is one that this server serves. */
export function formatAppleProfile(domain: string, settings: Settings): string | undefined {
  const payloads = [mailPayload(domain, settings), ...collectionPayloads(domain, settings)].filter(
    (payload) => payload !== undefined,
  );
  if (payloads.length === 0) return undefined;
  const profile = named("Configuration", domain, settings, {
    PayloadDisplayName: domain,
    PayloadOrganization: settings.server.hostname,
    PayloadContent: payloads,
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    formatFields(profile),
    "</plist>",
    "",
  ].join("\n");
}

function mailPayload(domain: string, settings: Settings): Fields | undefined {
  const { imap, imaps, submission, submissions, server } = settings;
  const [incoming, outgoing] = [
    [imaps, imap],
    [submissions, submission],
  ].map((doors) => doors.find(({ enabled, port }) => enabled && port > 0));
  if (incoming === undefined || outgoing === undefined) return undefined;
  const account = (direction: "Incoming" | "Outgoing", { port }: { readonly port: number }): Fields => ({
    [`${direction}MailServerHostName`]: server.hostname,
    [`${direction}MailServerPortNumber`]: port,
    [`${direction}MailServerUseSSL`]: true,
    [`${direction}MailServerAuthentication`]: "EmailAuthPassword",
  });
  return named("com.apple.mail.managed", domain, settings, {
    EmailAccountType: "EmailTypeIMAP",
    EmailAccountDescription: domain,
    ...account("Incoming", incoming),
    ...account("Outgoing", outgoing),
    OutgoingPasswordSameAsIncomingPassword: true,
  });
}

function collectionPayloads(domain: string, settings: Settings): Fields[] {
  const { dav, https, server } = settings;
  if (!dav.enabled || !https.enabled || https.port === 0) return [];
  return (["CalDAV", "CardDAV"] as const).map((kind) =>
    named(`com.apple.${kind.toLowerCase()}.account`, domain, settings, {
      [`${kind}AccountDescription`]: domain,
      [`${kind}HostName`]: server.hostname,
      [`${kind}Port`]: https.port,
      [`${kind}UseSSL`]: true,
      [`${kind}PrincipalURL`]: "/dav/",
    }),
  );
}

/** A payload has the same name each time, so that a profile that is installed again replaces the former one. */
function named(type: string, domain: string, { server }: Settings, fields: Fields): Fields {
  const digest = createHash("sha256").update(`${type} ${server.hostname} ${domain}`).digest("hex");
  // RFC 9562 section 5.8.
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5").toUpperCase();
  const reversed = server.hostname.split(".").toReversed().join(".");
  return {
    PayloadType: type,
    PayloadVersion: 1,
    PayloadIdentifier: `${reversed}.${uuid.toLowerCase()}`,
    PayloadUUID: uuid,
    ...fields,
  };
}

function formatFields(fields: Fields): string {
  const lines = Object.entries(fields).map(([name, value]) => `<key>${name}</key>${formatValue(value)}`);
  return `<dict>\n${lines.join("\n")}\n</dict>`;
}

function formatValue(value: Value): string {
  if (typeof value === "string") return `<string>${escapeXml(value)}</string>`;
  if (typeof value === "number") return `<integer>${value}</integer>`;
  if (typeof value === "boolean") return value ? "<true/>" : "<false/>";
  return `<array>\n${value.map(formatFields).join("\n")}\n</array>`;
}
