/** The declaration of a report (RFC 3253 section 3.6). One file each under `reports/`, all of them in `reports/registry.ts`. */
import type { DavAnswer } from "./answer.ts";
import type { DavRequest } from "./request.ts";
import type { ResourceKind } from "./resource.ts";
import type { XmlElement } from "./xml/element.ts";
import type { XmlName } from "./xml/names.ts";

export interface Report {
  /** Name of the root element of its requests. */
  readonly name: XmlName;
  /** Kinds of resources whose DAV:supported-report-set has it. */
  readonly on: readonly ResourceKind[];
  /** `request.depth` is "0" where the request has no Depth; each report defines the meaning of a depth. */
  run(request: DavRequest, body: XmlElement): Promise<DavAnswer>;
}
