/** CS:calendarserver-principal-search, which Apple's clients ask while somebody types the name of an attendee: principals in whose
 *  name or addresses every token begins a word. */
import { multistatus } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import { principalHref } from "../hrefs.ts";
import { readPropertyQuery } from "../property.ts";
import type { Report } from "../report.ts";
import { everyResource, type PrincipalResource } from "../resource.ts";
import { listChildren } from "../xml/element.ts";
import { calendarserver, dav, xmlKey } from "../xml/names.ts";
import { writeFound } from "./principal-property-search.ts";

const tokensMax = 20;
const searchedNames = [dav("displayname"), calendarserver("email-address-set")];

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
    const principals = (await request.tree.listPrincipals()).map(
      (principal): PrincipalResource => ({ kind: "principal", href: principalHref(principal.id), principal }),
    );
    return multistatus(
      writeFound(request, principals, query, (all) => {
        const texts = searchedNames
          .flatMap((name) => all.get(xmlKey(name)) ?? [])
          .map((text) => text.toLowerCase());
        const starts = [...texts, ...texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))];
        return tokens.every((token) => starts.some((start) => start.startsWith(token)));
      }),
    );
  },
};
