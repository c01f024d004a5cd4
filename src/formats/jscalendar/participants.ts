/** ATTENDEE and ORGANIZER as participants (RFC 8984 section 4.4.6) and `organizerCalendarAddress`. The organizer is a participant
 *  with the role `owner`, also where no ATTENDEE names them. A participant is identified by its calendar address. */

import { attendeeCommentMax } from "#/src/model/limits.ts";
import {
  makeProperty,
  type Parameter,
  type Property,
  parameterValue,
  parameterValues,
} from "../content-lines/content-line.ts";
import { parseText } from "../icalendar/text-value.ts";
import { isObject, type Json, type JsonObject, member, type OpenObject } from "../jscontact/json.ts";
import { otherParameters } from "./ical-component.ts";
import { parseProposedTimes } from "./proposed-times.ts";
import { addUnit, idOfKey, type Line, linesOf, type Reading, takeLines } from "./reading.ts";

const kinds: ReadonlyMap<string, string> = new Map([
  ["INDIVIDUAL", "individual"],
  ["GROUP", "group"],
  ["RESOURCE", "resource"],
  ["ROOM", "location"],
]);
const roles: ReadonlyMap<string, string> = new Map([
  ["CHAIR", "chair"],
  ["REQ-PARTICIPANT", "required"],
  ["OPT-PARTICIPANT", "optional"],
  ["NON-PARTICIPANT", "informational"],
]);
export const participationWords = ["needs-action", "accepted", "declined", "tentative", "delegated"];
/** Values of PARTSTAT that express the attendee's progress with a VTODO (RFC 5545 section 3.2.12). */
const progressOfPartstat = ["completed", "in-process"];

/** The comment with the own answer, on the own ATTENDEE. Those of others stand in properties (`src/scheduling/decisions/attendee-comment.ts`). */
export const participationCommentParameter = "X-WAYPOST-COMMENT";

const known: ReadonlySet<string> = new Set([
  "CN",
  "EMAIL",
  "CUTYPE",
  "ROLE",
  "PARTSTAT",
  "RSVP",
  "SENT-BY",
  "SCHEDULE-AGENT",
  "SCHEDULE-FORCE-SEND",
  "SCHEDULE-STATUS",
  "DELEGATED-TO",
  "DELEGATED-FROM",
  "MEMBER",
  "LANGUAGE",
  "X-WAYPOST-PROPOSAL",
  "X-WAYPOST-ADDED-BY",
  participationCommentParameter,
]);

/** Times that the participant proposes (`src/scheduling/decisions/proposals.ts`). */
export const proposalMember = "waypost:proposal";
/** Who wrote the participant into a person's calendar (`src/scheduling/decisions/authors.ts`). */
export const addedByMember = "waypost:addedBy";

export function readParticipants(reading: Reading): void {
  const attendees = new Map<string, Line>();
  for (const line of linesOf(reading, "ATTENDEE")) {
    const key = addressOf(line.item)?.toLowerCase();
    if (key !== undefined && !attendees.has(key)) attendees.set(key, line);
  }
  const [organizer] = linesOf(reading, "ORGANIZER");
  const address = organizer === undefined ? undefined : addressOf(organizer.item);
  const owner = address?.toLowerCase();
  const ids = new Map<string, string>();
  for (const [key, { item }] of attendees)
    ids.set(key, reading.ids.assign("participants", parameterValue(item, "JSID"), key));
  if (organizer !== undefined && address !== undefined && owner !== undefined) {
    addUnit(reading, ["organizerCalendarAddress"], address, [organizer]);
    const jsid = parameterValue(organizer.item, "JSID");
    if (!ids.has(owner)) ids.set(owner, reading.ids.assign("participants", jsid, owner));
  }
  const comments = new Map(
    linesOf(reading, "X-CALENDARSERVER-ATTENDEE-COMMENT").map(({ item }) => [
      parameterValue(item, "X-CALENDARSERVER-ATTENDEE-REF")?.toLowerCase(),
      commentText(parseText(item.value)),
    ]),
  );
  for (const [key, id] of ids) {
    const line = attendees.get(key);
    const isOwner = key === owner;
    const comment = comments.get(key);
    const entry: JsonObject = {
      ...(comment === undefined ? {} : { participationComment: comment }),
      ...readParticipant(line?.item, isOwner ? organizer!.item : undefined, reading.isTask, ids),
    };
    addUnit(reading, ["participants", id], entry, line === undefined ? [] : [line]);
    if (isOwner) takeLines(reading, `participants/${id}`, [organizer!]);
  }
}

/** Lenient: a mail address without `mailto:` (old exports). undefined for text that is not a URI. */
function addressOf({ value }: Property): string | undefined {
  const text = value.trim();
  if (text === "" || /[\s\p{Cc}]/u.test(text)) return undefined;
  return text.includes("@") && !text.includes(":") ? `mailto:${text}` : text;
}

