/** Each path by which calendars let something leave an owner, with each state of the rules: what is answered, what another server gets, and
 *  what is in another mailbox here. A row is "answer, recipients | elsewhere | here". */
import { expect, test } from "vitest";
import { isWaypostError } from "#/src/model/errors.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import type { SchedulingOptions, SchedulingTold } from "#/src/scheduling/scheduling.ts";
import {
  type CalendarOwner,
  calendarText,
  eventText,
  openSchedulingHouse,
  plain,
  type SchedulingHouse,
} from "./scheduling-house.ts";

const people = "bob mel@elsewhere.example";
const invitedBy = "olga@organizer.example";

/** A house with the owner whose calendar is changed, and who changes it. */
interface Stage {
  readonly house: SchedulingHouse;
  readonly owner: CalendarOwner;
  readonly actor: CalendarOwner;
}

type Told = Pick<SchedulingTold, "scheduling" | "recipients">;

interface Path {
  /** What is there before. */
  before(stage: Stage, options?: SchedulingOptions): Promise<void>;
  act(stage: Stage): Promise<Told | undefined>;
}

const nameOf = ({ owner }: CalendarOwner) => owner.address.replace(/@.*/, "");
const eventOf = (stage: Stage, lines = "", uid = "meeting-1") => {
  const name = nameOf(stage.owner);
  return calendarText(eventText(`${name}* ${name}=ACCEPTED ${people}`, lines, uid));
};
const itemOf = async ({ owner }: Stage): Promise<ItemNumber> =>
  (await owner.items()).find(({ uid }) => uid === "meeting-1")!.number;

const invite: Path = {
  async before() {},
  act: (stage) => stage.actor.put(eventOf(stage)),
};
const edit: Path = {
  before: async (stage, options) => void (await stage.owner.put(eventOf(stage), {}, options)),
  act: async (stage) => stage.actor.put(eventOf(stage, "SUMMARY:Second\n"), { item: await itemOf(stage) }),
};
const remove: Path = { before: edit.before, act: async (stage) => stage.actor.delete(await itemOf(stage)) };
const refresh: Path = {
  before: edit.before,
  async act(stage) {
    await stage.house.arrive(stage.owner, "REFRESH", "mel@elsewhere.example", eventOf(stage));
    return undefined;
  },
};
async function answerWith(stage: Stage, by: CalendarOwner, partstat: string): Promise<Told> {
  const item = (await stage.owner.items()).find(({ uid }) => uid === "meeting-1")!;
  const text = plain(item.bytes).replace(/PARTSTAT=[A-Z-]+/, `PARTSTAT=${partstat}`);
  return by.put(text, { item: item.number });
}
const answer: Path = {
  async before(stage) {
    const { house, owner } = stage;
    const invitation = calendarText(eventText(`olga*@organizer.example ${nameOf(owner)}`));
    await house.arrive(owner, "REQUEST", invitedBy, invitation);
  },
  act: (stage) => answerWith(stage, stage.actor, "ACCEPTED"),
};
/** An answer after another one. */
const answerAgain: Path = {
  async before(stage) {
    await answer.before(stage);
    await answerWith(stage, stage.owner, "ACCEPTED");
  },
  act: (stage) => answerWith(stage, stage.actor, "DECLINED"),
};

const paths = { invite, edit, delete: remove, answer, "answer again": answerAgain, refresh };

const policy = ({ house, owner }: Stage, holdPolicy: string) =>
  house.server.administer("agent.update", { owner: owner.owner.address, holdPolicy });

