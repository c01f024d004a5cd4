/** One accepted connection as HTTP: what it counts for, which of its requests are unanswered, and how its octets get to node's
 *  parser: one request at a time, in its turn, and none while four are unanswered or an answer waits for its reader. What has not
 *  been parsed waits here, at most two readings of the socket, and then in the socket.
 *
 *  Node hands over all requests that it finds in what it reads, and cannot be stopped between two of them. So its listener for the
 *  data of the socket is taken out and called from here, with one slice after the other. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionOwner, ConnectionPlace } from "#/protocols/connection/connection-door.ts";
import type { Owner } from "#/src/model/owner.ts";
import { BodySlices, endOfHeader } from "./request-slices.ts";
import type { RequestTurns, TurnTaker } from "./request-turns.ts";

/** Requests of a connection that are handed over and not answered. Clients that pipeline at all send a few. */
export const unansweredMax = 4;
/** Credentials that are refused on a connection before it ends. */
const refusedMax = 5;
/** Octets that wait to be parsed before the socket is read no further. */
const pendingBytesMax = 64 * 1024;
/** Slices without a request in one turn: octets of a body, empty lines. */
const slicesInTurn = 16;

type DataListener = (octets: Buffer) => void;

export interface HttpConnectionOptions {
  /** The accepted socket, or the encryption around it. */
  readonly carrier: Socket;
  readonly place: ConnectionPlace;
  readonly turns: RequestTurns;
  /** How long the connection may be open before a request of it had a valid credential. */
  readonly strangerMs: number;
}

const connections = new WeakMap<Socket, HttpConnection>();

export class HttpConnection implements TurnTaker {
  readonly #carrier: Socket;
  readonly #place: ConnectionPlace;
  readonly #turns: RequestTurns;
  readonly #strangerTimer: NodeJS.Timeout;
  #parse: DataListener = () => {};
  #pending: Buffer | undefined;
  /** Of the newest request. */
  #body: BodySlices | undefined;
  #newest: IncomingMessage | undefined;
  /** In the order in which they came. */
  readonly #unanswered: IncomingMessage[] = [];
  /** We have paused the socket. */
  #isHolding = false;
  /** Node has paused it, and its parser may be given nothing. */
  #isParserPaused = false;
  #isFinishing = false;
  #refused = 0;
  #lastWord: (() => void) | undefined;

  constructor({ carrier, place, turns, strangerMs }: HttpConnectionOptions) {
    this.#carrier = carrier;
    this.#place = place;
    this.#turns = turns;
    this.#strangerTimer = setTimeout(() => this.finish(), strangerMs);
    connections.set(carrier, this);
  }

  /** The connection that a request came by; undefined when it did not come by a port of ours. */
  static of(carrier: Socket): HttpConnection | undefined {
    return connections.get(carrier);
  }

