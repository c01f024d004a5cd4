/** Whom a recipient, or the author of the mail that is answered, may be taken for and is not: with the other address where the person may know
 *  it, else without. */
import type { Resemblance } from "#/src/model/author-facts.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import type { Hold, RecipientFacts } from "#/src/outbound/holds/holds.ts";
import { readReferences } from "#/src/reach/references.ts";
import { type Html, html } from "../html.ts";
import type { SignedVisit } from "../visit.ts";

export interface Likenesses {
  readonly ofRecipients: readonly Html[];
  readonly ofAuthor: readonly Html[];
}

export async function likenessesOf(
  visit: SignedVisit,
  hold: Hold,
  recipients: readonly RecipientFacts[],
): Promise<Likenesses> {
  const { rooms, session, words } = visit;
  const w = words.hold.like;
  const answered = await answeredFacts(visit, hold);
  const asked = { rooms, principal: session.principal };
  const references = await readReferences(asked, hold.agent, [...recipients, ...answered]);

  async function sentences(subject: Html, resembles: readonly Resemblance[] = []): Promise<readonly Html[]> {
    return Promise.all(
      resembles.map(async (one) => {
        const like = await addressOf(visit, hold.agent, await references.shown(one));
        if (like === undefined)
          return html`${subject}${one.by === "name" ? w.nameOfSomebody : w.addressOfSomebody}`;
        const [before, after] = one.by === "name" ? w.name : w.address;
        return html`${subject}${before}<bdi>${like}</bdi>${after}`;
      }),
    );
  }

  const ofRecipients = await Promise.all(
    recipients.map(({ address, resembles }) => sentences(html`<bdi>${address}</bdi>`, resembles)),
  );
  const ofAuthor = await Promise.all(
    answered.map(({ isReplyTo, resembles }) =>
      sentences(html`${isReplyTo ? w.replyTo : w.author}`, resembles),
    ),
  );
  return { ofRecipients: ofRecipients.flat(), ofAuthor: ofAuthor.flat() };
}

/** What was known when the mail came that this one answers (`src/model/author-facts.ts`). */
async function answeredFacts({ rooms }: SignedVisit, { agent, envelope }: Hold) {
  const message =
    envelope.answers === null ? undefined : await rooms.mail.findMessage(agent, envelope.answers);
  const { author, replyTo } = message?.provenance ?? {};
  return [author, replyTo].flatMap((facts, at) =>
    facts?.mailbox === agent ? [{ resembles: facts.resembles ?? [], isReplyTo: at === 1 }] : [],
  );
}

async function addressOf(
  { rooms }: SignedVisit,
  agent: AgentNumber,
  { contact, mailbox, address }: Resemblance,
): Promise<string | undefined> {
  if (contact !== undefined) return rooms.holds.findContactAddress(agent, contact);
  if (mailbox !== undefined) return (await rooms.accounts.findAgentFacts(mailbox))?.address;
  return address;
}