/** What stands before the act: by default the former state was sent. Gives the stage with the actor of the act. */
const conditions: Readonly<Record<string, (stage: Stage, path: Path) => Promise<Stage>>> = {
  async allowed(stage, path) {
    await path.before(stage);
    return stage;
  },
  async "scope absent"(stage, path) {
    await path.before(stage);
    return { ...stage, actor: await stage.house.withScopes(stage.owner, ["calendar"]) };
  },
  async blocked(stage, path) {
    await path.before(stage);
    const block = ["elsewhere.example", "organizer.example", "bob@first.example"];
    await stage.house.server.administer("agent.update", { owner: stage.owner.owner.address, block });
    return stage;
  },
  async "over the limit"(stage, path) {
    if (path === invite || path === answer) await stage.owner.put(eventOf(stage, "", "other"));
    await path.before(stage);
    return stage;
  },
  async "policy always"(stage, path) {
    await path.before(stage);
    await policy(stage, "always");
    return stage;
  },
  async paused(stage, path) {
    await path.before(stage);
    await stage.house.server.administer("agent.pause", { owner: stage.owner.owner.address });
    return stage;
  },
  async "never told"(stage, path) {
    await path.before(stage, { messages: "none" });
    return stage;
  },
  async "declined before"(stage, path) {
    const { house, owner } = stage;
    await policy(stage, "always");
    await path.before(stage);
    const rows = await house.server.store.all<{ hold: number }>("select hold_id as hold from hold");
    for (const { hold } of rows)
      await house.server.administer("hold.decline", {
        hold: house.server.store.ids.encode("hold", owner.owner.agent, hold),
      });
    await policy(stage, "open");
    return stage;
  },
  async "predecessor unsent"(stage, path) {
    await policy(stage, "always");
    await path.before(stage);
    await policy(stage, "open");
    return stage;
  },
};

async function outcomeOf(stage: Stage, act: () => Promise<Told | undefined>): Promise<string> {
  const { house, owner } = stage;
  let said = "";
  try {
    const told = await act();
    const states = told?.recipients.map((one) => ("reason" in one ? one.reason : one.state)) ?? [];
    said = [told?.scheduling ?? "-", ...states].join(" ");
  } catch (error) {
    if (!isWaypostError(error)) throw error;
    said = error.code;
  }
  await house.server.administer("agent.resume", { owner: owner.owner.address }).catch(() => undefined);
  const mails = (await house.leaving()).filter(({ calendar }) => calendar.includes("UID:meeting-1\n"));
  const elsewhere = mails.map(({ calendar }) => /METHOD:(\w+)/.exec(calendar)![1]).join(" ");
  const copies = await house.bob.texts();
  const copy = copies.find((text) => text.includes("UID:meeting-1\n"));
  const here =
    copy === undefined ? "-" : copy.includes("CANCELLED") ? "cancelled" : /SUMMARY:(\w+)/.exec(copy)![1];
  return `${said} | ${elsewhere || "-"} | ${here}`;
}

const ofAgent: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  invite: {
    allowed: "sent delivered sent | REQUEST | Planning",
    "scope absent": "refused no_scope no_scope | - | -",
    blocked: "refused recipient_blocked recipient_blocked | - | -",
    "over the limit": "rate_limited | - | -",
    "policy always": "held always always | - | -",
    paused: "paused | - | -",
  },
  edit: {
    allowed: "sent delivered sent | REQUEST REQUEST | Second",
    "scope absent": "refused no_scope no_scope | REQUEST | Planning",
    blocked: "refused recipient_blocked recipient_blocked | REQUEST | Planning",
    "over the limit": "rate_limited | REQUEST | Planning",
    "policy always": "held always always | REQUEST | Planning",
    paused: "paused | REQUEST | Planning",
    "never told": "sent delivered sent | REQUEST | Second",
    "declined before": "sent delivered sent | REQUEST | Second",
    "predecessor unsent": "sent delivered sent | REQUEST | Second",
  },
  delete: {
    allowed: "sent delivered sent | REQUEST CANCEL | cancelled",
    "scope absent": "refused no_scope no_scope | REQUEST | Planning",
    blocked: "refused recipient_blocked recipient_blocked | REQUEST | Planning",
    "over the limit": "rate_limited | REQUEST | Planning",
    "policy always": "held always always | REQUEST | Planning",
    paused: "paused | REQUEST | Planning",
    "never told": "none | - | -",
    "declined before": "none | - | -",
    "predecessor unsent": "none superseded superseded | - | -",
  },
  answer: {
    allowed: "sent sent | REPLY | -",
    "scope absent": "refused no_scope | - | -",
    blocked: "refused recipient_blocked | - | -",
    "over the limit": "rate_limited | - | -",
    "policy always": "held always | - | -",
    paused: "paused | - | -",
  },
  "answer again": {
    allowed: "sent sent | REPLY REPLY | -",
    "declined before": "sent sent | REPLY | -",
    "predecessor unsent": "sent sent | REPLY | -",
  },
  refresh: {
    allowed: "- | REQUEST REQUEST | Planning",
    blocked: "- | REQUEST | Planning",
    "over the limit": "- | REQUEST | Planning",
    "policy always": "- | REQUEST | Planning",
    paused: "- | REQUEST | Planning",
    "never told": "- | - | -",
    "declined before": "- | - | -",
    "predecessor unsent": "- | - | -",
  },
};

