/** REPORT (RFC 3253 section 3.6): the root element of the body names the report. A missing Depth is 0. */
import { DavError, unmet } from "../dav-error.ts";
import type { Method } from "../method.ts";
import { readXmlBody } from "../read-body.ts";
import { reports } from "../reports/registry.ts";
import { everyResource, type ResourceKind } from "../resource.ts";
import { dav, isNamed, type XmlName } from "../xml/names.ts";

export const report = {
  name: "REPORT",
  on: everyResource,
  async run(request) {
    const body = await readXmlBody(request);
    if (body === undefined) throw new DavError(400, "The body says which report it is; there is none.");
    const found = reports.find(({ name, on }) => isNamed(body, name) && on.includes(request.resource.kind));
    if (found === undefined) throw unmet(403, dav("supported-report"), "There is no such report here.");
    return found.run({ ...request, depth: request.depth ?? "0" }, body);
  },
} as const satisfies Method;

export function listReports(kind: ResourceKind): readonly XmlName[] {
  return reports.filter(({ on }) => on.includes(kind)).map(({ name }) => name);
}