/** What fits into the member; undefined for none. */
function commentText(text: string | undefined): string | undefined {
  return text?.slice(0, attendeeCommentMax).toWellFormed() || undefined;
}

function readParticipant(
  attendee: Property | undefined,
  organizer: Property | undefined,
  isTask: boolean,
  ids: ReadonlyMap<string, string>,
): JsonObject {
  const both = [attendee, organizer].filter((line) => line !== undefined);
  const text = (name: string) =>
    both.map((line) => parameterValue(line, name)).find((value) => value !== undefined && value !== "");
  const own = (name: string) =>
    attendee === undefined ? undefined : parameterValue(attendee, name)?.toUpperCase();
  const entry: OpenObject = { calendarAddress: addressOf(both[0]!)! };
  const [name, email, language, agent] = ["CN", "EMAIL", "LANGUAGE", "SCHEDULE-AGENT"].map(text);
  if (name !== undefined) entry.name = name;
  if (email !== undefined) entry.email = email;
  const kind = kinds.get(own("CUTYPE") ?? "");
  if (kind !== undefined) entry.kind = kind;
  const words = rolesOf(attendee);
  if (organizer !== undefined) words.unshift("owner");
  if (words.length > 0) entry.roles = Object.fromEntries(words.map((word) => [word, true]));
  const status = own("PARTSTAT")?.toLowerCase();
  if (isTask && status !== undefined && progressOfPartstat.includes(status)) {
    entry.participationStatus = "accepted";
    entry.progress = status;
  } else if (status !== undefined && participationWords.includes(status)) entry.participationStatus = status;
  if (own("RSVP") === "TRUE") entry.expectReply = true;
  if (language !== undefined && /^[A-Za-z0-9-]{1,100}$/.test(language)) entry.language = language;
  const sentBy = text("SENT-BY");
  if (sentBy !== undefined) entry.sentBy = sentBy;
  if (agent !== undefined && /^(?:server|client|none)$/i.test(agent) && agent.toLowerCase() !== "server")
    entry.scheduleAgent = agent.toLowerCase();
  if (text("SCHEDULE-FORCE-SEND") !== undefined) entry.scheduleForceSend = true;
  const scheduleStatus = text("SCHEDULE-STATUS");
  if (scheduleStatus !== undefined) entry.scheduleStatus = scheduleStatus.split(",");
  const proposal = attendee && parameterValue(attendee, "X-WAYPOST-PROPOSAL");
  if (proposal !== undefined && parseProposedTimes(proposal) !== undefined) entry[proposalMember] = proposal;
  const comment = attendee && parameterValue(attendee, participationCommentParameter);
  if (commentText(comment) !== undefined) entry.participationComment = commentText(comment)!;
  const addedBy = text("X-WAYPOST-ADDED-BY");
  if (addedBy !== undefined) entry[addedByMember] = addedBy;
  for (const [field, parameter] of addressLists) {
    const found = (attendee === undefined ? [] : parameterValues(attendee, parameter)).flatMap(
      (listed) => ids.get(listed.toLowerCase()) ?? [],
    );
    if (found.length > 0) entry[field] = Object.fromEntries(found.map((id) => [id, true]));
  }
  return entry;
}

const addressLists = [
  ["delegatedTo", "DELEGATED-TO"],
  ["delegatedFrom", "DELEGATED-FROM"],
  ["memberOf", "MEMBER"],
] as const;

function rolesOf(attendee: Property | undefined): string[] {
  const values = attendee === undefined ? [] : parameterValues(attendee, "ROLE");
  return values.flatMap((value) => value.split(",")).flatMap((value) => roles.get(value.toUpperCase()) ?? []);
}

/** Members that ORGANIZER can express without an ATTENDEE. */
const ownerMembers: ReadonlySet<string> = new Set([
  "calendarAddress",
  "name",
  "email",
  "language",
  "roles",
  "sentBy",
  "scheduleAgent",
  "scheduleForceSend",
  "scheduleStatus",
]);

export interface Participants {
  /** All participants of the new object, by id. */
  readonly byId: JsonObject;
  readonly organizer: string | undefined;
}

export function participantsOf(wanted: JsonObject): Participants {
  const all = member(wanted, "participants");
  const organizer = member(wanted, "organizerCalendarAddress");
  return {
    byId: isObject(all) ? all : {},
    organizer: typeof organizer === "string" ? organizer : undefined,
  };
}

export function isOwner({ organizer }: Participants, entry: Json | undefined): boolean {
  if (organizer === undefined || !isObject(entry)) return false;
  return String(member(entry, "calendarAddress")).toLowerCase() === organizer.toLowerCase();
}

