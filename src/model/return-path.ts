/** The envelope sender of what leaves (VERP): `local+b-<token>@domain`. The token is one AES block over the agent and the
 *  submission under a key of its own, so a report that comes back names what it is about, and nobody can make one up.
 *  What stands behind the plus sign is a sub-address (RFC 5233): mail to it reaches the same mailbox. */
import { createIdCodec } from "./ids.ts";
import type { AgentNumber } from "./numbers.ts";

export interface SubmissionName {
  readonly agent: AgentNumber;
  readonly submission: number;
}

export interface ReturnPaths {
  /** 26 characters that name a submission: also what the operator calls it by, and the ENVID that it has without another. */
  tokenOf(name: SubmissionName): string;
  /** Undefined for text that this deployment has not made. */
  readToken(token: string): SubmissionName | undefined;
  /** The address as it is where it is empty, quoted, or has no room for the token (RFC 5321 section 4.5.3.1.1). */
  seal(address: string, name: SubmissionName): string;
  /** The submission that a tag (the text behind the plus sign) stands for. */
  openTag(tag: string): SubmissionName | undefined;
}

const tagPrefix = "b-";
const localPartBytesMax = 64;
/** Any kind does: tokens have a key of their own. */
const kind = "message";

export function createReturnPaths(key: Uint8Array): ReturnPaths {
  const codec = createIdCodec(key.subarray(0, 16));
  const tokenOf = ({ agent, submission }: SubmissionName) =>
    codec.encode(kind, agent, submission).slice(kind.length + 1);
  function readToken(token: string): SubmissionName | undefined {
    const name = codec.decode(`${kind}_${token}`);
    return name === undefined ? undefined : { agent: name.agent, submission: name.object };
  }
  return {
    tokenOf,
    readToken,
    seal(address, name) {
      const at = address.lastIndexOf("@");
      const localPart = address.slice(0, Math.max(0, at));
      const tagged = `${localPart}+${tagPrefix}${tokenOf(name)}`;
      if (at < 1 || localPart.startsWith('"') || Buffer.byteLength(tagged) > localPartBytesMax)
        return address;
      return `${tagged}${address.slice(at)}`;
    },
    openTag(tag) {
      // A tag that the sender had already stands before ours.
      const start = tag.toLowerCase().lastIndexOf(tagPrefix);
      if (start < 0 || (start > 0 && tag[start - 1] !== "+")) return undefined;
      return readToken(tag.slice(start + tagPrefix.length).toLowerCase());
    },
  };
}
