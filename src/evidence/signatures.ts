/** DKIM signatures (RFC 6376, 8301, 8463) and the ARC chain (RFC 8617) of a message, verified by `mailauth`.
 *
 *  The work for one message is limited before anything is verified: at most ten signatures, and a chain of at most ten sets.
 *  Signatures with `l=` or with another hash than SHA-256 are left out, so the body is hashed once for each of the two
 *  canonicalizations. A signature that is left out has the result `policy` (RFC 8601 section 2.7.1), with the reason. */
import { once } from "node:events";
import { finished } from "node:stream/promises";
import type { DkimVerifier, HeaderRow, Headers, VerifiedSignature } from "mailauth/lib/dkim/dkim-verifier.js";
import type parseDkimHeaders from "mailauth/lib/parse-dkim-headers.js";
import type { HeaderField } from "#/src/formats/mime/header.ts";
import { loopTurn } from "#/src/model/background.ts";
import type { Checks, DkimCheck } from "./checks.ts";
import { claimedDomain, claimedName } from "./claims.ts";
import type { Resolve } from "./dns.ts";
import { libraries } from "./libraries.ts";
import { type Coverage, coverageOf } from "./shown-fields.ts";

/** Real messages have at most a handful of signatures, and chains of three or four sets. */
const signaturesMax = 10;
const arcSetsMax = 10;
/** Octets of one signature field; one with copies of the signed fields (`z=`) has a few KiB. */
const fieldBytesMax = 16 * 1024;
/** Names that one signature signs. */
const signedNamesMax = 300;
/** Lines of the header: `mailauth` puts folded lines together in a time that grows with the square of their number. */
const headerLinesMax = 10_000;
/** Lines of the body: each costs a microsecond, whatever its length. Fifty MiB of Base64 have 0.7 million. */
const bodyLinesMax = 2_000_000;
/** Folding is a line end and a tab; `mailauth` trims longer runs in a time that grows with their square. */
const longSpace = /[ \t\r\n]{100}/;
const arcFields = ["arc-seal", "arc-message-signature", "arc-authentication-results"];
/** How much of the message is handed over in one turn of the loop, at least. */
const pieceBytes = 64 * 1024;
const lineFeed = 10;

export interface SignatureFinding extends DkimCheck {
  /** It was verified and passed. */
  readonly isValid: boolean;
  readonly coverage?: Coverage;
}

export interface Signatures {
  readonly dkim: readonly SignatureFinding[];
  readonly arc?: NonNullable<Checks["arc"]>;
}

/** `isPreferred`: signatures of these domains are verified before others. */
export async function checkSignatures(
  bytes: Uint8Array,
  fields: readonly HeaderField[],
  isPreferred: (domain: string) => boolean,
  resolver: Resolve,
): Promise<Signatures> {
  const isSealed = fields.some(({ name }) => name === "arc-seal" || name === "arc-message-signature");
  if (!isSealed && !fields.some(({ name }) => name === "dkim-signature")) return { dkim: [] };
  const headerEnd = fields.at(-1)!.end;
  if (
    hasMoreLines(bytes, 0, headerEnd, headerLinesMax) ||
    hasMoreLines(bytes, headerEnd, bytes.length, bodyLinesMax)
  )
    return { dkim: [leftOut("over-limit")], ...(isSealed ? { arc: arcLeftOut } : {}) };
  try {
    const verifier = await createVerifier(fields, isPreferred, resolver);
    await writeAll(verifier, bytes);
    const dkim = verifier.findings();
    if (!isSealed) return { dkim };
    if (verifier.isChainLeftOut) return { dkim, arc: arcLeftOut };
    const { arc } = await libraries.arc();
    const sealed = await arc(verifier.arc as never, { resolver: resolver as never, strict: true } as never);
    const count = sealed.i === false ? undefined : sealed.i;
    return { dkim, arc: { result: sealed.status.result, ...(count === undefined ? {} : { count }) } };
  } catch {
    return { dkim: [{ result: "temperror", isValid: false }] };
  }
}

const arcLeftOut = { result: "policy", reason: "over-limit" } as const;

function leftOut(reason: string, domain?: unknown, selector?: unknown): SignatureFinding {
  return {
    result: "policy",
    ...claimedDomain(domain),
    ...claimedName("selector", selector),
    reason,
    isValid: false,
  };
}

function hasMoreLines(bytes: Uint8Array, start: number, end: number, linesMax: number): boolean {
  let at = start;
  for (let count = 0; count <= linesMax; count++) {
    const found = bytes.indexOf(lineFeed, at);
    if (found === -1 || found >= end) return false;
    at = found + 1;
  }
  return true;
}

/** A field of a signature before it is verified. */
interface Candidate {
  readonly row: HeaderRow;
  readonly domain: string | undefined;
  readonly signedNames: readonly string[];
  /** `t=` (RFC 6376 section 3.5). */
  readonly signedAt: number | undefined;
}

interface ChosenVerifier extends DkimVerifier {
  readonly isChainLeftOut: boolean;
  findings(): SignatureFinding[];
}

type ChosenVerifierClass = new (
  fields: readonly HeaderField[],
  isPreferred: (domain: string) => boolean,
  resolver: Resolve,
) => ChosenVerifier;

let verifierClass: ChosenVerifierClass | undefined;

