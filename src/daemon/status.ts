/** `waypost status`: what the running daemon does now. */
import type { ListenerSection } from "#/config/schema.ts";
import manifest from "#/package.json" with { type: "json" };
import type { Listener } from "#/protocols/connection/listener.ts";
import type { Health } from "#/protocols/json/carriage/health.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { RefusalCount } from "#/src/fairness/refusals.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { type LeaseName, leaseNames } from "#/storage/leasing/leases.ts";
import type { Store } from "#/storage/store.ts";
import type { Certificate } from "./certificate.ts";
import type { Conditions } from "./conditions/watch-conditions.ts";
import type { HourOfDay, LastDay } from "./last-day.ts";

export interface DaemonStatus extends Readonly<Record<string, unknown>> {
  readonly version: string;
  readonly pid: number;
  readonly listeners: Readonly<
    Partial<Record<ListenerSection, { readonly host: string; readonly port: number }>>
  >;
  /** Its name among several on one database, and what it does for all of them. */
  readonly daemon?: string;
  readonly leases?: readonly LeaseName[];
  /** As `/health` says it. */
  readonly problems: readonly string[];
  /** Of all listeners. */
  readonly certificate: { readonly expiresAt: string; readonly isSelfSigned: boolean };
  /** Conditions that stand: a disk that is nearly full, an overdue queue, … */
  readonly warnings: readonly {
    readonly condition: string;
    readonly what: string;
    readonly since: string;
  }[];
  /** Connections by who has them: an address, or the network of somebody who has not signed in. The most first. */
  readonly connected: readonly {
    readonly listener: string;
    readonly who: string;
    readonly connections: number;
  }[];
  readonly lastDay: readonly HourOfDay[];
  /** Refusals because of a share, since the start. */
  readonly refused: readonly RefusalCount[];
}

export interface Status {
  /** Throws `upstream_unavailable` in a process that serves nothing. */
  read(): Promise<DaemonStatus>;
  /** The listeners are open. */
  serve(
    listeners: readonly Listener[],
    certificate: Pick<Certificate, "expiresAt" | "isSelfSigned">,
  ): DaemonStatus["listeners"];
}

interface StatusRooms {
  readonly store: Store;
  readonly accounts: Pick<Accounts, "findAgentFacts">;
  readonly fairness: Pick<Fairness, "refused" | "holders">;
  readonly day: Pick<LastDay, "hours">;
  readonly health: Health;
  readonly conditions: Pick<Conditions, "standing">;
}

/** Gates of connections. */
const doors = ["smtp", "submission", "imap", "http"] as const;
const connectedMax = 100;

export function createStatus({ store, accounts, fairness, day, health, conditions }: StatusRooms): Status {
  let listeners: DaemonStatus["listeners"] | undefined;
  let certificate: Pick<Certificate, "expiresAt" | "isSelfSigned"> | undefined;

  async function nameOf(owner: string): Promise<string> {
    const [kind, name = ""] = owner.split(" ");
    const facts = kind === "mailbox" ? await accounts.findAgentFacts(Number(name) as AgentNumber) : undefined;
    return facts?.address ?? name;
  }

  async function listConnected(): Promise<DaemonStatus["connected"]> {
    const all = doors.flatMap((listener) =>
      fairness.holders(listener).map(({ owner, amount }) => ({ listener, owner, connections: amount })),
    );
    const most = all.toSorted((one, other) => other.connections - one.connections).slice(0, connectedMax);
    return Promise.all(
      most.map(async ({ listener, owner, connections }) => ({
        listener,
        who: await nameOf(owner),
        connections,
      })),
    );
  }

  return {
    async read() {
      if (listeners === undefined || certificate === undefined)
        throw new WaypostError("upstream_unavailable", `No daemon runs on ${store.folder}.`, {
          hint: "Start one: waypost start.",
        });
      return {
        version: manifest.version,
        pid: process.pid,
        listeners,
        ...partOf(store),
        certificate: {
          expiresAt: new Date(certificate.expiresAt).toISOString(),
          isSelfSigned: certificate.isSelfSigned,
        },
        problems: await health.findProblems(),
        warnings: conditions.standing().map(({ condition, text, since }) => ({
          condition,
          what: text,
          since: new Date(since).toISOString(),
        })),
        connected: await listConnected(),
        lastDay: day.hours(),
        refused: fairness.refused(),
      };
    },
    serve(open, ofAll) {
      certificate = ofAll;
      listeners = Object.fromEntries(open.map(({ name, host, port }) => [name, { host, port }]));
      return listeners;
    },
  };
}

/** Empty for a daemon that is the only one on its store. */
function partOf({ leases }: Store): Pick<DaemonStatus, "daemon" | "leases"> {
  if (!leases.isShared) return {};
  return { daemon: leases.daemon, leases: leaseNames.filter((name) => leases.isHeld(name)) };
}
