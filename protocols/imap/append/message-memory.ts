/** Memory for the messages of a command, one after the other. The owner's quota is checked when a message is announced, so that a message over quota
 *  is refused before it is sent. */
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

  /** Waits for memory, in the queue of the mailbox owner. Throws NO if there is no memory, no such mailbox, or no quota left. */
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
    this.#received = undefined;
  }
}

async function assertRoom(session: Session, name: string, bytes: number): Promise<void> {
  const { agent } = await session.findTarget(name);
  const quota = await session.rooms.mail.readQuota(agent);
  if (quota?.byteLimit !== undefined && quota.byteCount + bytes > quota.byteLimit)
    throw new WaypostError("policy_refused", "The mailbox is full.", { reason: "over_quota" });
}
