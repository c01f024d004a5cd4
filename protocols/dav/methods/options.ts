/** OPTIONS (RFC 9110 section 9.3.7): DAV names what is served (RFC 4918 section 10.1), Allow the methods of the resource. */
import type { Method } from "../method.ts";
import { canFollow } from "../properties/push.ts";
import { everyResource } from "../resource.ts";

/** The compliance classes of the implemented standards. */
export const davClasses = [
  "1",
  "2",
  "3",
  "access-control",
  "extended-mkcol",
  "calendar-access",
  "calendar-auto-schedule",
  // RFC 7953: VAVAILABILITY in filters and busy time, and the property of the inbox.
  "calendar-availability",
  "calendar-managed-attachments",
  "addressbook",
  "calendarserver-principal-property-search",
  "calendarserver-principal-search",
];

export const options = {
  name: "OPTIONS",
  on: [...everyResource, "attachment", "push"],
  makesResource: true,
  async run({ target, listMethods, rooms, login }) {
    const isFollowable = target !== undefined && canFollow(rooms, login, target);
    return {
      status: 200,
      headers: {
        DAV: [...davClasses, ...(isFollowable ? ["webdav-push"] : [])].join(", "),
        Allow: listMethods(target?.kind).join(", "),
        "Content-Length": "0",
      },
    };
  },
} as const satisfies Method;
