/** Prepares messages on the thread of the test, without evidence of their origin. */
import { readArrivingCalendar } from "#/src/arrival/preparing/arriving.ts";
import type { Prepared } from "#/src/arrival/preparing/messages.ts";
import { prepareMessage } from "#/src/mail/prepare-message.ts";

export const directPreparation = {
  async prepare(bytes: Uint8Array): Promise<Prepared> {
    const facts = await prepareMessage(bytes);
    const calendar = readArrivingCalendar(bytes, facts);
    return { facts, ...(calendar === undefined ? {} : { calendar }) };
  },
};
