/** Texts of events and contacts for tests. */

/** An event of one hour, with these further lines. */
export function eventText(uid: string, ...lines: readonly string[]): Buffer {
  const start = lines.some((line) => line.startsWith("DTSTART"))
    ? []
    : ["DTSTART:20260105T100000Z", "DTEND:20260105T110000Z"];
  return calendarText(
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "DTSTAMP:20260101T000000Z",
    ...start,
    ...lines,
    "END:VEVENT",
  );
}

export function calendarText(...lines: readonly string[]): Buffer {
  return Buffer.from(
    ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//test", ...lines, "END:VCALENDAR", ""].join("\r\n"),
  );
}

export function cardText(uid: string, name: string, ...lines: readonly string[]): Buffer {
  return Buffer.from(
    [
      "BEGIN:VCARD",
      "VERSION:3.0",
      `UID:${uid}`,
      `FN:${name}`,
      `N:${name};;;;`,
      ...lines,
      "END:VCARD",
      "",
    ].join("\r\n"),
  );
}
