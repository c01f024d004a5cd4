/** What names an instance behind the # of an event: its time on the event's clock, of which the seconds, and for days the time, may be left
 *  out. Other text stays as it is. */
export function instanceName(text: string): string {
  if (isDay.test(text)) return `${text}T00:00:00`;
  return isMinute.test(text) ? `${text}:00` : text;
}

const isDay = /^\d{4}-\d\d-\d\d$/;
const isMinute = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;
