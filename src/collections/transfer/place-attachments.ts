/** Stores the managed attachments of an imported object. */
import type { CarriedAttachment, PlacedAttach } from "#/src/formats/icalendar/carried-attachments.ts";
import type { AccountNumber, AgentNumber } from "#/src/model/numbers.ts";
import { derivedManagedId, managedIdPattern, type NewAttachment } from "../attachments.ts";
import type { Collections } from "../collections.ts";
import type { PlacedCarried } from "./imported-objects.ts";

/** The account of imported attachments, and their URLs. */
export interface AttachmentsHere {
  readonly account: AccountNumber;
  urlOf(managedId: string, name: string): string;
}

export interface AttachmentPlaces {
  place(attachment: CarriedAttachment): Promise<PlacedAttach>;
  /** The attachments that are not stored yet. */
  missing(carried: readonly PlacedCarried[]): Promise<NewAttachment[]>;
}

export function createAttachmentPlaces(
  collections: Pick<Collections, "listAttachmentPlaces">,
  agent: AgentNumber,
  { account, urlOf }: AttachmentsHere,
): AttachmentPlaces {
  return {
    /** An attachment keeps its MANAGED-ID unless another object of the account has one with the same id. */
    async place({ managedId, name, bytes }) {
      const isFree = async (id: string) => {
        const places = await collections.listAttachmentPlaces(account, id, agent);
        return places.every((one) => one.agent === agent);
      };
      const isOurs = managedIdPattern.test(managedId) && (await isFree(managedId));
      const id = isOurs ? managedId : derivedManagedId(managedId, bytes);
      return { managedId: id, url: urlOf(id, name) };
    },
    /** The bytes of a MANAGED-ID never change, so existing ones are not stored again. */
    async missing(carried) {
      const added: NewAttachment[] = [];
      for (const { managedId, name, type, bytes } of carried) {
        const places = await collections.listAttachmentPlaces(account, managedId, agent);
        if (places.length === 0) added.push({ managedId, name, type, bytes });
      }
      return added;
    },
  };
}
