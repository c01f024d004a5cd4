/** Settings that are right by themselves and wrong together. */
import { type ListenerSection, listenerSections, type Settings } from "./schema.ts";
import type { SettingProblem } from "./wrong-settings.ts";

/** `setting` is the one whose place is told. */
type Contradiction = Required<Pick<SettingProblem, "setting" | "text">>;

/** Listeners at which mail, calendars or programs arrive. */
const serving = ["smtp", "submission", "submissions", "imap", "imaps", "http", "https"] as const;

/** `settings` have their hosts (`withBoundHosts`). */
export function findContradictions(settings: Settings): Contradiction[] {
  const { server, tls, acme, outbound, sts, http, https } = settings;
  const found: Contradiction[] = [];
  const note = (setting: string, text: string) => void found.push({ setting, text });
  const together = (...pair: readonly (readonly [name: string, value: string])[]) => {
    const [alone, ...more] = pair.filter(([, value]) => value !== "");
    const other = pair.find(([, value]) => value === "");
    if (alone !== undefined && more.length === 0)
      note(alone[0], `is only of use together with ${other![0]}.`);
  };
  together(["tls.certificate_file", tls.certificateFile], ["tls.key_file", tls.keyFile]);
  together(
    ["outbound.smarthost_user", outbound.smarthostUser],
    ["outbound.smarthost_password", outbound.smarthostPassword],
  );
  if (outbound.smarthostUser !== "" && outbound.smarthostHost === "")
    note("outbound.smarthost_user", "is only of use together with outbound.smarthost_host.");
  if (acme.enabled && tls.certificateFile !== "")
    note(
      "acme.enabled",
      "stands against tls.certificate_file: certificates come from an authority or from files.",
    );
  if (acme.enabled && /^(?:.*\.)?localhost$/i.test(server.hostname))
    note("acme.enabled", `no authority knows ${server.hostname}: set server.hostname, as mail.example.org.`);
  // A web server in front of the HTTP port can have the TLS of the policy's host.
  if (sts.mode === "enforce" && !https.enabled && !(http.enabled && server.trustedProxies.length > 0))
    note("sts.mode", 'the policy is fetched over HTTPS: set https.enabled = true, or sts.mode = "testing".');
  if (!serving.some((section) => settings[section].enabled))
    note("smtp.enabled", `every listener is off: set one of ${serving.join(", ")} to enabled = true.`);
  for (const [one, other] of clashingPorts(settings))
    note(`${other}.port`, `is ${settings[other].port}, as ${one}.port: each listener has a port of its own.`);
  return found;
}

/** Whether the settings open this listener. */
export function isListening(settings: Settings, section: ListenerSection): boolean {
  switch (section) {
    case "operator":
      return settings.operator.servedOn === "own_port";
    case "acme":
      return settings.acme.enabled && settings.acme.challenge === "http-01";
    default:
      return settings[section].enabled;
  }
}

function clashingPorts(settings: Settings): [ListenerSection, ListenerSection][] {
  const open = listenerSections.filter(
    (section) => isListening(settings, section) && settings[section].port !== 0,
  );
  return open.flatMap((other, at) => {
    const one = open.slice(0, at).find((before) => {
      const [a, b] = [settings[before], settings[other]];
      return a.port === b.port && (a.host === b.host || isEvery(a.host) || isEvery(b.host));
    });
    return one === undefined ? [] : [[one, other] as [ListenerSection, ListenerSection]];
  });
}

function isEvery(host: string): boolean {
  return host === "::" || host === "0.0.0.0";
}
