/** ORGANIZER and ATTENDEE (RFC 5545 section 3.8.4.1 and 3.8.4.3), with the parameters of RFC 6638 section 7.
 *  Unknown values are read as the defaults that RFC 5545 section 3.2 says for them. */
import {
  type Component,
  changeProperty,
  findProperty,
  listProperties,
  type Parameter,
  type Property,
  parameterValue,
  parameterValues,
} from "#/src/formats/content-lines/content-line.ts";
import { addressOfProperty, type CalendarAddress, readCalendarAddress } from "./calendar-address.ts";

const roles = ["CHAIR", "REQ-PARTICIPANT", "OPT-PARTICIPANT", "NON-PARTICIPANT"] as const;
const participationStatuses = [
  "NEEDS-ACTION",
  "ACCEPTED",
  "DECLINED",
  "TENTATIVE",
  "DELEGATED",
  "COMPLETED",
  "IN-PROCESS",
] as const;
const userTypes = ["INDIVIDUAL", "GROUP", "RESOURCE", "ROOM", "UNKNOWN"] as const;
const scheduleAgents = ["SERVER", "CLIENT", "NONE"] as const;

export type ParticipationStatus = (typeof participationStatuses)[number];

interface Participant {
  readonly property: Property;
  readonly address: CalendarAddress;
  readonly name: string | undefined;
  readonly sentBy: CalendarAddress | undefined;
  /** Who sends messages to it (section 7.1). An unknown value means NONE. */
  readonly scheduleAgent: (typeof scheduleAgents)[number];
  /** Codes of the last message that was sent to it (section 7.3). */
  readonly scheduleStatus: readonly string[];
  /** The message that the client asks for though nothing changed (section 7.2). */
  readonly forceSend: string | undefined;
}

export type Organizer = Participant;

export interface Attendee extends Participant {
  readonly role: (typeof roles)[number];
  readonly partstat: ParticipationStatus;
  readonly rsvp: boolean;
  readonly userType: (typeof userTypes)[number];
  readonly delegatedTo: readonly CalendarAddress[];
  readonly delegatedFrom: readonly CalendarAddress[];
  readonly member: readonly CalendarAddress[];
}

export function findOrganizer(component: Component): Organizer | undefined {
  const property = findProperty(component, "ORGANIZER");
  return property === undefined ? undefined : readParticipant(property);
}

export function listAttendees(component: Component): Attendee[] {
  return listProperties(component, "ATTENDEE").map(readAttendee);
}

export function findAttendee(
  component: Component,
  isSought: (address: CalendarAddress) => boolean,
): Attendee | undefined {
  const property = listProperties(component, "ATTENDEE").find((one) => isSought(addressOfProperty(one)));
  return property === undefined ? undefined : readAttendee(property);
}

export function readAttendee(property: Property): Attendee {
  const addresses = (name: string) => parameterValues(property, name).map(readCalendarAddress);
  return {
    ...readParticipant(property),
    role: oneOf(roles, parameterValue(property, "ROLE"), "REQ-PARTICIPANT"),
    partstat: oneOf(participationStatuses, parameterValue(property, "PARTSTAT"), "NEEDS-ACTION"),
    rsvp: parameterValue(property, "RSVP")?.toUpperCase() === "TRUE",
    userType: oneOf(userTypes, parameterValue(property, "CUTYPE"), "INDIVIDUAL"),
    delegatedTo: addresses("DELEGATED-TO"),
    delegatedFrom: addresses("DELEGATED-FROM"),
    member: addresses("MEMBER"),
  };
}

function readParticipant(property: Property): Participant {
  const sentBy = parameterValue(property, "SENT-BY");
  const agent = parameterValue(property, "SCHEDULE-AGENT");
  return {
    property,
    address: addressOfProperty(property),
    name: parameterValue(property, "CN"),
    sentBy: sentBy === undefined ? undefined : readCalendarAddress(sentBy),
    scheduleAgent: agent === undefined ? "SERVER" : oneOf(scheduleAgents, agent, "NONE"),
    // One value with commas in quotes, or a list of values.
    scheduleStatus: parameterValues(property, "SCHEDULE-STATUS").flatMap((text) => text.split(",")),
    forceSend: parameterValue(property, "SCHEDULE-FORCE-SEND")?.toUpperCase(),
  };
}

function oneOf<Known extends string>(
  known: readonly Known[],
  value: string | undefined,
  otherwise: Known,
): Known {
  const upper = value?.trim().toUpperCase();
  return known.find((one) => one === upper) ?? otherwise;
}

/** The property with these parameters set. An undefined value removes a parameter. Other parameters keep their places. */
export function setParameters(
  property: Property,
  changes: Readonly<Record<string, string | readonly string[] | undefined>>,
): Property {
  const isSame = Object.entries(changes).every(([name, value]) => {
    const old = property.parameters.filter((parameter) => parameter.name === name);
    const values = value === undefined ? undefined : [value].flat();
    return values === undefined
      ? old.length === 0
      : old.length === 1 &&
          values.length === old[0]!.values.length &&
          values.every((one, at) => one === old[0]!.values[at]);
  });
  if (isSame) return property;
  const waiting = new Map(Object.entries(changes));
  const parameters: Parameter[] = [];
  for (const parameter of property.parameters) {
    if (!Object.hasOwn(changes, parameter.name)) parameters.push(parameter);
    else addParameter(parameters, parameter.name, waiting);
  }
  for (const name of [...waiting.keys()]) addParameter(parameters, name, waiting);
  return changeProperty(property, { parameters });
}

function addParameter(
  parameters: Parameter[],
  name: string,
  waiting: Map<string, string | readonly string[] | undefined>,
): void {
  const value = waiting.get(name);
  waiting.delete(name);
  if (value !== undefined) parameters.push({ name, values: [value].flat() });
}
