/** DAV:activelock (RFC 4918 section 14.1). */

import { dav } from "../xml/names.ts";
import { element, noXml, textElement, type Xml } from "../xml/write-xml.ts";
import type { Lock } from "./locks.ts";

export function writeActiveLock({ token, href, isShared, isDeep, owner, endsAt }: Lock, now: number): Xml {
  return element(
    dav("activelock"),
    element(dav("locktype"), element(dav("write"))),
    element(dav("lockscope"), element(dav(isShared ? "shared" : "exclusive"))),
    textElement(dav("depth"), isDeep ? "infinity" : "0"),
    owner ?? noXml,
    textElement(dav("timeout"), `Second-${Math.max(0, Math.round((endsAt - now) / 1000))}`),
    element(dav("locktoken"), textElement(dav("href"), token)),
    element(dav("lockroot"), textElement(dav("href"), href)),
  );
}
