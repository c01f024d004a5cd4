/** Memory for the messages of one command. Their room in the mailbox is asked about when they are announced, so what would be
 *  refused when it is there is not sent. */
import type { Received, Receiving } from "#/src/fairness/receiving.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Session } from "../session/session.ts";
import type { AnnouncedLiteral } from "../wire/command-reader.ts";

export class MessageMemory implements Disposable {
  readonly #session: Session;
  readonly #receiving: Receiving;
  #received: Received | undefined;

  constructor(session: Session, receiving: Receiving) {
    this.#session = session;
    this.#receiving = receiving;
  }

  /** Waits for memory in the turn of the mailbox. Throws NO where there is none, or no such mailbox, or no room in it. */
  async admit({ size, messageBytes, mailbox }: AnnouncedLiteral): Promise<void> {
    if (mailbox !== undefined) await assertRoom(this.#session, mailbox, messageBytes);
    if (this.#received === undefined)
      this.#received = await this.#receiving.begin(size, (reason) =>
        this.#session.connection.giveUp(reason === "too_slow" ? "slow" : "crowded"),
      );
    else if (this.#received.grow(size) !== undefined)
      throw new WaypostError("upstream_unavailable", "There is no memory for the message now.", {
        reason: "busy",
      });
    else this.#received.resume();
  }

  arrived(octets: number): void {
    this.#received?.arrived(octets);
  }

  complete(): void {
    this.#received?.complete();
  }

  [Symbol.dispose](): void {
    this.#received?.[Symbol.dispose]();
  }
}

async function assertRoom(session: Session, name: string, bytes: number): Promise<void> {
  const { agent } = await session.findTarget(name);
  const quota = await session.rooms.mail.readQuota(agent);
  if (quota?.byteLimit !== undefined && quota.byteCount + bytes > quota.byteLimit)
    throw new WaypostError("policy_refused", "The mailbox is full.", { reason: "over_quota" });
}
