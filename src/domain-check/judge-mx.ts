/** Where mail to the domain goes. */
import { isIP } from "node:net";
import { recordsOf } from "./authoritative.ts";
import { ok, remark, type Verdict, wrong } from "./finding.ts";
import { plainName, type RecordPlace } from "./place.ts";

/** `found` is sorted by preference: "10 mx.example.org.". */
export async function judgeMx(found: readonly string[], place: RecordPlace): Promise<Verdict> {
  const { hostname } = place.settings.server;
  const own = plainName(hostname);
  const hosts = found.map((value) => plainName(value.split(" ")[1]!));
  if (hosts.every((host) => host === ""))
    return wrong("It is a null MX (RFC 7505): the domain says that it takes no mail.");
  const address = hosts.find((host) => isIP(host) !== 0);
  if (address !== undefined)
    return wrong(`${address} is an address, and an MX names a host (RFC 5321 section 5.1).`);
  if (!hosts.includes(own)) {
    const alias = (await aliasOf(hosts, place)) ?? "";
    return wrong(`Mail to the domain goes to other servers, and never to ${hostname}.${alias}`);
  }
  const alias = await aliasOf([own], place);
  if (alias !== undefined) return wrong(alias.trim());
  if (hosts[0] !== own)
    return remark("Other servers get the mail first; this one gets it when they are down.");
  return ok;
}

/** RFC 2181 section 10.3. */
async function aliasOf(hosts: readonly string[], { resolveOther }: RecordPlace): Promise<string | undefined> {
  for (const host of hosts) {
    const [target] = await recordsOf(resolveOther, host, "CNAME").catch(() => []);
    if (target !== undefined)
      return ` ${host} is a CNAME (of ${plainName(String(target))}), which an MX must not name (RFC 2181 section 10.3): many senders refuse it.`;
  }
  return undefined;
}
