/** Windows names of time zones ("W. Europe Standard Time"), which Outlook and Exchange write into TZID, mapped by CLDR. Where a
 *  name has several zones, the one for the territory 001 (world) is used. */
import windowsZones from "cldr-core/supplemental/windowsZones.json" with { type: "json" };

interface MapZone {
  readonly mapZone: { readonly _other: string; readonly _type: string; readonly _territory: string };
}

const ianaNames: ReadonlyMap<string, string> = new Map(
  (windowsZones.supplemental.windowsZones.mapTimezones as readonly MapZone[])
    .filter(({ mapZone }) => mapZone._territory === "001")
    .map(({ mapZone }) => [mapZone._other.toLowerCase(), mapZone._type]),
);

export function ianaNameOfWindows(name: string): string | undefined {
  return ianaNames.get(name.toLowerCase());
}