async function createVerifier(
  ...message: ConstructorParameters<ChosenVerifierClass>
): Promise<ChosenVerifier> {
  if (verifierClass === undefined) {
    const [verifier, { default: parseTags }] = await Promise.all([
      libraries.dkimVerifier(),
      libraries.dkimHeaders(),
    ]);
    // One class for all messages: V8 does not optimize the verifier's code where each message brings another one.
    verifierClass ??= defineVerifier(verifier.DkimVerifier, parseTags);
  }
  return new verifierClass(...message);
}

/** The verifier of `mailauth`, which sees the chosen signatures alone and verifies them against the whole header. */
function defineVerifier(
  Verifier: typeof DkimVerifier,
  parseTags: typeof parseDkimHeaders,
): ChosenVerifierClass {
  return class extends Verifier implements ChosenVerifier {
    #chosen: readonly Candidate[] = [];
    readonly #leftOut: SignatureFinding[] = [];
    readonly #fields: readonly HeaderField[];
    readonly #isPreferred: (domain: string) => boolean;
    isChainLeftOut = false;

    constructor(fields: readonly HeaderField[], isPreferred: (domain: string) => boolean, resolver: Resolve) {
      super({ resolver, strict: true });
      this.#fields = fields;
      this.#isPreferred = isPreferred;
    }

    override async messageHeaders(headers: Headers): Promise<void> {
      const chain = headers.parsed.filter(({ key }) => arcFields.includes(key));
      this.isChainLeftOut =
        chain.filter(({ key }) => key === "arc-seal").length > arcSetsMax ||
        chain.length > arcSetsMax * arcFields.length ||
        chain.some(isTooLarge);
      this.#chosen = this.#choose(headers.parsed.filter(({ key }) => key === "dkim-signature"));
      const rows = [...this.#chosen.map(({ row }) => row), ...(this.isChainLeftOut ? [] : chain)];
      await super.messageHeaders({ ...headers, parsed: rows });
      // What the signatures sign is looked for in all of it.
      this.headers = headers;
    }

    /** Those of preferred domains from the top, then the others from the top; in the order of the header. */
    #choose(rows: readonly HeaderRow[]): readonly Candidate[] {
      const preferred: Candidate[] = [];
      const others: Candidate[] = [];
      for (const row of rows) {
        if (isTooLarge(row)) {
          this.#leaveOut(leftOut("over-limit"));
          continue;
        }
        const { parsed } = parseTags(row.line, { strict: true });
        const { domain } = claimedDomain(parsed.d?.value);
        const signedNames = String(parsed.h?.value ?? "")
          .toLowerCase()
          .split(":");
        const signedAt = /^\d{1,12}$/.test(String(parsed.t?.value))
          ? Number(parsed.t!.value) * 1000
          : undefined;
        const candidate = { row, domain, signedNames, signedAt };
        if (parsed.l !== undefined) this.#leaveOut(leftOut("body-length", parsed.d?.value, parsed.s?.value));
        else if (/-\s*sha1$/i.test(String(parsed.a?.value ?? "")))
          this.#leaveOut(leftOut("weak-algorithm", parsed.d?.value, parsed.s?.value));
        else if (signedNames.length > signedNamesMax)
          this.#leaveOut(leftOut("over-limit", parsed.d?.value, parsed.s?.value));
        else if (domain !== undefined && preferred.length < signaturesMax && this.#isPreferred(domain))
          preferred.push(candidate);
        else if (others.length < signaturesMax) others.push(candidate);
      }
      const chosen = new Set([...preferred, ...others].slice(0, signaturesMax).map(({ row }) => row));
      const found = new Map([...preferred, ...others].map((one) => [one.row, one]));
      return rows.flatMap((row) => (chosen.has(row) ? found.get(row)! : []));
    }

    #leaveOut(finding: SignatureFinding): void {
      if (this.#leftOut.length < signaturesMax) this.#leftOut.push(finding);
    }

    findings(): SignatureFinding[] {
      const verified = this.#chosen.map((one, at) => foundFor(this.results[at], one, this.#fields));
      return [...verified, ...this.#leftOut].slice(0, signaturesMax);
    }
  };
}

function foundFor(
  one: VerifiedSignature | undefined,
  { signedNames, signedAt }: Candidate,
  fields: readonly HeaderField[],
): SignatureFinding {
  if (one === undefined) return { result: "temperror", isValid: false };
  const isValid = one.status.result === "pass";
  return {
    result: one.status.result,
    ...claimedDomain(one.signingDomain),
    ...claimedName("selector", one.selector),
    isValid,
    ...(isValid ? { coverage: coverageOf(fields, signedNames) } : {}),
    ...(isValid && signedAt !== undefined ? { age_s: Math.round((Date.now() - signedAt) / 1000) } : {}),
  };
}

function isTooLarge({ line }: HeaderRow): boolean {
  return line.length > fieldBytesMax || longSpace.test(line.toString("latin1"));
}

/** Each piece ends where a line ends: `mailauth` reads a line again with every piece that it goes on in. */
async function writeAll(verifier: NodeJS.WritableStream, bytes: Uint8Array): Promise<void> {
  const ended = finished(verifier);
  ended.catch(() => undefined);
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf(lineFeed, at + pieceBytes);
    const end = lineEnd === -1 ? bytes.length : lineEnd + 1;
    const isFull = !verifier.write(Buffer.from(bytes.buffer, bytes.byteOffset + at, end - at));
    if (isFull) await Promise.race([once(verifier, "drain"), ended]);
    await loopTurn();
    at = end;
  }
  verifier.end();
  await ended;
}
