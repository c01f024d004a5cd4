/** Who really sent a message: SPF (RFC 7208), DKIM (RFC 6376, 8301, 8463), DMARC (RFC 9989), ARC (RFC 8617) and iprev (RFC 8601
 *  section 3), by `mailauth` in its strict mode, with five guards: questions to the DNS are counted, a signature with `l=`
 *  never counts, a message needs one unambiguous author, a changed body is a failure, and BIMI is not looked at.
 *
 *  Throws nothing: what cannot be found out is `temperror`. */
import { isIP } from "node:net";
import { headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { headerBytesMax } from "#/src/model/limits.ts";
import { type Author, authorOf } from "./author.ts";
import type { Checks, DkimCheck, DmarcPolicy, Evidence } from "./checks.ts";
import { limitQuestions, type Resolve } from "./dns.ts";
import { checkReverseName } from "./reverse-name.ts";

export interface Origin {
  readonly remoteAddress: string;
  readonly heloName: string;
  /** Empty for the null reverse path. */
  readonly reversePath: string;
}

/** Real messages have at most a handful of signatures, and SPF stops after ten questions by itself. */
const questionsMax = 60;
const signaturesMax = 10;
/** All of it together; the sender is waiting for its 250. */
const timeMaxMs = 15_000;

export async function examineMessage(
  bytes: Uint8Array,
  origin: Origin,
  hostname: string,
  network: Resolve,
): Promise<Evidence> {
  const resolve = limitQuestions(network, questionsMax, performance.now() + timeMaxMs);
  const fields = readHeaderFields(bytes);
  const isWhole = fields.length > 0 && hasWholeHeader(bytes);
  const author = isWhole ? authorOf(fields) : undefined;
  const [spf, signatures, iprev] = await Promise.all([
    checkSpf(origin, hostname, resolve),
    checkSignatures(bytes, fields, resolve),
    checkReverseName(origin.remoteAddress, resolve),
  ]);
  const counting = signatures.dkim.filter(({ result, reason }) => result === "pass" && reason === undefined);
  const spfDomain = spf.result === "pass" ? spf.domain : undefined;
  const dmarc = author && (await checkDmarc(author, spfDomain, counting, resolve));
  const dkim = signatures.dkim.map((one) => ({
    ...one,
    ...(one.result === "pass" ? { aligned: dmarc?.aligned.has(one.domain ?? "") ?? false } : {}),
  }));
  const checks: Checks = {
    spf,
    dkim,
    dmarc: dmarc === undefined ? { result: "none" } : dmarc.shown,
    ...(signatures.arc === undefined ? {} : { arc: signatures.arc }),
    iprev,
  };
  return {
    checks,
    isAuthenticated: dmarc?.isAligned ?? false,
    ...(dmarc?.failedPolicy === undefined ? {} : { failedPolicy: dmarc.failedPolicy }),
  };
}

/** A field beyond what is parsed could be another From. */
function hasWholeHeader(bytes: Uint8Array): boolean {
  if (bytes.length <= headerBytesMax) return true;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, headerBytesMax);
  return head.includes("\r\n\r\n") || head.includes("\n\n");
}

async function checkSpf(
  { remoteAddress, heloName, reversePath }: Origin,
  hostname: string,
  resolver: Resolve,
): Promise<NonNullable<Checks["spf"]>> {
  const ip = remoteAddress.split("%")[0]!;
  if (isIP(ip) === 0) return { result: "none" };
  try {
    const { spf } = await import("mailauth/lib/spf/index.js");
    const helo = isIP(heloName) === 0 ? heloName : `[${heloName}]`;
    const found = await spf({
      sender: reversePath,
      ip,
      helo,
      mta: hostname,
      resolver: resolver as never,
      strict: true,
      maxElapsedTime: timeMaxMs,
    });
    return { result: found.status.result, ...named("domain", found.domain) };
  } catch {
    return { result: "temperror" };
  }
}

interface Signatures {
  readonly dkim: readonly DkimCheck[];
  readonly arc?: NonNullable<Checks["arc"]>;
}

