/** Recurrence rules of large objects: a thread expands those that take long, with the same result as on the main thread. */
import { afterAll, expect, test } from "vitest";
import { busyOfItem, zoneOfCalendar } from "#/src/collections/busy-item.ts";
import { createRuleExpansion } from "#/src/collections/rules/rule-expansion.ts";
import { WorkMeter } from "#/src/collections/work-meter.ts";
import { expandRule } from "#/src/formats/icalendar/expand-rule.ts";
import { parseRecurrenceRule } from "#/src/formats/icalendar/recurrence-rule.ts";
import { collectionRulesMax, ruleStepsMax } from "#/src/model/limits.ts";

const rules = createRuleExpansion();
afterAll(() => rules[Symbol.asyncDispose]());

const startMs = Date.UTC(2015, 0, 5, 9);
const started = (rule: string) => ({
  rule: parseRecurrenceRule(rule)!,
  startMs,
  untilMs: undefined,
  isDate: false,
});
const [fromMs, toMs] = [Date.UTC(2020, 0), Date.UTC(2020, 1)];

test("a rule of few steps is expanded at once", async () => {
  let calls = 0;
  const rule = started("FREQ=WEEKLY;BYDAY=MO,FR");
  const found = await rules.evaluate(new WorkMeter(), (expand) => {
    calls++;
    return expand(rule, fromMs, toMs);
  });
  expect(calls).toBe(1);
  expect(found).toEqual(expandRule(rule, fromMs, toMs));
});

test("a rule of many steps is expanded on the thread, and its answer kept", async () => {
  const rule = started("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=1800");
  expect(expandRule(rule, fromMs, toMs, ruleStepsMax)).toBeUndefined();
  const calls: number[] = [];
  for (const at of [0, 1]) {
    calls[at] = 0;
    const found = await rules.evaluate(new WorkMeter(), (expand) => {
      calls[at]!++;
      return expand(rule, fromMs, toMs);
    });
    expect(found).toEqual(expandRule(rule, fromMs, toMs));
    expect(found!.starts).toHaveLength(23);
  }
  expect(calls).toEqual([2, 1]);
});

test("a rule beyond all limits is undefined", async () => {
  const rule = started("FREQ=SECONDLY;BYSECOND=0,1,2,3");
  const found = await rules.evaluate(new WorkMeter(), (expand) => [expand(rule, fromMs, toMs)]);
  expect(found).toEqual([undefined]);
});

test("a request that has reached its limit of rules gets no more", async () => {
  const meter = new WorkMeter();
  for (let asked = 0; asked < collectionRulesMax; asked++) meter.countRule();
  expect(meter.isBeyond).toBe(false);
  const rule = started("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=1801");
  expect(await rules.evaluate(meter, (expand) => expand(rule, fromMs, toMs))).toBeUndefined();
  expect(meter.isBeyond).toBe(true);
});

function largeItem(extra: string): Uint8Array {
  const padding = `DESCRIPTION:${"x".repeat(60)}\r\n`.repeat(1000);
  const text = `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20200106T090000\r\nDTEND:20200106T100000\r\nRRULE:FREQ=WEEKLY\r\n${extra}${padding}END:VEVENT\r\nEND:VCALENDAR\r\n`;
  return Buffer.from(text);
}

const question = {
  component: "VEVENT",
  range: { startMs: fromMs, endMs: toMs },
  timeZone: "Europe/Berlin",
  ownAddresses: ["mailto:me@example.org"],
};

test("the busy time of a large object is found on the thread, as it is found at once", async () => {
  const meter = new WorkMeter();
  const item = { ...question, bytes: largeItem("") };
  const found = await rules.busyOf(meter, item);
  expect(found?.busy).toHaveLength(4);
  expect(found?.busy[0]).toMatchObject({ startMs: Date.UTC(2020, 0, 6, 8), type: "BUSY" });
  expect(found).toEqual(busyOfItem(item, zoneOfCalendar(item.timeZone), expandRule));
});

test("an instance that its owner has declined in a large object is not busy, however the address is written", async () => {
  const attendee = "ATTENDEE;PARTSTAT=DECLINED:MAILTO:Me%40Example.org\r\n";
  const found = await rules.busyOf(new WorkMeter(), { ...question, bytes: largeItem(attendee) });
  expect(found).toEqual({ busy: [], availabilities: [] });
});