/** The ATTENDEE of a participant; none for an organizer that ORGANIZER expresses completely. */
export function writeAttendee(
  participants: Participants,
  id: string,
  entry: JsonObject,
  isTask: boolean,
  old: Property | undefined,
): Property[] {
  const words = wordsOf(entry);
  if (
    old === undefined &&
    isOwner(participants, entry) &&
    words.length === 0 &&
    Object.keys(entry).every((key) => ownerMembers.has(key) || key.includes(":"))
  )
    return [];
  const text = (name: string) => member(entry, name) as string | undefined;
  const parameters: Parameter[] = [];
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) parameters.push({ name, values: [value] });
  };
  add("CUTYPE", [...kinds].find(([, kind]) => kind === text("kind"))?.[0]);
  const role = words.map((word) => [...roles].find(([, each]) => each === word)![0]);
  if (role.length > 0) parameters.push({ name: "ROLE", values: role });
  const progress = text("progress");
  const status = text("participationStatus");
  const isProgress = isTask && status === "accepted" && progressOfPartstat.includes(progress ?? "");
  add("PARTSTAT", (isProgress ? progress : status)?.toUpperCase());
  add("RSVP", member(entry, "expectReply") === true ? "TRUE" : undefined);
  const proposal = text(proposalMember);
  add("X-WAYPOST-PROPOSAL", typeof proposal === "string" ? proposal : undefined);
  add(participationCommentParameter, text("participationComment"));
  for (const [field, parameter] of addressLists) {
    const listed = addressesOf(participants, member(entry, field));
    const unlisted = unnamed(participants, old, parameter);
    if (listed.length + unlisted.length > 0)
      parameters.push({ name: parameter, values: [...listed, ...unlisted] });
  }
  parameters.push(...sharedParameters(entry), ...jsidOf(id, entry), ...otherParameters(old, known));
  return [makeProperty("ATTENDEE", text("calendarAddress")!, parameters)];
}

function wordsOf(entry: JsonObject): string[] {
  const given = member(entry, "roles");
  return isObject(given) ? Object.keys(given).filter((word) => [...roles.values()].includes(word)) : [];
}

/** Addresses of the old line that belong to no participant. */
function unnamed({ byId }: Participants, old: Property | undefined, parameter: string): readonly string[] {
  if (old === undefined) return [];
  const named = new Set(
    Object.values(byId).map((entry) =>
      String(isObject(entry) ? member(entry, "calendarAddress") : "").toLowerCase(),
    ),
  );
  return parameterValues(old, parameter).filter((address) => !named.has(address.toLowerCase()));
}

function addressesOf({ byId }: Participants, ids: Json | undefined): string[] {
  if (!isObject(ids)) return [];
  return Object.keys(ids).flatMap((id) => {
    const entry = member(byId, id);
    return isObject(entry) ? [String(member(entry, "calendarAddress"))] : [];
  });
}

function sharedParameters(entry: JsonObject): Parameter[] {
  const parameters: Parameter[] = [];
  for (const [field, name] of [
    ["name", "CN"],
    ["email", "EMAIL"],
    ["language", "LANGUAGE"],
    ["sentBy", "SENT-BY"],
    ["scheduleAgent", "SCHEDULE-AGENT"],
    [addedByMember, "X-WAYPOST-ADDED-BY"],
  ] as const) {
    const value = member(entry, field);
    if (typeof value === "string")
      parameters.push({ name, values: [field === "scheduleAgent" ? value.toUpperCase() : value] });
  }
  const statuses = member(entry, "scheduleStatus");
  if (Array.isArray(statuses)) parameters.push({ name: "SCHEDULE-STATUS", values: [statuses.join(",")] });
  if (member(entry, "scheduleForceSend") === true)
    parameters.push({ name: "SCHEDULE-FORCE-SEND", values: ["REQUEST"] });
  return parameters;
}

function jsidOf(id: string, entry: JsonObject): Parameter[] {
  const key = String(member(entry, "calendarAddress")).toLowerCase();
  return idOfKey(key) === id ? [] : [{ name: "JSID", values: [id] }];
}

export function writeOrganizer(participants: Participants, old: Property | undefined): Property[] {
  const { organizer, byId } = participants;
  if (organizer === undefined) return [];
  const [id, entry] = Object.entries(byId).find(([, each]) => isOwner(participants, each)) ?? [];
  const parameters = isObject(entry) ? [...sharedParameters(entry), ...jsidOf(id!, entry)] : [];
  return [makeProperty("ORGANIZER", organizer, [...parameters, ...otherParameters(old, known)])];
}

/** The id of the participant with one of these addresses (`mailto:` may be left out), for `participants/me`. */
export function findParticipant(event: JsonObject, addresses: readonly string[]): string | undefined {
  const wanted = new Set(
    addresses.map((address) => `mailto:${address.toLowerCase().replace(/^mailto:/, "")}`),
  );
  const all = member(event, "participants");
  if (!isObject(all)) return undefined;
  return Object.entries(all).find(
    ([, entry]) => isObject(entry) && wanted.has(String(member(entry, "calendarAddress")).toLowerCase()),
  )?.[0];
}
