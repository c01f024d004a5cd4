/** ACL (RFC 3744 section 8.1): every access rule is protected, as only grants of the operator give access. */
import { unmet } from "../dav-error.ts";
import type { Method } from "../method.ts";
import { readXmlBody } from "../read-body.ts";
import { dav } from "../xml/names.ts";

export const acl = {
  name: "ACL",
  on: ["calendar-home", "addressbook-home", "calendar", "addressbook", "inbox", "outbox", "item"],
  async run(request) {
    await readXmlBody(request);
    throw unmet(403, dav("no-protected-ace-conflict"), "Access is given by grants of the operator.");
  },
} as const satisfies Method;
