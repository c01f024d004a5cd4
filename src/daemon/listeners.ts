import { isListening } from "#/config/contradictions.ts";
import { listenerSections } from "#/config/schema.ts";
import { createAppleProfileRoute } from "#/protocols/autoconfig/serve-apple-profile.ts";
import { createAutoconfigRoute } from "#/protocols/autoconfig/serve-autoconfig.ts";
import { createAutodiscoverRoute } from "#/protocols/autoconfig/serve-autodiscover.ts";
import { createStsPolicyRoute } from "#/protocols/autoconfig/serve-sts-policy.ts";
import type { Listener } from "#/protocols/connection/listener.ts";
import type { ServerKeys } from "#/protocols/connection/server-keys.ts";
import { createDavRoute } from "#/protocols/dav/serve-dav.ts";
import { listenImap } from "#/protocols/imap/listen.ts";
import { listenApart, listenHttp } from "#/protocols/json/carriage/listen.ts";
import { createOperatorRoute } from "#/protocols/json/operator/serve-operator.ts";
import { listenSmtp } from "#/protocols/smtp/listen-smtp.ts";
import { createWebRoute } from "#/protocols/web/serve-web.ts";
import { pause } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { readThrown } from "#/src/model/thrown.ts";
import { type Challenges, createChallengeRoute } from "./acme/challenges.ts";
import type { Certificate } from "./certificate.ts";
import type { House } from "./house.ts";

/** How long the protocols may take to end their connections. After half of it they destroy the remaining ones. Only a command that waits
 *  for the store takes longer. */
const closeGraceMs = 3000;

export interface OpenListeners {
  readonly listeners: readonly Listener[];
  close(): Promise<void>;
}

/** Opens every listener that the settings enable. When one cannot be bound, none stays open. */
export async function openListeners(
  house: House,
  tls: Certificate & ServerKeys,
  challenges?: Challenges,
): Promise<OpenListeners> {
  const rooms = { ...house, tls };
  const { operator } = house.settings;
  const operatorRoute = createOperatorRoute(house);
  const closing = new AbortController();
  const opened = await Promise.allSettled([
    listenSmtp(rooms),
    listenImap(rooms),
    listenHttp(rooms, [
      createAutoconfigRoute(house),
      createAutodiscoverRoute(house),
      createAppleProfileRoute(rooms),
      createStsPolicyRoute(house),
      createWebRoute({ ...house, closing: closing.signal }, house.loadDoors),
      ...(operator.servedOn === "http" ? [operatorRoute] : []),
      ...(house.settings.dav.enabled ? [createDavRoute(house)] : []),
    ]),
    operator.servedOn === "own_port"
      ? listenApart(
          rooms,
          { name: "operator", enabled: true, ...operator, isTls: operator.tls },
          operatorRoute,
        )
      : [],
    openMetrics(rooms, tls),
    challenges !== undefined && house.settings.acme.challenge === "http-01"
      ? listenApart(
          rooms,
          { name: "acme", ...house.settings.acme, isTls: false },
          createChallengeRoute(challenges),
          // Connections without a credential on a public port do not use up those of the operator's port.
          "challenges",
        )
      : [],
  ]);
  const listeners = opened.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
  const close = async (): Promise<void> => {
    closing.abort();
    const closed = Promise.all(listeners.map((listener) => listener.close()));
    const grace = new AbortController();
    const isOverdue = await Promise.race([
      closed.then(() => false),
      pause(closeGraceMs, { signal: grace.signal }).then(() => true),
    ]);
    grace.abort();
    if (isOverdue) house.log.warn("connections are open after the time in which they should have ended");
  };
  const failed = opened.find((one) => one.status === "rejected");
  if (failed === undefined) return { listeners, close };
  await close();
  throw bindingFailure(failed.reason, house.settings);
}

async function openMetrics(
  rooms: House & { readonly tls: ServerKeys },
  certificate: Pick<Certificate, "expiresAt">,
): Promise<Listener[]> {
  const { metrics, settings } = rooms;
  if (metrics === undefined) return [];
  metrics.watch(rooms, certificate);
  const { createMetricsRoute } = await import("./serve-metrics.ts");
  const port = { name: "metrics", ...settings.metrics, isTls: false };
  return listenApart(rooms, port, createMetricsRoute(rooms, metrics));
}

function bindingFailure(error: unknown, settings: House["settings"]): unknown {
  const {
    code,
    further: { address, port },
  } = readThrown(error);
  const section = listenerSections.find(
    (one) => isListening(settings, one) && settings[one].port === port && settings[one].host === address,
  );
  const setting = section === undefined ? "its setting" : `${section}.port`;
  const where = `${address ?? "?"} port ${port ?? "?"} (${setting})`;
  if (code === "EADDRINUSE")
    return new WaypostError("upstream_unavailable", `${where} is in use by another program.`, {
      hint: `Choose another port (${setting}), or stop the other program: ss -ltnp shows which one it is.`,
      cause: error,
    });
  if (code === "EACCES")
    return new WaypostError("upstream_unavailable", `${where} may not be opened by this user.`, {
      hint: "Ports below 1024 need the right to bind them (CAP_NET_BIND_SERVICE).",
      cause: error,
    });
  return error;
}