  /** Lets node speak HTTP over the connection. */
  open(speakHttp: (carrier: Socket) => void): void {
    const carrier = this.#carrier;
    speakHttp(carrier);
    const [parse] = carrier.listeners("data") as DataListener[];
    this.#parse = parse!;
    // With a listener of ours node's parser no longer reads the socket by itself.
    carrier.on("data", this.#onData).removeListener("data", parse!);
    carrier.on("resume", this.#onResume).on("drain", this.#wake).on("end", this.#drop);
    carrier.once("close", () => {
      clearTimeout(this.#strangerTimer);
      this.#drop();
    });
  }

  /** A request was handed over. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    // It is the last that would have to give way among those of its network.
    this.#place.giveWay(() => this.#carrier.destroy());
    this.#newest = request;
    this.#body = new BodySlices(request.headers);
    this.#unanswered.push(request);
    response.once("close", () => {
      this.#unanswered.splice(this.#unanswered.indexOf(request), 1);
      this.#afterAnswer();
    });
  }

  get owner(): Owner {
    return this.#place.owner;
  }

  /** A credential was refused. Who has none that is good does not go on trying over the same connection. Whether it ends. */
  noteRefused(): boolean {
    if (this.#place.isClaimed || ++this.#refused < refusedMax) return false;
    this.finish();
    return true;
  }

  /** Whether an answer is owed. A request that has not arrived in whole is not being answered: nothing of it was done. */
  get isAnswering(): boolean {
    return this.#unanswered.some((request) => request.complete);
  }

  /** The credential of a request was valid: the connection counts for its owner from now on. False when the owner has too many;
   *  then the connection ends with the answer to that. */
  claim(owner: ConnectionOwner): boolean {
    const isIn = this.#place.claim(owner);
    if (isIn) clearTimeout(this.#strangerTimer);
    else this.finish();
    return isIn;
  }

  /** Takes no further request, and ends when those that came are answered. */
  finish(): void {
    this.#isFinishing = true;
    this.#afterAnswer();
  }

  /** What came is no request: nothing more is read of it, and `lastWord` is said behind the answers that are owed. */
  giveUp(lastWord: () => void): void {
    this.#lastWord ??= lastWord;
    this.#drop();
    this.#afterAnswer();
  }

  takeTurn(): boolean {
    const before = this.#newest;
    for (let slices = 0; slices < slicesInTurn && this.#mayParse(); slices++) {
      this.#parseSlice();
      if (this.#newest !== before) break;
    }
    this.#holdOrRead();
    return this.#mayParse();
  }

  #mayParse(): boolean {
    if (this.#pending === undefined || this.#isParserPaused || this.#carrier.destroyed) return false;
    if (this.#carrier.writableNeedDrain) return false;
    if (this.#newest?.complete === false) return true;
    return !this.#isFinishing && this.#unanswered.length < unansweredMax;
  }

  #parseSlice(): void {
    const octets = this.#pending!;
    const body = this.#newest?.complete === false ? this.#body : undefined;
    const end = body === undefined ? endOfHeader(octets, 0) : body.take(octets);
    this.#pending = end < octets.length ? octets.subarray(end) : undefined;
    if (this.#isHolding) {
      // So that it can be seen whether node pauses it.
      this.#isHolding = false;
      this.#carrier.resume();
    }
    this.#parse.call(this.#carrier, octets.subarray(0, end));
    this.#isParserPaused = this.#carrier.isPaused();
  }

  /** Pauses the socket while enough waits, or while nothing of it may be parsed. With nothing to wait it is read on: so a client
   *  that goes is seen. */
  #holdOrRead(): void {
    if (this.#isParserPaused) return;
    const waiting = this.#pending?.length ?? 0;
    const isHolding = waiting >= pendingBytesMax || (waiting > 0 && !this.#mayParse());
    if (isHolding === this.#isHolding) return;
    this.#isHolding = isHolding;
    if (isHolding) this.#carrier.pause();
    else this.#carrier.resume();
  }

  readonly #onData = (octets: Buffer): void => {
    if (this.#lastWord !== undefined) return;
    this.#pending = this.#pending === undefined ? octets : Buffer.concat([this.#pending, octets]);
    this.#holdOrRead();
    this.#wake();
  };

  readonly #onResume = (): void => {
    // It is told a turn late, and so also of a socket that was paused again.
    if (this.#carrier.isPaused()) return;
    this.#isParserPaused = false;
    this.#isHolding = false;
    this.#holdOrRead();
    this.#wake();
  };

  readonly #wake = (): void => {
    if (this.#mayParse()) this.#turns.wait(this);
  };

  readonly #drop = (): void => {
    this.#pending = undefined;
    this.#turns.forget(this);
  };

  #afterAnswer(): void {
    const lastWord = this.#lastWord;
    if (lastWord !== undefined && !this.isAnswering) {
      this.#lastWord = () => {};
      lastWord();
    } else if (this.#isFinishing && this.#unanswered.length === 0) this.#carrier.destroySoon();
    else this.#wake();
  }
}
