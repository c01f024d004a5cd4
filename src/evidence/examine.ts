/** Examines the origin of a message: SPF (RFC 7208), DKIM (RFC 6376, 8301, 8463), DMARC (RFC 9989), ARC (RFC 8617) and iprev (RFC 8601
 *  section 3), by `mailauth` in its strict mode. In addition: DNS queries and signatures are limited in number; a signature with `l=`
 *  is ignored; a message needs one unambiguous author; a signature counts for the displayed fields only if it covers them; a changed
 *  body is a failure; BIMI is not read.
 *
 *  Throws nothing: a result that cannot be found is `temperror`. */
import { parseDomain } from "#/src/accounts/address.ts";
import { listMailAddresses } from "#/src/formats/mime/addresses.ts";
import { type HeaderField, headerValues, readHeaderFields } from "#/src/formats/mime/header.ts";
import { headerBlockBytesMax, headerBytesMax } from "#/src/model/limits.ts";
import { authorDomains, authorOf } from "./author.ts";
import type { Checks, DkimCheck, Evidence } from "./checks.ts";
import { decodingFields, hidesText } from "./decoding-fields.ts";
import { checkDmarc, checkDmarcOfAll, type DmarcFinding, type PassedDomains } from "./dmarc.ts";
import { limitQuestions, type Resolve } from "./dns.ts";
import { libraries } from "./libraries.ts";
import { relatedTo } from "./organization.ts";
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
  await Promise.all(Object.values(libraries).map((load) => load()));
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
      addressees: addresseesOf(fields),
      isAuthenticated: false,
      ...(policy === undefined ? {} : { failedPolicy: policy }),
    };
  }
  const dmarc = await checkDmarc(author.domain, passed, dmarcResolve);
  const isAligned = await relatedTo([author.domain]);
  return judge({ bytes, fields, isAligned }, signatures.dkim, dmarc, shared);
}

interface Judged {
  readonly bytes: Uint8Array;
  readonly fields: readonly HeaderField[];
  /** Whether a domain belongs to the author's organization. */
  readonly isAligned: (domain: string) => boolean;
}

/** The checks of a message with one author. */
function judge(
  { bytes, fields, isAligned }: Judged,
  signatures: readonly SignatureFinding[],
  dmarc: DmarcFinding,
  shared: Checks,
): Evidence {
  const speaking = signatures.filter(
    ({ isValid, domain, coverage }) => isValid && dmarc.aligned.has(domain ?? "") && coverage?.isComplete,
  );
  const isBySignature = !dmarc.isSpfAligned && speaking.length > 0;
  const isUncovered = (name: string): boolean =>
    isBySignature &&
    fields.some((field) => field.name === name) &&
    !speaking.some(({ coverage }) => coverage?.covers.includes(name));
  const undecided = decodingFields.filter(isUncovered);
  const isMisled =
    (isUncovered("reply-to") && !domainsOf(fields, "reply-to").every(isAligned)) ||
    (undecided.length > 0 && hidesText(bytes, fields, undecided));
  return {
    checks: {
      ...shared,
      dkim: signatures.map((one) => shownSignature(one, dmarc.aligned)),
      dmarc: dmarc.shown,
      ...(isBySignature && fields.some(({ name }) => name === "reply-to")
        ? { reply_to: shownReplyTo(fields, !isUncovered("reply-to")) }
        : {}),
      ...(undecided.length === 0 ? {} : { decoding: { covered: false, fields: undecided } }),
    },
    addressees: addresseesOf(fields),
    isAuthenticated: (dmarc.isSpfAligned || speaking.length > 0) && !isMisled,
    isSpfAligned: dmarc.isSpfAligned,
    ...(dmarc.failedPolicy === undefined ? {} : { failedPolicy: dmarc.failedPolicy }),
  };
}

/** A Reply-To that is the address of List-Post (RFC 2369 section 3.4). Both may be anybody's, so it only tells why the field is there. */
function shownReplyTo(fields: readonly HeaderField[], isCovered: boolean): NonNullable<Checks["reply_to"]> {
  const [post = ""] = headerValues(fields, "list-post");
  const listed = /<mailto:([^>?]{1,500})/i.exec(post)?.[1]?.toLowerCase();
  const isList =
    !isCovered && listed !== undefined && addressesOf(fields, "reply-to").every((one) => one === listed);
  return { covered: isCovered, ...(isList ? { list: true } : {}) };
}

function addressesOf(fields: readonly HeaderField[], name: string): string[] {
  return headerValues(fields, name)
    .flatMap((value) => listMailAddresses(value))
    .map(({ address }) => address.toLowerCase());
}

/** Domains in A-labels; "" for an address without one. */
function domainsOf(fields: readonly HeaderField[], name: string): string[] {
  return addressesOf(fields, name).map((one) => parseDomain(one.slice(one.lastIndexOf("@") + 1)) ?? "");
}

function addresseesOf(fields: readonly HeaderField[]): string[] {
  return [...addressesOf(fields, "to"), ...addressesOf(fields, "cc")];
}

function shownSignature(
  { isValid, coverage, ...shown }: SignatureFinding,
  aligned: ReadonlySet<string> = new Set(),
): DkimCheck {
  if (!isValid) return shown;
  return { ...shown, aligned: aligned.has(shown.domain ?? ""), covers: coverage?.covers ?? [] };
}

/** A field beyond what is parsed could be another From. */
function hasWholeHeader(bytes: Uint8Array): boolean {
  if (bytes.length <= headerBytesMax) return true;
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, headerBytesMax);
  return head.includes("\r\n\r\n") || head.includes("\n\n");
}
