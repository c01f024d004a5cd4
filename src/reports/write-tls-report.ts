/** Writes a TLS report (RFC 8460 section 4): the connections with one domain on one day. */
import type { TlsSession, TlsSessionResult } from "#/src/model/tls-result.ts";
import type { ReportCountRow } from "#/storage/rows.ts";

/** What is counted of a session; the fields stand in this order. */
export interface TlsDetail {
  readonly type: TlsSession["policy"]["type"];
  readonly strings: readonly string[];
  readonly hosts: readonly string[];
  readonly result: TlsSessionResult;
  /** Of failures alone: all successes of a policy are one number. */
  readonly host?: string;
  readonly address?: string;
  readonly localAddress?: string;
}

export function tlsDetail({ policy, result, host, address, localAddress }: TlsSession): TlsDetail {
  const { type, strings, hosts } = policy;
  if (result === "success") return { type, strings, hosts, result };
  const local = localAddress === undefined ? {} : { localAddress };
  return { type, strings, hosts, result, host, address, ...local };
}

export interface ReportHead {
  readonly domain: string;
  readonly organization: string;
  readonly contact: string;
  readonly id: string;
  readonly beginsAt: number;
  readonly endsAt: number;
}

export function writeTlsReport(head: ReportHead, rows: readonly ReportCountRow[]): string {
  const policies = Map.groupBy(
    rows.map(({ detail, count }) => ({ ...(JSON.parse(detail) as TlsDetail), count })),
    ({ type, strings, hosts }) => JSON.stringify([type, strings, hosts]),
  );
  return JSON.stringify({
    "organization-name": head.organization,
    "date-range": { "start-datetime": isoSeconds(head.beginsAt), "end-datetime": isoSeconds(head.endsAt) },
    "contact-info": head.contact,
    "report-id": head.id,
    policies: [...policies.values()].map((sessions) => writePolicy(head.domain, sessions)),
  });
}

function writePolicy(domain: string, sessions: readonly (TlsDetail & { readonly count: number })[]) {
  const { type, strings, hosts } = sessions[0]!;
  const failures = sessions.filter(({ result }) => result !== "success");
  const sum = (list: readonly { count: number }[]) => list.reduce((total, { count }) => total + count, 0);
  return {
    policy: {
      "policy-type": type,
      ...(strings.length === 0 ? {} : { "policy-string": strings }),
      "policy-domain": domain,
      ...(hosts.length === 0 ? {} : { "mx-host": hosts }),
    },
    summary: {
      "total-successful-session-count": sum(sessions) - sum(failures),
      "total-failure-session-count": sum(failures),
    },
    ...(failures.length === 0
      ? {}
      : {
          "failure-details": failures.map(({ result, host, address, localAddress, count }) => ({
            "result-type": result,
            ...(localAddress === undefined ? {} : { "sending-mta-ip": localAddress }),
            "receiving-mx-hostname": host,
            "receiving-ip": address,
            "failed-session-count": count,
          })),
        }),
  };
}

function isoSeconds(time: number): string {
  return new Date(time).toISOString().replace(".000Z", "Z");
}
