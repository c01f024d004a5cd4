/** DAV:principal-search-property-set (RFC 3744 section 9.5): the properties that DAV:principal-property-search searches. */
import { xmlAnswer } from "../answer.ts";
import { DavError } from "../dav-error.ts";
import type { Report } from "../report.ts";
import { searchedProperties } from "../searched-principals.ts";
import { dav } from "../xml/names.ts";
import { element, elementWith, escapeText } from "../xml/write-xml.ts";

export const principalSearchPropertySet: Report = {
  name: dav("principal-search-property-set"),
  on: ["root", "principals"],
  async run({ depth }) {
    if (depth !== "0") throw new DavError(400, "The depth of this report is 0.");
    const listed = searchedProperties.map(({ name, description }) =>
      element(
        dav("principal-search-property"),
        element(dav("prop"), element(name)),
        elementWith(dav("description"), { "xml:lang": "en" }, escapeText(description)),
      ),
    );
    return xmlAnswer(200, dav("principal-search-property-set"), ...listed);
  },
};
