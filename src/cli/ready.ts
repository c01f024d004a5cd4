/** The output of a started daemon: one line of JSON for programs, a page for people. */

import { publicOrigin } from "#/config/public-origin.ts";
import type { ListenerSection, Settings } from "#/config/schema.ts";
import type { Listener } from "#/protocols/connection/listener.ts";
import type { NewOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { sharedMailboxName } from "#/src/accounts/other-users.ts";
import type { Daemon } from "#/src/daemon/daemon.ts";
import { mailboxRoles } from "#/src/model/roles.ts";
import { findRouteObstacle } from "#/src/outbound/gate/route.ts";

interface Place {
  readonly host: string;
  readonly port: number;
}

/** Printed by `dev --json` and `start --json` when every listener is open. Disabled listeners are left out. */
export interface ReadyLine {
  readonly ready: true;
  readonly pid: number;
  /** The data folder, absolute. */
  readonly data: string;
  readonly smtp?: Place;
  readonly submission?: Place;
  readonly submissions?: Place;
  readonly imap?: Place;
  readonly imaps?: Place;
  readonly http?: { readonly url: string };
  readonly https?: { readonly url: string };
  /** Present when the operator's interface has a port of its own. */
  readonly operator?: { readonly url: string };
  readonly metrics?: { readonly url: string };
  /** The port of http-01, if certificates are obtained with it. */
  readonly acme?: { readonly url: string };
  readonly agents: readonly Credentials[];
  readonly people: readonly Credentials[];
}

export interface Credentials {
  readonly id: string;
  readonly address: string;
  /** Present for agents. */
  readonly token?: string;
  readonly password: string;
}

/** An address to which clients on this host can connect; a loopback address for a wildcard address. */
export function reachableHost(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}

function placeOf({ host, port }: Listener): Place {
  return { host: reachableHost(host), port };
}

function urlOf(scheme: "http" | "https", { host, port }: Place): string {
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The scheme of a listener; undefined for one without HTTP. */
function schemeOf(name: string, { operator }: Settings): "http" | "https" | undefined {
  if (name === "operator") return operator.tls ? "https" : "http";
  if (name === "metrics" || name === "acme") return "http";
  return name === "http" || name === "https" ? name : undefined;
}

export function readyLine(daemon: Daemon, data: string, owners: readonly NewOwner[]): ReadyLine {
  const places = Object.fromEntries(
    daemon.listeners.map((listener) => {
      const place = placeOf(listener);
      const scheme = schemeOf(listener.name, daemon.settings);
      return [listener.name, scheme === undefined ? place : { url: urlOf(scheme, place) }];
    }),
  );
  const ofKind = (kind: NewOwner["kind"]) =>
    owners.filter((owner) => owner.kind === kind).map(({ kind: _, name: __, ...credentials }) => credentials);
  return {
    ready: true,
    pid: process.pid,
    data,
    ...(places as Pick<ReadyLine, Exclude<ListenerSection, never>>),
    agents: ofKind("agent"),
    people: ofKind("person"),
  };
}

/** The same for people: the addresses of all listeners, and how to set up a mail client and curl. */
export function formatReady(daemon: Daemon, line: ReadyLine): string {
  const { settings, certificate } = daemon;
  const isLocal = isLoopback(settings.server.bind);
  // The certificate has the host name, but no address.
  const hostname = isLocal || isLoopback(settings.server.hostname) ? undefined : settings.server.hostname;
  const place = (name: "smtp" | "submission" | "submissions" | "imap" | "imaps") => {
    const at = line[name];
    return at === undefined ? "off" : `${hostname ?? at.host} port ${at.port}`;
  };
  const agent = line.agents[0];
  const person = line.people[0];
  // Plain HTTP is suggested only on loopback, because it carries passwords.
  const https = line.https && named(line.https.url, hostname);
  const web = isLocal ? (line.http?.url ?? https) : https;
  const pages = publicOrigin(settings, line.http && Number(new URL(line.http.url).port));
  const davUrl = settings.dav.enabled && web !== undefined ? `${web}/dav/` : undefined;
  const sections: string[][] = [
    [`Waypost is ready. Data: ${line.data}`],
    [
      `SMTP         ${place("smtp")}`,
      `Submission   ${place("submissions")} (TLS), ${place("submission")} (STARTTLS)`,
      `IMAP         ${place("imaps")} (TLS), ${place("imap")} (STARTTLS)`,
      `JSON         ${line.http?.url ?? "off"}, ${https ?? "off"} (TLS); MCP below /mcp`,
      `Pages        ${pages ?? "off (server.public_url)"}${pages === undefined ? "" : ", where people approve mail"}`,
      `Calendars    ${settings.dav.enabled ? "there below /dav/ (CalDAV, CardDAV)" : "off"}`,
      certificate.isSelfSigned
        ? `Certificate  self-signed, SHA-256 ${certificate.fingerprint}`
        : `Certificate  ${settings.acme.enabled ? `of ${new URL(settings.acme.directory).host}` : settings.tls.certificateFile}, until ${new Date(certificate.expiresAt).toISOString().slice(0, 10)}`,
    ],
  ];
  sections.push(
    isLocal
      ? [
          `Only programs on this computer reach it (server.bind = ${settings.server.bind}).`,
          "To open it to others: --set server.bind=:: or WAYPOST_SERVER_BIND=::",
        ]
      : [`Other computers reach it too (server.bind = ${settings.server.bind}).`],
  );
  if (agent !== undefined || person !== undefined)
    sections.push([
      "These secrets are shown now and never again:",
      ...line.agents.concat(line.people).map(formatSecrets),
    ]);
  if (person !== undefined)
    sections.push([
      `Thunderbird: new mail account, configure by hand${certificate.isSelfSigned ? ", accept the self-signed certificate" : ""}:`,
      `  address and user name ${person.address}, the app password above`,
      `  incoming IMAP ${place("imaps")}, SSL/TLS, normal password`,
      `  outgoing SMTP ${place("submissions")}, SSL/TLS, normal password`,
      ...(davUrl === undefined
        ? []
        : [`  calendars and addressbooks ${davUrl}, the same user name and password`]),
    ]);
  if (agent !== undefined && line.http !== undefined)
    sections.push([
      "curl, as the agent:",
      `  curl -s ${line.http.url}/v1/wait -H 'Authorization: Bearer ${agent.token}' -H 'Content-Type: application/json' -d '{}'`,
    ]);
  if (agent === undefined && person === undefined)
    sections.push([
      "Who has a mailbox: waypost agent list, waypost person list. A new secret: waypost token create, waypost password create.",
    ]);
  if (agent !== undefined && person !== undefined)
    sections.push([
      `${person.address} approves what agents send to somebody new: in the mail program, move the mail from`,
      `  ${sharedMailboxName(agent.address, mailboxRoles.holds.name)} to ${mailboxRoles.holds_approved.name} beside it.`,
      "Or: waypost hold list, waypost hold approve <hold>. Who approves: waypost agent update <agent> --approver <person>.",
    ]);
  sections.push([...wayOut(settings), "Stop with Ctrl-C."]);
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

/** Says whether mail to other servers can be sent. */
function wayOut(settings: Settings): string[] {
  const obstacle = findRouteObstacle(settings, settings.server.domain);
  return obstacle === undefined
    ? []
    : [`Mail to other servers is not sent: ${obstacle.message}`, obstacle.hint];
}

function formatSecrets({ address, token, password }: Credentials): string {
  return `  ${address}  app password ${password}${token === undefined ? "" : `  token ${token}`}`;
}

/** The URL with this host, if there is one. */
function named(url: string, hostname: string | undefined): string {
  const parsed = new URL(url);
  if (hostname !== undefined) parsed.hostname = hostname;
  return parsed.origin;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}
