/** DAV:acl-principal-prop-set (RFC 3744 section 9.2): properties of the principals in a resource's DAV:acl; the login is the only one. */
import { multistatus } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { principalHref } from "../hrefs.ts";
import { readPropertyQuery } from "../property.ts";
import { writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import { dav } from "../xml/names.ts";

export const aclPrincipalPropSet: Report = {
  name: dav("acl-principal-prop-set"),
  on: ["calendar-home", "addressbook-home", "calendar", "addressbook", "inbox", "outbox", "item"],
  async run(request, body) {
    if (request.depth !== "0") throw new DavError(400, "The depth of this report is 0.");
    const query = readPropertyQuery(body);
    if (query === undefined) throw new DavError(400, "The report names no properties.");
    const { own } = request.tree;
    const principal = { kind: "principal", href: principalHref(own.id), principal: own } as const;
    return multistatus([await writeResponse(request, principal, query)]);
  },
};
