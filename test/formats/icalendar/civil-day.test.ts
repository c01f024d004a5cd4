import fc from "fast-check";
import { expect, test } from "vitest";
import { civilOf, dayOf, daysOfMonth, isLeapYear, weekdayOf } from "#/src/formats/icalendar/civil-day.ts";

test("days are those of Date, from year 1 to 9999", () => {
  const days = fc.integer({ min: -719_162, max: 2_932_896 });
  fc.assert(
    fc.property(days, (day) => {
      const date = new Date(day * 86_400_000);
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
      expect(civilOf(day)).toEqual({ year, month, day: date.getUTCDate() });
      expect(dayOf(year, month, date.getUTCDate())).toBe(day);
      expect(weekdayOf(day)).toBe((date.getUTCDay() + 6) % 7);
      const last = new Date(0);
      last.setUTCFullYear(year, month, 0);
      expect(daysOfMonth(year, month)).toBe(last.getUTCDate());
      expect(isLeapYear(year)).toBe(dayOf(year + 1, 1, 1) - dayOf(year, 1, 1) === 366);
    }),
    { numRuns: 2000 },
  );
});
