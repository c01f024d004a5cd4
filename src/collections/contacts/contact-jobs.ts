/** All work on the text of a contact, as jobs. A job is a pure function of the octets and the caller's input, so it runs on the main
 *  thread or on another one (`contact-projection.ts`). */
import { type Component, listComponents } from "#/src/formats/content-lines/content-line.ts";
import { readContentLines } from "#/src/formats/content-lines/read-content-lines.ts";
import { writeContentLines } from "#/src/formats/content-lines/write-content-lines.ts";
import { acceptCard, assertNotEmpty, isEmpty, patchCard } from "#/src/formats/jscontact/accept-card.ts";
import { isObject, type JsonObject, member } from "#/src/formats/jscontact/json.ts";
import { readCard } from "#/src/formats/jscontact/read-contact.ts";
import { updateCard, writeCard } from "#/src/formats/jscontact/write-contact.ts";
import { type Sign, signsOf } from "#/src/formats/text/signs.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { type ContactForm, contactForm, isNamedAsAnother } from "#/src/render/contacts/contact-form.ts";
import { contactText, nameOf } from "#/src/render/contacts/contact-text.ts";
import { shownVcard } from "#/src/render/contacts/shown-vcard.ts";
import { createRemovalTally, type RemovalDetail } from "#/src/render/removal.ts";
import { findText, type LinkedValue, shownObject, withoutLinks } from "#/src/render/shown-object.ts";
import { type ItemPart, partOf } from "../item-part.ts";
import { type Actions, doNamedJob, type JobAnswer, type NamedJob } from "../projected-jobs.ts";

/** A Card as RFC 9553 has it, or its short form. */
export type CardBody = JsonObject;

export type ContactRender = "text" | "json" | "vcard";

export interface DescribedContact {
  readonly card: JsonObject;
  readonly linked: readonly LinkedValue[];
  readonly text: string;
  readonly signs: readonly Sign[];
  readonly removed: readonly RemovalDetail[];
}

/** `id` is that of the contact, which links in it have. */
export interface ContactJobs {
  create: { readonly job: { readonly body: CardBody; readonly uid: string }; readonly result: Uint8Array };
  /** undefined if the change makes no difference. */
  change: {
    readonly job: {
      readonly bytes: Uint8Array;
      readonly id: string;
      readonly change: { readonly body: CardBody } | { readonly patch: JsonObject };
    };
    readonly result: Uint8Array | undefined;
  };
  list: { readonly job: { readonly bytes: Uint8Array }; readonly result: ContactForm };
  describe: {
    readonly job: { readonly bytes: Uint8Array; readonly id: string; readonly render: ContactRender };
    readonly result: DescribedContact;
  };
  /** Undefined where the Card has no text at that JSON pointer. */
  part: {
    readonly job: { readonly bytes: Uint8Array; readonly part: string };
    readonly result: ItemPart | undefined;
  };
}

const actions: Actions<ContactJobs> = {
  create({ body, uid }) {
    const card = acceptCard(withoutLinks(body, "", {}), uid);
    assertNotEmpty(card);
    return writeContentLines({ items: [writeCard(card)] });
  },
  change({ bytes, id, change }) {
    const component = cardOf(bytes);
    const card = readCard(component);
    const changed =
      "patch" in change
        ? patchCard(card, withoutLinks(change.patch, id, card))
        : replacement(card, withoutLinks(change.body, id, card));
    const written = updateCard(component, changed);
    const { items } = readContentLines(bytes);
    const stored = writeContentLines({
      items: items.map((item) => (item.kind === "component" && item.name === "VCARD" ? written : item)),
    });
    return Buffer.compare(stored, bytes) === 0 ? undefined : stored;
  },
  list: ({ bytes }) => contactForm(cardOf(bytes), createRemovalTally()),
  describe({ bytes, id, render }) {
    const component = cardOf(bytes);
    const tally = createRemovalTally();
    const { object: card, linked } = shownObject(readCard(component), id, tally);
    if (isNamedAsAnother(nameOf(card), addressesOf(card))) tally.add("name-is-address", "name");
    const text =
      render === "json"
        ? JSON.stringify(card, undefined, 1)
        : render === "vcard"
          ? shownVcard(component, id, tally)
          : contactText(card, linked);
    return { card, linked, text, signs: signsOf(text), removed: tally.list() };
  },
  part({ bytes, part }) {
    const value = findText(readCard(cardOf(bytes)), part);
    return value === undefined ? undefined : partOf(value);
  },
};

/** The vCard of a contact that is stored. */
function cardOf(bytes: Uint8Array): Component {
  const [card] = listComponents(readContentLines(bytes), "VCARD");
  if (card === undefined) throw new WaypostError("internal", "A stored contact has no vCard.");
  return card;
}

function replacement(card: JsonObject, body: CardBody): JsonObject {
  const uid = card.uid as string;
  const accepted = acceptCard(body, uid, card);
  if (!isEmpty(card)) assertNotEmpty(accepted);
  if (accepted.uid === uid) return accepted;
  throw new WaypostError("invalid", "The uid of a contact cannot be changed.", {
    field: "/uid",
    hint: "Leave uid out; contact.create makes another contact.",
  });
}

function addressesOf(card: JsonObject): string[] {
  const emails = member(card, "emails");
  const entries = isObject(emails) ? Object.values(emails).filter(isObject) : [];
  return entries.map((entry) => String(member(entry, "address")));
}

export function doContactJob(job: NamedJob<ContactJobs>): JobAnswer<ContactJobs> {
  return doNamedJob(actions, job);
}
