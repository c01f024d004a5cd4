/** One attempt at one delivery: over the open connection, or over new ones to the domain's servers, until one server has answered for
 *  its recipients. If there are very many recipients, only the first ones are tried. */

import type { TlsWish } from "#/src/model/tls-wish.ts";
import type { PreparedMessage } from "#/src/outbound/dispatch.ts";
import type { DueDelivery } from "#/src/outbound/outbound.ts";
import {
  type ConnectorRooms,
  createOpener,
  keepsTlsRequired,
  type Opener,
  type OpenHost,
  type Target,
} from "./connector.ts";
import { type AttemptOutcome, allOutcomes, outcomesOf } from "./outcomes.ts";
import { printableText } from "./reply.ts";
import type { Route } from "./routes.ts";
import { buildTransaction } from "./transaction.ts";

export interface AttemptRooms extends ConnectorRooms {
  readonly clock: { now(): number };
  /** The servers for the mail of a domain now. */
  findTarget(domain: string, wish: TlsWish | undefined): Promise<Target | Exclude<Route, { kind: "hosts" }>>;
  /** Makes the bytes and signatures; called when a server is ready to take them. */
  prepare(): Promise<PreparedMessage>;
  /** Called when the server may have the message from now on. */
  onData(): void;
}

export interface Attempt {
  readonly outcomes: readonly AttemptOutcome[];
  /** A connection that can be used for the next mail. */
  readonly open: OpenHost | undefined;
  readonly hosts: readonly string[];
  /** Servers that could not be used: host, port and why. */
  readonly tried: readonly string[];
  readonly isSecure: boolean;
  /** Nothing was tried to the end: there are as many connections to this address as there may be, and no outcome counts. */
  readonly busyAddress?: string | undefined;
}

type Recipients = DueDelivery["recipients"];

/** Recipients of one transaction: every server has to accept this many (RFC 5321 section 4.5.3.1.8). Their outcome is reported before
 *  the others are tried. */
const recipientsMax = 100;

/** Never throws because of another server. `onOpen` is called with each connection before it is used. */
export async function attemptDelivery(
  rooms: AttemptRooms,
  delivery: DueDelivery,
  reused: OpenHost | undefined,
  onOpen: (open: OpenHost) => void,
): Promise<Attempt> {
  const attempt = new DeliveryAttempt(rooms, delivery, onOpen);
  const recipients = delivery.recipients.slice(0, recipientsMax);
  const unsendable = recipients.filter(({ address }) => /[\r\n<>]/.test(address));
  attempt.add(
    allOutcomes(unsendable, { state: "failed", status: "5.1.3", reply: "The address cannot be written." }),
  );
  let left: Recipients = recipients.filter((recipient) => !unsendable.includes(recipient));
  if (reused?.wire.isOpen === true && left.length > 0) {
    if (isFit(reused, demandOf(delivery))) left = await attempt.deliverOver(reused, left);
    else reused.wire.quit();
  }
  if (left.length > 0) await attempt.deliverTo(left);
  return attempt.result();
}

/** RFC 8689 section 5: a notification is not lost because its way back knows less than the way out. */
function demandOf({ tlsWish, envelopeFrom }: DueDelivery): TlsWish | undefined {
  return tlsWish === "required" && envelopeFrom === "" ? undefined : (tlsWish ?? undefined);
}

/** Whether an open connection may be used for a mail that asks this of TLS. */
function isFit(open: OpenHost, demand: TlsWish | undefined): boolean {
  if (demand === "not_required") return true;
  return demand === "required" ? keepsTlsRequired(open) : open.trust !== "waived";
}

class DeliveryAttempt {
  readonly #rooms: AttemptRooms;
  readonly #delivery: DueDelivery;
  readonly #onOpen: (open: OpenHost) => void;
  readonly #outcomes: AttemptOutcome[] = [];
  readonly #hosts: string[] = [];
  #tried: readonly string[] = [];
  #message: Promise<PreparedMessage> | undefined;
  #open: OpenHost | undefined;
  #isSecure = false;
  #busyAddress: string | undefined;

  constructor(rooms: AttemptRooms, delivery: DueDelivery, onOpen: (open: OpenHost) => void) {
    this.#rooms = rooms;
    this.#delivery = delivery;
    this.#onOpen = onOpen;
  }

