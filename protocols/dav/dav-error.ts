/** A refusal in the words of WebDAV: a status, and where a standard names what was not met, the element that says so inside
 *  DAV:error (RFC 4918 section 16). */

import type { XmlName } from "./xml/names.ts";
import type { Xml } from "./xml/write-xml.ts";

export interface DavErrorDetails {
  readonly condition?: XmlName | undefined;
  /** What stands inside the condition's element. */
  readonly content?: Xml | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly cause?: unknown;
}

export class DavError extends Error {
  readonly status: number;
  readonly details: DavErrorDetails;

  constructor(status: number, message: string, details: DavErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "DavError";
    this.status = status;
    this.details = details;
  }
}

/** A precondition of a standard that is not met. 403: do not repeat it as it is; 409: it can be met by a change elsewhere. */
export function unmet(status: number, condition: XmlName, message: string, content?: Xml): DavError {
  return new DavError(status, message, { condition, content });
}
