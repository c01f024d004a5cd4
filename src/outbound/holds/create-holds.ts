import { writeOnce } from "#/src/mail/write-once.ts";
import {
  findHold,
  findHoldOfMessage,
  listCorrespondents,
  listDecidedHolds,
  listKnownContacts,
  listLiveHolds,
} from "#/storage/queries/outbound/holds.ts";
import { addressesOfContacts } from "#/storage/writing/mail/authors.ts";
import { addressKey } from "../mail-address.ts";
import { createHoldEdits } from "./edit.ts";
import type { HoldRooms, Holds } from "./holds.ts";
import { createHoldNotices } from "./notice.ts";
import { tellOfPauses } from "./pause-notice.ts";
import { listRecipientFacts } from "./recipient-facts.ts";
import { createHoldRelease } from "./release.ts";

export function createHolds(rooms: HoldRooms): Holds {
  const { store } = rooms;
  const release = createHoldRelease(rooms);
  const notices = createHoldNotices(rooms);
  return {
    findHold: (agent, hold) => findHold(store, agent, hold),
    listLive: (agent) => listLiveHolds(store, agent),
    listDecided: (agent, since, limit) => listDecidedHolds(store, agent, since, limit),
    async listNewRecipients({ agent, envelope }) {
      const remote = envelope.recipients.filter(({ domain }) => domain !== "");
      const keys = remote.map(({ address }) => addressKey(address));
      const known = new Set([
        ...(await listCorrespondents(store, agent, keys)),
        ...(await listKnownContacts(store, agent, keys)),
      ]);
      return remote.flatMap(({ address }) => (known.has(addressKey(address)) ? [] : [address]));
    },
    listRecipientFacts: (hold, nameOf) => listRecipientFacts(rooms, hold, nameOf),
    findContactAddress: async (agent, contact) =>
      (await addressesOfContacts(store, agent, [contact])).get(contact)?.[0],
    findHoldOfMessage: (agent, message) => findHoldOfMessage(store, agent, message),
    decide({ idempotency, ...decision }) {
      return writeOnce(
        store,
        decision.actor,
        "decideHold",
        { ...decision, at: store.clock.now() },
        idempotency,
      );
    },
    ...createHoldEdits(rooms),
    async runDue() {
      // A failure with a hold does not stop the notices to approvers.
      const [released, ...told] = await Promise.allSettled([
        release.runDue(),
        notices.runDue(),
        tellOfPauses(rooms),
      ]);
      for (const notice of told) if (notice.status === "rejected") throw notice.reason;
      if (released.status === "rejected") throw released.reason;
      return released.value;
    },
    async nextDueAt() {
      const times = [await release.nextDueAt(), await notices.nextDueAt()].filter((at) => at !== undefined);
      return times.length === 0 ? undefined : Math.min(...times);
    },
  };
}
