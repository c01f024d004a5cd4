/** The declaration of a report (RFC 3253 section 3.6). One file each under `reports/`, all of them in `reports/registry.ts`. */
import type { DavAnswer } from "./answer.ts";
import type { DavRequest } from "./request.ts";
import type { ResourceKind } from "./resource.ts";
import type { XmlElement } from "./xml/element.ts";
import type { XmlName } from "./xml/names.ts";

export interface Report {
  /** Of the root element that asks for it. */
  readonly name: XmlName;
  /** Where DAV:supported-report-set names it. */
  readonly on: readonly ResourceKind[];
  /** `request.depth` is "0" where the request has no Depth; what a depth means is the report's. */
  run(request: DavRequest, body: XmlElement): Promise<DavAnswer>;
}
