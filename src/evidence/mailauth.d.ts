/** Types of exports of `mailauth` that the package does not declare. */
declare module "mailauth/lib/parse-dkim-headers.js" {
  export type Tags = Readonly<Record<string, { readonly value: unknown } | undefined>>;
  /** The tags of one field. */
  export default function parseDkimHeaders(
    line: Buffer | string,
    options: { readonly strict: boolean },
  ): { readonly parsed: Tags };
}

declare module "mailauth/lib/dkim/dkim-verifier.js" {
  import type { Writable } from "node:stream";

  export interface HeaderRow {
    /** Lower-case name of the field. */
    readonly key: string;
    /** The field as it stands, without its last line end. */
    readonly line: Buffer;
  }
  export interface Headers {
    readonly parsed: readonly HeaderRow[];
  }
  export interface VerifiedSignature {
    readonly signingDomain?: string;
    readonly selector?: string;
    readonly status: { readonly result: string };
  }
  /** Reads a message that is written to it. */
  export class DkimVerifier extends Writable {
    constructor(options: object);
    headers: Headers | false;
    /** After the end: one for each signature, in their order; of a message without one a single "none". */
    results: readonly VerifiedSignature[];
    arc: object;
    messageHeaders(headers: Headers): Promise<void>;
  }
}