async function checkSignatures(
  bytes: Uint8Array,
  fields: ReturnType<typeof readHeaderFields>,
  resolver: Resolve,
): Promise<Signatures> {
  const has = (name: string): boolean => headerValues(fields, name).length > 0;
  const isSealed = has("arc-seal") || has("arc-message-signature");
  if (!isSealed && !has("dkim-signature")) return { dkim: [] };
  try {
    const { dkimVerify } = await import("mailauth/lib/dkim/verify.js");
    const verified = await dkimVerify(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), {
      resolver: resolver as never,
      strict: true,
    } as never);
    const dkim = verified.results.slice(0, signaturesMax).map((one): DkimCheck => {
      const isOpen = one.canonBodyLengthLimited === true;
      return {
        result: one.status.result,
        ...named("domain", one.signingDomain),
        ...named("selector", one.selector),
        ...(isOpen ? { reason: "body-length" } : {}),
      };
    });
    if (!isSealed || verified.arc === undefined) return { dkim };
    const { arc } = await import("mailauth/lib/arc/index.js");
    const sealed = await arc(verified.arc as never, { resolver: resolver as never, strict: true } as never);
    const count = sealed.i === false ? undefined : sealed.i;
    return { dkim, arc: { result: sealed.status.result, ...(count === undefined ? {} : { count }) } };
  } catch {
    return { dkim: [{ result: "temperror" }] };
  }
}

/** What a message claimed, where it is a name and nothing else. */
function named<Key extends string>(key: Key, name: unknown): { readonly [K in Key]?: string } {
  const isName = typeof name === "string" && /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/i.test(name);
  return (isName ? { [key]: name.toLowerCase() } : {}) as { readonly [K in Key]?: string };
}

interface DmarcFinding {
  readonly shown: NonNullable<Checks["dmarc"]>;
  readonly isAligned: boolean;
  /** Domains of the signatures that align. */
  readonly aligned: ReadonlySet<string>;
  readonly failedPolicy?: DmarcPolicy;
}

async function checkDmarc(
  author: Author,
  spfDomain: string | undefined,
  signatures: readonly DkimCheck[],
  resolver: Resolve,
): Promise<DmarcFinding> {
  const domains = signatures.flatMap(({ domain }) => domain ?? []);
  const passing = [...domains, ...(spfDomain === undefined ? [] : [spfDomain])];
  const sameDomain = (): DmarcFinding["aligned"] => new Set(domains.filter((one) => one === author.domain));
  const unknown = (result: string): DmarcFinding => ({
    shown: { result, domain: author.domain },
    // How strictly the domain wants to be compared is not known: only the very same domain counts.
    isAligned: passing.includes(author.domain),
    aligned: sameDomain(),
  });
  try {
    const [{ evaluateDmarc }, { getAlignment }] = await Promise.all([
      import("mailauth/lib/dmarc/index.js"),
      import("mailauth/lib/tools.js"),
    ]);
    const { response, dkimAligned } = await evaluateDmarc({
      headerFrom: [author.address],
      fromFields: 1,
      spfDomains: spfDomain === undefined ? [] : [spfDomain],
      dkimDomains: domains.map((domain, id) => ({ id: String(id), domain })),
      resolver: resolver as never,
      strict: true,
    } as never);
    if (response === false) return { shown: { result: "none" }, isAligned: false, aligned: new Set() };
    const { result } = response.status;
    if (result === "none") {
      // Nobody said how to compare: relaxed, by the public suffix list (RFC 9989 section 3.2.10.1).
      const aligned = domains.filter((domain) => getAlignment(author.domain, [domain], false) !== false);
      const isSpfAligned =
        spfDomain !== undefined && getAlignment(author.domain, [spfDomain], false) !== false;
      return {
        shown: { result, domain: author.domain },
        isAligned: isSpfAligned || aligned.length > 0,
        aligned: new Set(aligned),
      };
    }
    if (result !== "pass" && result !== "fail") return unknown(result);
    const policy = response.policy as DmarcPolicy | undefined;
    return {
      shown: { result, domain: author.domain, ...(policy === undefined ? {} : { policy }) },
      isAligned: result === "pass",
      aligned: new Set([...(dkimAligned ?? [])]),
      ...(result === "fail" && policy !== undefined ? { failedPolicy: policy } : {}),
    };
  } catch {
    return unknown("temperror");
  }
}
