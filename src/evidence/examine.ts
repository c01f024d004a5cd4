/** Examines the origin of a message: SPF (RFC 7208), DKIM (RFC 6376, 8301, 8463), DMARC (RFC 9989), ARC (RFC 8617) and iprev (RFC 8601
 *  section 3), by `mailauth` in its strict mode. In addition: DNS queries and signatures are limited in number; a signature with `l=`
 *  is ignored; a message needs one unambiguous author; a signature counts for the displayed fields only if it covers them; a changed
 *  body is a failure; BIMI is not read.
 *
 *  Throws nothing: a result that cannot be found is `temperror`. */
import { type HeaderField, readHeaderFields } from "#/src/formats/mime/header.ts";
import { headerBlockBytesMax, headerBytesMax } from "#/src/model/limits.ts";
import { authorDomains, authorOf } from "./author.ts";
import type { Checks, DkimCheck, Evidence } from "./checks.ts";
import { checkDmarc, checkDmarcOfAll, type DmarcFinding, type PassedDomains } from "./dmarc.ts";
import { limitQuestions, type Resolve } from "./dns.ts";
import { checkReverseName } from "./reverse-name.ts";
import { checkSignatures, type SignatureFinding } from "./signatures.ts";
import { checkSpf, type Origin } from "./spf.ts";

export type { Origin } from "./spf.ts";

/** Real messages have at most a handful of signatures, and SPF stops after ten questions by itself. */
const questionsMax = 60;
/** SPF, DKIM, ARC and iprev together; the sender is waiting for its 250. */
const timeMaxMs = 10_000;
/** DMARC has its own limits of queries and time, which records of a sender cannot use up. */
const dmarcQuestionsMax = 60;
const dmarcTimeMaxMs = 5_000;

/** Loads what examinations need, which takes 100 ms of a processor or more: otherwise the first of them loads it. */
export async function loadExaminers(): Promise<void> {
  await Promise.all([
    import("mailauth/lib/spf/index.js"),
    import("mailauth/lib/arc/index.js"),
    import("mailauth/lib/dkim/dkim-verifier.js"),
    import("mailauth/lib/parse-dkim-headers.js"),
    import("mailauth/lib/dmarc/index.js"),
    import("mailauth/lib/tools.js"),
  ]);
}

export async function examineMessage(
  bytes: Uint8Array,
  origin: Origin,
  hostname: string,
  network: Resolve,
): Promise<Evidence> {
  const resolve = limitQuestions(network, questionsMax, performance.now() + timeMaxMs);
  const fields = readHeaderFields(bytes, "", headerBlockBytesMax);
  const author = hasWholeHeader(bytes) ? authorOf(fields) : undefined;
  const named = author === undefined ? authorDomains(fields) : { domains: [author.domain], areAll: true };
  const isAuthors = await relatedTo(named.domains);
  const [spf, signatures, iprev] = await Promise.all([
    checkSpf(origin, hostname, resolve, timeMaxMs),
    checkSignatures(bytes, fields, isAuthors, resolve),
    checkReverseName(origin.remoteAddress, resolve),
  ]);
  const valid = signatures.dkim.filter(({ isValid }) => isValid);
  const passed: PassedDomains = {
    spf: spf.result === "pass" ? spf.domain : undefined,
    dkim: valid.flatMap(({ domain }) => domain ?? []),
  };
  const dmarcResolve = limitQuestions(network, dmarcQuestionsMax, performance.now() + dmarcTimeMaxMs);
  const shared = {
    spf,
    ...(signatures.arc === undefined ? {} : { arc: signatures.arc }),
    iprev,
  };
  if (author === undefined) {
    const { shown, failedPolicy } = await checkDmarcOfAll(named.domains, passed, dmarcResolve);
    // A domain may be hidden behind so many others that it is not asked: then at least quarantine, which most domains with a policy ask for.
    const policy = !named.areAll && failedPolicy !== "reject" ? "quarantine" : failedPolicy;
    return {
      checks: { ...shared, dkim: signatures.dkim.map((one) => shownSignature(one)), dmarc: shown },
      isAuthenticated: false,
      ...(policy === undefined ? {} : { failedPolicy: policy }),
    };
  }
  const dmarc = await checkDmarc(author.domain, passed, dmarcResolve);
  return judge(fields, signatures.dkim, dmarc, shared);
}

/** The checks of a message with one author. */
function judge(
  fields: readonly HeaderField[],
  signatures: readonly SignatureFinding[],
  dmarc: DmarcFinding,
  shared: Checks,
): Evidence {
  const speaking = signatures.filter(
    ({ isValid, domain, coverage }) => isValid && dmarc.aligned.has(domain ?? "") && coverage?.isComplete,
  );
  const isBySignature = !dmarc.isSpfAligned && speaking.length > 0;
  const hasReplyTo = fields.some(({ name }) => name === "reply-to");
  const isReplyToCovered = speaking.some(({ coverage }) => coverage?.covers.includes("reply-to"));
  return {
    checks: {
      ...shared,
      dkim: signatures.map((one) => shownSignature(one, dmarc.aligned)),
      dmarc: dmarc.shown,
      ...(isBySignature && hasReplyTo ? { reply_to: { covered: isReplyToCovered } } : {}),
    },
    isAuthenticated: dmarc.isSpfAligned || speaking.length > 0,
    isSpfAligned: dmarc.isSpfAligned,
    ...(dmarc.failedPolicy === undefined ? {} : { failedPolicy: dmarc.failedPolicy }),
  };
}

function shownSignature(
  { isValid, coverage, ...shown }: SignatureFinding,
  aligned: ReadonlySet<string> = new Set(),
): DkimCheck {
  if (!isValid) return shown;
  return { ...shown, aligned: aligned.has(shown.domain ?? ""), covers: coverage?.covers ?? [] };
}

/** Whether a domain has the organizational domain of one of these. */
async function relatedTo(domains: readonly string[]): Promise<(domain: string) => boolean> {
  const { getAlignment } = await import("mailauth/lib/tools.js");
  const known = new Map<string, boolean>();
  return (domain) => {
    let isRelated = known.get(domain);
    if (isRelated === undefined) {
      isRelated = domains.some((one) => getAlignment(one, [domain], false) !== false);
      known.set(domain, isRelated);
    }
    return isRelated;
  };
}

/** A field beyond what is parsed could be another From. */
function hasWholeHeader(bytes: Uint8Array): boolean {
  if (bytes.length <= headerBytesMax) return true;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, headerBytesMax);
  return head.includes("\r\n\r\n") || head.includes("\n\n");
}
