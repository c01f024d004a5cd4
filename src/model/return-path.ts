/** The envelope sender of outgoing mail (VERP): `local+b-<token>@domain`. The token is one AES block over the agent and the submission
 *  under its own key. So a report that comes back identifies its submission, and nobody can forge a token.
 *  The text after the plus sign is a sub-address (RFC 5233): mail to it reaches the same mailbox. */
import { createIdCodec } from "./ids.ts";
import type { AgentNumber } from "./numbers.ts";

export interface SubmissionName {
  readonly agent: AgentNumber;
  readonly submission: number;
}

export interface ReturnPaths {
  /** 26 characters that identify a submission: also its name for the operator, and its ENVID if the client gave none. */
  tokenOf(name: SubmissionName): string;
  /** undefined for text that is not a token of this deployment. */
  readToken(token: string): SubmissionName | undefined;
  /** The address with the token. An address that is empty, quoted or has no room for the token stays as it is (RFC 5321 section
   *  4.5.3.1.1). */
  seal(address: string, name: SubmissionName): string;
  /** The submission of a tag, which is the text after the plus sign. */
  openTag(tag: string): SubmissionName | undefined;
}

const tagPrefix = "b-";
const localPartBytesMax = 64;
/** Any kind would do: tokens have their own key. */
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
      // A tag that the sender's address had already comes before the token.
      const start = tag.toLowerCase().lastIndexOf(tagPrefix);
      if (start < 0 || (start > 0 && tag[start - 1] !== "+")) return undefined;
      return readToken(tag.slice(start + tagPrefix.length).toLowerCase());
    },
  };
}