  add(outcomes: readonly AttemptOutcome[]): void {
    this.#outcomes.push(...outcomes);
  }

  result(): Attempt {
    const open = this.#open?.wire.isOpen === true ? this.#open : undefined;
    const [outcomes, hosts, isSecure] = [this.#outcomes, this.#hosts, this.#isSecure];
    return { outcomes, open, hosts, tried: this.#tried, isSecure, busyAddress: this.#busyAddress };
  }

  /** Tries one server after the other until all recipients have an outcome. */
  async deliverTo(recipients: Recipients): Promise<void> {
    const target = await this.#rooms.findTarget(this.#delivery.domain, demandOf(this.#delivery));
    if ("kind" in target) {
      this.add(allOutcomes(recipients, { state: target.kind, status: target.status, reply: target.reason }));
      return;
    }
    const opener = createOpener(this.#rooms, target);
    let left = recipients;
    while (left.length > 0) {
      const open = await opener.next();
      if (open === undefined) break;
      left = await this.deliverOver(open, left);
    }
    this.#tried = opener.failures.map(
      ({ host, reason }) => `${host}:${target.port} ${printableText(reason)}`,
    );
    if (left.length === 0) return;
    this.#busyAddress = opener.busyAddress;
    if (this.#busyAddress === undefined) this.add(allOutcomes(left, this.#unreachable(opener)));
  }

  /** Gives the recipients without an outcome: all of them if the connection ended before the server could have the message. */
  async deliverOver(open: OpenHost, recipients: Recipients): Promise<Recipients> {
    this.#onOpen(open);
    this.#open = open;
    this.#hosts.push(open.host);
    this.#isSecure = open.wire.isSecure;
    this.#message ??= this.#rooms.prepare();
    const isAnswered = await this.#transact(open, recipients, await this.#message);
    return isAnswered ? [] : recipients;
  }

  /** False if the connection ended before the server could have the message. */
  async #transact(open: OpenHost, recipients: Recipients, message: PreparedMessage): Promise<boolean> {
    const { wire, host } = open;
    const transaction = buildTransaction(open, this.#delivery, recipients, message);
    if ("reason" in transaction) {
      const { status, reason } = transaction;
      this.add(allOutcomes(recipients, { state: "failed", status, host, reply: reason }));
      return true;
    }
    const result = await wire.send({
      ...transaction,
      message: told(transaction.message, () => this.#rooms.onData()),
    });
    const isCutShort = result.failure !== undefined || result.reply?.code === 421;
    if (isCutShort && !result.isDataSent && result.refused.size < recipients.length) {
      wire.close();
      return false;
    }
    const now = this.#rooms.clock.now();
    this.add(outcomesOf(recipients, result, host, now, wire.hasExtension("DSN")));
    const isAccepted = result.reply !== undefined && result.reply.code < 400;
    if (!isAccepted && wire.isOpen && !(await wire.reset())) wire.close();
    return true;
  }

  #unreachable({ failures, unfit }: Opener) {
    const last = failures.at(-1);
    if (unfit?.unfit !== undefined) {
      const { unfit: status, host, reason } = unfit;
      return { state: "failed" as const, status, host, reply: printableText(reason) };
    }
    const refusal = failures.find(({ reply }) => reply !== undefined)?.reply;
    // RFC 7504: a server that says 521 or 556 takes no mail at all.
    const isClosed =
      failures.length > 0 && failures.every(({ reply }) => reply?.code === 521 || reply?.code === 556);
    if (isClosed)
      return { state: "failed" as const, status: "5.3.2", host: last!.host, reply: refusal!.text };
    const words =
      refusal?.text ?? (last === undefined ? "Its servers could not be reached lately." : last.reason);
    return {
      state: "deferred" as const,
      status: refusal === undefined ? "4.4.1" : refusal.status.replace(/^5/, "4"),
      reply: printableText(words),
      ...(last === undefined ? {} : { host: last.host }),
    };
  }
}

function* told(pieces: Iterable<Buffer>, onBegin: () => void): Iterable<Buffer> {
  onBegin();
  yield* pieces;
}
