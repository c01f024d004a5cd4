/** What a TZID means (RFC 5545 section 3.2.19, RFC 7809). In this order: an IANA name; a path that ends in one
 *  (`/freeassociation.sourceforge.net/Tzfile/Europe/Berlin` of Evolution, `/mozilla.org/20050126_1/Europe/Berlin`); a name of
 *  Windows; the VTIMEZONE of the object, by its X-LIC-LOCATION if that is an IANA name, else by its rules.
 *  An IANA name is preferred to the object's own VTIMEZONE, which often has outdated rules. */
import { zoneRulesMax } from "#/src/model/limits.ts";
import { type Component, findProperty, listComponents } from "../content-lines/content-line.ts";
import { findIanaZone } from "./iana-zone.ts";
import type { TimeZone } from "./time-zone.ts";
import { countRules, zoneOfComponent } from "./vtimezone.ts";
import { ianaNameOfWindows } from "./windows-zones.ts";

export type FindTimeZone = (tzid: string) => TimeZone | undefined;

/** For one calendar object. Each zone is looked up once; the limit bounds the rules that are evaluated for all zones together. */
export function timeZonesOf(calendar: Component): FindTimeZone {
  const found = new Map<string, TimeZone | undefined>();
  let components: Map<string, Component> | undefined;
  let rulesLeft = zoneRulesMax;
  const evaluate = (component: Component): TimeZone | undefined => {
    rulesLeft -= countRules(component);
    return rulesLeft < 0 ? undefined : zoneOfComponent(component);
  };
  return (tzid) => {
    if (!found.has(tzid)) {
      components ??= listZoneComponents(calendar);
      found.set(tzid, findNamedZone(tzid) ?? findOwnZone(components.get(tzid), evaluate));
    }
    return found.get(tzid);
  };
}

function listZoneComponents(calendar: Component): Map<string, Component> {
  const components = listComponents(calendar, "VTIMEZONE");
  return new Map(components.map((component) => [findProperty(component, "TZID")?.value ?? "", component]));
}

/** Finds a zone by its name, without a VTIMEZONE. */
export function findNamedZone(tzid: string): TimeZone | undefined {
  const name = tzid.trim();
  const direct = findIanaZone(name);
  if (direct !== undefined) return direct;
  const windows = ianaNameOfWindows(name);
  if (windows !== undefined) return findIanaZone(windows);
  if (!name.startsWith("/")) return undefined;
  // An IANA name has few segments: a longer path is not searched further.
  const segments = name.split("/", segmentsMax).slice(1);
  for (let from = 1; from < segments.length; from++) {
    const zone = findIanaZone(segments.slice(from).join("/"));
    if (zone !== undefined) return zone;
  }
  return undefined;
}

const segmentsMax = 10;

function findOwnZone(
  component: Component | undefined,
  evaluate: (component: Component) => TimeZone | undefined,
): TimeZone | undefined {
  if (component === undefined) return undefined;
  const location = findProperty(component, "X-LIC-LOCATION")?.value;
  return (location === undefined ? undefined : findNamedZone(location)) ?? evaluate(component);
}
