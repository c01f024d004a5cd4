/** Names that Windows has for time zones ("W. Europe Standard Time"), as Outlook and Exchange write them into TZID, by CLDR's
 *  map. Of the zones of a name the one for the whole world counts. */
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
