/** One accepted connection with HTTP: the owner to which it is counted, its unanswered requests, and how its octets get to node's parser.
 *  The parser gets one request at a time, in turns of the owners, and none while four are unanswered or the client does not read its
 *  responses. Octets that are not parsed yet wait here, at most two readings of the socket, and then in the socket.
 *
 *  Node emits all requests that it finds in one reading, and cannot be stopped between two of them. So its `data` listener is removed
 *  from the socket and called from here, with one slice after the other. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ConnectionOwner, ConnectionPlace } from "#/protocols/connection/connection-door.ts";
import { after } from "#/src/model/background.ts";
import type { Owner } from "#/src/model/owner.ts";
import { BodySlices, endOfHeader } from "./request-slices.ts";
import type { RequestTurns, TurnTaker } from "./request-turns.ts";

/** Requests of a connection that are parsed and not answered. Clients that pipeline send a few. */
export const unansweredMax = 4;
/** Refused credentials after which a connection ends. */
const refusedMax = 5;
/** With so many octets waiting to be parsed the socket is paused. */
const pendingBytesMax = 64 * 1024;
/** Slices of one turn that hold no request: octets of a body, empty lines. */
const slicesInTurn = 16;

type DataListener = (octets: Buffer) => void;

export interface HttpConnectionOptions {
  /** The accepted socket, or the TLS socket around it. */
  readonly carrier: Socket;
  readonly place: ConnectionPlace;
  readonly turns: RequestTurns;
  /** How long the connection may be open without a request that has a valid credential. */
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
  /** The body of the newest request. */
  #body: BodySlices | undefined;
  #newest: IncomingMessage | undefined;
  /** In the order in which they came. */
  readonly #unanswered: IncomingMessage[] = [];
  /** This class has paused the socket. */
  #isHolding = false;
  /** Node has paused the socket. Its parser must get no octets. */
  #isParserPaused = false;
  #isFinishing = false;
  #refused = 0;
  #lastWord: (() => void) | undefined;

  constructor({ carrier, place, turns, strangerMs }: HttpConnectionOptions) {
    this.#carrier = carrier;
    this.#place = place;
    this.#turns = turns;
    this.#strangerTimer = after(strangerMs, () => this.finish());
    connections.set(carrier, this);
  }

  /** The connection of a request; undefined when it did not come through a listener of `listen.ts`. */
  static of(carrier: Socket): HttpConnection | undefined {
    return connections.get(carrier);
  }

  /** Gives the connection to node's HTTP server. */
  open(speakHttp: (carrier: Socket) => void): void {
    const carrier = this.#carrier;
    speakHttp(carrier);
    const [parse] = carrier.listeners("data") as DataListener[];
    this.#parse = parse!;
    // With this listener node's parser no longer reads the socket by itself.
    carrier.on("data", this.#onData).removeListener("data", parse!);
    carrier.on("resume", this.#onResume).on("drain", this.#wake).on("end", this.#drop);
    carrier.once("close", () => {
      clearTimeout(this.#strangerTimer);
      this.#drop();
    });
  }

  /** Called for each parsed request. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    // Such a connection is the last of its network that is closed for a new one.
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

  /** Called when a credential was refused. Answers whether the connection ends, so that a client cannot go on guessing over it. */
  noteRefused(): boolean {
    if (this.#place.isClaimed || ++this.#refused < refusedMax) return false;
    this.finish();
    return true;
  }

  /** Whether a complete request is unanswered. A request that has not arrived completely does not count: nothing of it was done. */
  get isAnswering(): boolean {
    return this.#unanswered.some((request) => request.complete);
  }

  /** The credential of a request was valid: the connection is counted to its owner from now on. False when the owner has too many
   *  connections; then this one ends after the response to that request. */
  claim(owner: ConnectionOwner): boolean {
    const isIn = this.#place.claim(owner);
    if (isIn) clearTimeout(this.#strangerTimer);
    else this.finish();
    return isIn;
  }

  /** Takes no further request, and ends when all parsed requests are answered. */
  finish(): void {
    this.#isFinishing = true;
    this.#afterAnswer();
  }

  /** The octets are not HTTP: nothing more is read, and `lastWord` is called after all responses have been written. */
  giveUp(lastWord: () => void): void {
    this.#lastWord ??= lastWord;
    this.#drop();
    this.#afterAnswer();
  }

  takeTurn(): boolean {
    const before = this.#newest;
    for (let slices = 0; slices < slicesInTurn && this.#mayParse(); slices++) {
      this.#parseSlice();
      // What has come of the body of a request is parsed with it.
      if (this.#newest !== before && this.#newest?.complete !== false) break;
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
      // Resumed, so that a pause by node can be seen.
      this.#isHolding = false;
      this.#carrier.resume();
    }
    this.#parse.call(this.#carrier, octets.subarray(0, end));
    this.#isParserPaused = this.#carrier.isPaused();
  }

  /** Pauses the socket while enough octets wait, or while octets wait that must not be parsed now. With no waiting octets it goes on
   *  reading, because that is how a closed connection is noticed. */
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
    // The event comes a turn late, and the socket may be paused again by then.
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
