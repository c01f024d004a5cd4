/** CS:calendarserver-principal-search, which Apple's clients ask while somebody types the name of an attendee: principals in whose
 *  name or addresses every token begins a word. */
import { multistatus } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { principalHref } from "../hrefs.ts";
import { readPropertyQuery } from "../property.ts";
import { writeResponse } from "../read-properties.ts";
import type { Report } from "../report.ts";
import { everyResource, type PrincipalResource } from "../resource.ts";
import { listUserAddresses } from "../searched-principals.ts";
import { listChildren } from "../xml/element.ts";
import { calendarserver } from "../xml/names.ts";

const tokensMax = 20;

export const calendarserverPrincipalSearch: Report = {
  name: calendarserver("calendarserver-principal-search"),
  on: everyResource,
  async run(request, body) {
    const tokens = listChildren(body, calendarserver("search-token")).map(({ text }) =>
      text.trim().toLowerCase(),
    );
    if (tokens.length === 0 || tokens.length > tokensMax || tokens.includes(""))
      throw new DavError(400, `There are 1 to ${tokensMax} search tokens.`);
    const query = readPropertyQuery(body) ?? { kind: "named", names: [] };
    const found: PrincipalResource[] = [];
    for (const principal of await request.tree.listPrincipals()) {
      const texts = [principal.name, ...(await listUserAddresses(request, principal))];
      const words = texts.flatMap((text) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u));
      const starts = [...texts.map((text) => text.toLowerCase()), ...words];
      const isFound = tokens.every((token) => starts.some((start) => start.startsWith(token)));
      if (isFound) found.push({ kind: "principal", href: principalHref(principal.id), principal });
    }
    return multistatus(await Promise.all(found.map((one) => writeResponse(request, one, query))));
  },
};
