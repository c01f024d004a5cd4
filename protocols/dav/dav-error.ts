/** A refusal in WebDAV: a status, and if a standard names the condition that was not met, its element inside DAV:error
 *  (RFC 4918 section 16). */

import type { XmlName } from "./xml/names.ts";
import type { Xml } from "./xml/write-xml.ts";

export interface DavErrorDetails {
  readonly condition?: XmlName | undefined;
  /** The content of the condition's element. */
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

/** A precondition that is not met. 403: repeating the request does not help; 409: a change elsewhere can meet the condition. */
export function unmet(status: number, condition: XmlName, message: string, content?: Xml): DavError {
  return new DavError(status, message, { condition, content });
}
