/** LocalDateTime and UTCDateTime of JSCalendar (RFC 8984 section 1.4.4 and 1.4.5): no fractions. Milliseconds of local times are
 *  computed as if the time were UTC. */
export const localPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
export const utcPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

export function formatLocal(localMs: number): string {
  return new Date(localMs).toISOString().slice(0, 19);
}

/** undefined if the text is not a valid time, such as `2026-02-30T…`. */
export function parseLocal(text: string): number | undefined {
  if (!localPattern.test(text)) return undefined;
  const ms = Date.parse(`${text}Z`);
  return Number.isNaN(ms) || formatLocal(ms) !== text ? undefined : ms;
}

export function formatUtc(utcMs: number): string {
  return `${formatLocal(utcMs)}Z`;
}

export function parseUtc(text: string): number | undefined {
  return utcPattern.test(text) ? parseLocal(text.slice(0, -1)) : undefined;
}