const rowsOfAgent = Object.entries(ofAgent).flatMap(([path, row]) =>
  Object.entries(row).map(([condition, outcome]) => ({ path, condition, outcome })),
);

test.each(rowsOfAgent)("an agent: $path, $condition: $outcome", async ({ path, condition, outcome }) => {
  const isLimited = condition === "over the limit";
  await using house = await openSchedulingHouse(isLimited ? { sendsPerHour: 1 } : {});
  await house.openPolicies();
  const way = paths[path as keyof typeof paths];
  const stage = await conditions[condition]!({ house, owner: house.ada, actor: house.ada }, way);
  expect(await outcomeOf(stage, () => way.act(stage))).toBe(outcome);
});

/** In the calendar of a person: who acts, after an agent with a grant of calendars has written what is there. */
const inPersonsCalendar: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  invite: {
    "the person": "sent delivered sent | REQUEST | Planning",
    "an agent with calendar": "refused no_scope no_scope | - | -",
    "an agent with calendar and send": "sent delivered sent | REQUEST | Planning",
  },
  edit: {
    "the person": "held not_approved not_approved | - | -",
    "an agent with calendar": "refused no_scope no_scope | - | -",
    "an agent with calendar and send": "sent delivered sent | REQUEST | Second",
  },
  delete: {
    "the person": "none | - | -",
    "an agent with calendar": "none | - | -",
    "an agent with calendar and send": "none | - | -",
  },
};

const rowsOfPerson = Object.entries(inPersonsCalendar).flatMap(([path, row]) =>
  Object.entries(row).map(([who, outcome]) => ({ path, who, outcome })),
);

test.each(rowsOfPerson)("$who in a person's calendar: $path: $outcome", async ({ path, who, outcome }) => {
  await using house = await openSchedulingHouse();
  await house.openPolicies();
  const mia = await house.person("mia");
  const planter = await house.granted(house.ada, mia, ["calendar"]);
  const way = paths[path as keyof typeof paths];
  await way.before({ house, owner: planter, actor: planter });
  const actor =
    who === "the person"
      ? mia
      : who === "an agent with calendar"
        ? planter
        : await house.granted(house.ada, mia, ["calendar", "send"]);
  const stage = { house, owner: mia, actor };
  expect(await outcomeOf(stage, () => way.act(stage))).toBe(outcome);
});

test("one change counts as one send, whatever its recipients here, and what others are shown of answers counts nothing", async () => {
  await using house = await openSchedulingHouse();
  await house.openPolicies();
  const { ada, server } = house;
  const names = ["one", "two", "three", "four", "five"];
  for (const name of names) await server.administer("agent.create", { address: `${name}@first.example` });
  const sends = async () =>
    (await server.store.all("select 1 as one from send_time where agent_id = ?", ada.owner.agent)).length;
  const { item } = await ada.put(calendarText(eventText(`ada* ada=ACCEPTED bob ${names.join(" ")}`)));
  expect(await sends()).toBe(1);
  const [copy] = await house.bob.items();
  await house.bob.put(
    plain(copy!.bytes).replace(/PARTSTAT=NEEDS-ACTION(?=[^\n]*bob@)/, "PARTSTAT=ACCEPTED"),
    {
      item: copy!.number,
    },
  );
  expect((await ada.texts())[0]).toMatch(/PARTSTAT=ACCEPTED[^\n]*bob@/);
  expect(await sends()).toBe(1);
  await ada.delete(item);
  expect(await sends()).toBe(2);
});
