/** Answers of others in an attendee's copy (RFC 6638 section 4.2): those that have changed in the organizer's object, and nothing else of
 *  it. What the organizer has not told this attendee does not come because somebody answers. */
import {
  type Component,
  changeItems,
  type Property,
  parameterValues,
} from "#/src/formats/content-lines/content-line.ts";
import { addressOfProperty, type CalendarAddress, readCalendarAddress } from "../calendar-address.ts";
import { listMarked } from "../decisions/authors.ts";
import { instanceTarget, makeOverride, withComponent } from "../instances.ts";
import { withoutOwnNotes } from "../outgoing/messages.ts";
import { type Attendee, listAttendees, setParameters } from "../participants.ts";
import {
  type Addresses,
  componentAt,
  type InstanceKey,
  listByInstance,
  readSchedulingObject,
  type SchedulingObject,
} from "../scheduling-object.ts";

/** `copy`: the attendee's calendar, which is returned if it shows all answers already. `who`: addresses of this attendee. */
export function showAnswers(
  copy: Component,
  old: SchedulingObject,
  now: SchedulingObject,
  who: Addresses,
): Component {
  const own = readSchedulingObject(copy);
  if (own === undefined || own.organizer?.address !== now.organizer?.address) return copy;
  const unapproved = new Set(listMarked(now.calendar));
  let shown = copy;
  for (const [key, component] of listByInstance(now)) {
    const answers = listAnswers(old, key, component).filter(
      ({ address }) => !who.has(address) && !unapproved.has(address),
    );
    const there = componentAt(own, key);
    const target = answers.length === 0 ? undefined : instanceTarget(own, key, there);
    if (target === undefined) continue;
    const answered = withAnswers(target, answers, withoutOwnNotes(component), unapproved);
    if (answered !== target) shown = withComponent(shown, there, answered);
  }
  return shown;
}

/** Attendees who answer otherwise than before, and those that are new: delegates. */
function listAnswers(
  old: SchedulingObject,
  key: InstanceKey | undefined,
  component: Component,
): readonly Attendee[] {
  const before = componentAt(old, key) ?? (key === undefined ? undefined : makeOverride(old, key));
  const known = new Map((before === undefined ? [] : listAttendees(before)).map((one) => [one.address, one]));
  return listAttendees(component).filter((one) => {
    const was = known.get(one.address);
    return was?.partstat !== one.partstat || was.delegatedTo.join() !== one.delegatedTo.join();
  });
}

function withAnswers(
  target: Component,
  answers: readonly Attendee[],
  organizers: Component,
  unapproved: ReadonlySet<CalendarAddress>,
): Component {
  const plain = new Map(listAttendees(organizers).map(({ address, property }) => [address, property]));
  const left = new Map(answers.map((one) => [one.address, one]));
  const items = target.items.map((item) => {
    const answer =
      item.kind === "property" && item.name === "ATTENDEE" ? left.get(addressOfProperty(item)) : undefined;
    if (answer === undefined) return item;
    left.delete(answer.address);
    return withAnswer(item as Property, answer, unapproved);
  });
  const last = items.findLastIndex((item) => item.kind === "property" && item.name === "ATTENDEE");
  const added = [...left.values()].filter(({ delegatedFrom }) => delegatedFrom.length > 0);
  items.splice(last + 1, 0, ...added.map(({ address }) => plain.get(address)!));
  const isSame = items.length === target.items.length && items.every((item, at) => item === target.items[at]);
  return isSame ? target : changeItems(target, items);
}

function withAnswer(
  shown: Property,
  { partstat, property }: Attendee,
  unapproved: ReadonlySet<CalendarAddress>,
): Property {
  const delegates = parameterValues(property, "DELEGATED-TO").filter(
    (one) => !unapproved.has(readCalendarAddress(one)),
  );
  return setParameters(shown, {
    PARTSTAT: partstat,
    RSVP: parameterValues(property, "RSVP")[0],
    "DELEGATED-TO": delegates.length === 0 ? undefined : delegates,
  });
}
