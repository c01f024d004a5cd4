/** The policy of DMARC: what it asks for, and whether its reports arrive. */
import { formatRecord } from "#/src/accounts/dns-records.ts";
import { findDmarcDestinations } from "#/src/reports/destinations.ts";
import { textsOf } from "./authoritative.ts";
import { ok, remark, type Verdict, wrong } from "./finding.ts";
import { type RecordPlace, tagOf } from "./place.ts";

export async function judgeDmarc(found: readonly string[], place: RecordPlace): Promise<Verdict> {
  if (found.length > 1) return wrong("There are several. None of them counts (RFC 7489 section 6.6.3).");
  const [text] = found as [string];
  const policy = tagOf(text, "p");
  if (policy === undefined || !["none", "quarantine", "reject"].includes(policy))
    return wrong("It has no p=none, p=quarantine or p=reject, separated by semicolons.");
  const foreign = await findUnwilling(text, place);
  if (foreign !== undefined)
    return {
      ...wrong(
        `Reports are not sent to ${foreign}: it has not said that it wants those of ${place.domain}. Its own zone needs the line.`,
      ),
      copy: formatRecord({
        name: `${place.domain}._report._dmarc.${foreign}`,
        type: "TXT",
        value: "v=DMARC1",
      }),
    };
  const remarks = [
    ...(policy === "none" ? ["p=none: forged mail is delivered all the same."] : []),
    ...(tagOf(text, "sp") === "none" && policy !== "none" ? ["sp=none: subdomains are unprotected."] : []),
    ...shareRemark(tagOf(text, "pct")),
  ];
  return remarks.length === 0 ? ok : remark(remarks.join(" "));
}

function shareRemark(pct: string | undefined): string[] {
  const share = Number(pct ?? 100);
  return share >= 0 && share < 100 ? [`pct=${share}: ${share} of 100 forged mails are judged by it.`] : [];
}

/** The domain of a destination of reports that does not want them. */
async function findUnwilling(text: string, { domain, resolve, resolveOther }: RecordPlace) {
  const wanted = (tagOf(text, "rua") ?? "")
    .split(",")
    .flatMap((uri) => /^mailto:[^!?]+@([^!?]+)/i.exec(uri)?.[1]?.toLowerCase() ?? []);
  if (wanted.length === 0) return undefined;
  const ask: typeof resolve = (name, type) =>
    (name === `_dmarc.${domain}` ? resolve : resolveOther)(name, type);
  const willing = (await findDmarcDestinations(domain, ask))?.to ?? [];
  return wanted.find((one) => !willing.some((address) => address.toLowerCase().endsWith(`@${one}`)));
}

/** Where the policy is missing: whether it stands at the domain itself. */
export async function findDmarcAtDomain({ domain, resolve }: RecordPlace): Promise<string | undefined> {
  const texts = await textsOf(resolve, domain).catch(() => []);
  const misplaced = texts.find((text) => /^v=dmarc1\b/i.test(text));
  return (
    misplaced && `It stands at ${domain} instead, where nobody looks for it: move it to _dmarc.${domain}.`
  );
}
