/** Sends the reports of a day to the domains that ask for them, after the day has ended. A report is mail of the postmaster of the
 *  server's own domain and goes through the queue as other mail does. */

import type { Settings } from "#/config/schema.ts";
import { isReservedDomain } from "#/src/accounts/reserved-domain.ts";
import { findOwnDomain, findResponsible } from "#/src/accounts/role-mailboxes.ts";
import type { Resolve } from "#/src/evidence/dns.ts";
import type { ReportKind } from "#/src/formats/reports/received-report.ts";
import { server } from "#/src/model/author.ts";
import { type ErrorCode, isWaypostError } from "#/src/model/errors.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import { listCountedDomains, listReportCounts } from "#/storage/queries/accounts/domain-reports.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { findDmarcDestinations, findTlsDestinations } from "./destinations.ts";
import { dayOf, startOfDay } from "./report-counts.ts";
import { writeReportMail } from "./report-mail.ts";
import { writeDmarcReport } from "./write-dmarc-report.ts";
import { type ReportHead, writeTlsReport } from "./write-tls-report.ts";

export interface ReportingRooms {
  readonly store: Store;
  readonly settings: Pick<Settings, "server" | "reports">;
  readonly outbound: Pick<Outbound, "submit">;
  readonly resolve: Resolve;
}

/** Domains that one call looks at; the next call goes on. */
const domainsPerCall = 1000;
/** Name servers of strangers may be silent. */
const timeMaxMs = 10 * 60_000;
const rowsMax = 1000;
/** What is older helps nobody any more, as after a stop of the server for days. */
const daysMax = 3;

interface Sender {
  readonly agent: AgentRow;
  readonly domain: string;
}

/** Gives how many reports left. Stops where the sender may send no more for now. */
export async function sendDueReports(rooms: ReportingRooms): Promise<number> {
  const { sendTls, sendDmarc } = rooms.settings.reports;
  const sender = await findSender(rooms);
  const until = performance.now() + timeMaxMs;
  return (
    (await sendKind(rooms, "tls", sendTls ? sender : undefined, until)) +
    (await sendKind(rooms, "dmarc", sendDmarc ? sender : undefined, until))
  );
}

async function sendKind(
  rooms: ReportingRooms,
  kind: ReportKind,
  sender: Sender | undefined,
  until: number,
): Promise<number> {
  const { store } = rooms;
  const today = dayOf(store.clock.now());
  let sentCount = 0;
  for (const { day, domain } of await listCountedDomains(store, kind, today, domainsPerCall)) {
    if (performance.now() > until) break;
    const isWanted = sender !== undefined && day >= today - daysMax;
    const report = isWanted ? await writers[kind](rooms, headOf(sender, domain, day), day) : undefined;
    if (sender !== undefined && report !== undefined) {
      const { head, text, to } = report;
      const mail = writeReportMail(kind, head, { report: text, to, at: store.clock.now() });
      if (!(await submit(rooms, sender, head, mail, to))) return sentCount;
      sentCount++;
    }
    // After the mail: what a crash in between repeats has the same name.
    await store.write(server, "forgetReportCounts", { kind, day, domain });
  }
  return sentCount;
}

interface Written {
  readonly head: ReportHead;
  readonly text: string;
  readonly to: readonly string[];
}

/** undefined where the domain wants no report. */
type Writer = (rooms: ReportingRooms, head: ReportHead, day: number) => Promise<Written | undefined>;

const writers: Readonly<Record<ReportKind, Writer>> = {
  async tls({ store, resolve }, head, day) {
    const { domain } = head;
    const to = await findTlsDestinations(domain, resolve);
    if (to.length === 0) return undefined;
    const rows = await listReportCounts(store, { kind: "tls", day, domain, limit: rowsMax });
    return { head, text: writeTlsReport(head, rows), to };
  },
  async dmarc({ store, resolve }, head, day) {
    const { domain } = head;
    const found = await findDmarcDestinations(domain, resolve);
    if (found === undefined) return undefined;
    const rows = await listReportCounts(store, { kind: "dmarc", day, domain, limit: rowsMax });
    return { head, text: writeDmarcReport(head, found.published, rows), to: found.to };
  },
};

/** A person: what an agent sends may have to wait for one. */
async function findSender({ store, settings }: ReportingRooms): Promise<Sender | undefined> {
  const domain = await findOwnDomain(store, settings.server.domain);
  if (domain === undefined || isReservedDomain(domain)) return undefined;
  const agent = await findResponsible(store, domain);
  return agent?.kind === "person" ? { agent, domain } : undefined;
}

function headOf({ domain: organization }: Sender, domain: string, day: number): ReportHead {
  return {
    domain,
    organization,
    contact: `postmaster@${organization}`,
    id: `${day}.${domain}@${organization}`,
    beginsAt: startOfDay(day),
    endsAt: startOfDay(day + 1) - 1000,
  };
}

const notNow: readonly ErrorCode[] = ["rate_limited", "paused", "upstream_unavailable"];

/** False when no more can be sent for now. A report that cannot be sent at all is given up. */
async function submit(
  { outbound }: ReportingRooms,
  { agent }: Sender,
  head: ReportHead,
  bytes: Buffer,
  to: readonly string[],
): Promise<boolean> {
  try {
    await outbound.submit(server, {
      principal: { agent: agent.agent, kind: agent.kind, isServer: true },
      mailbox: agent.agent,
      bytes,
      envelope: {
        from: head.contact,
        envid: null,
        ret: null,
        bodyType: "7BIT",
        isSmtputf8: false,
        // Nobody has to be told that a report did not arrive.
        recipients: to.map((address) => ({ address, notify: ["NEVER"] })),
      },
      isAuthenticated: true,
      holdWish: "policy",
      source: "submission",
      hasNoCopy: true,
      isUncounted: true,
    });
    return true;
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    return !notNow.includes(error.code);
  }
}
