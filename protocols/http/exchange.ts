/** One request and its response, from the header to the end of the response. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ConnectionOwner } from "#/protocols/connection/connection-door.ts";
import type { Receiving } from "#/src/fairness/receiving.ts";
import { CallerGone, forCaller } from "#/src/model/caller.ts";
import { addressOwner, mailboxOwner, type Owner } from "#/src/model/owner.ts";
import { readBody } from "./body.ts";
import { HttpConnection } from "./http-connection.ts";
import { newRequestId } from "./request-id.ts";

export interface Exchange {
  readonly requestId: string;
  readonly remoteAddress: string;
  readonly request: IncomingMessage;
  /** Aborts when the client goes or the answer has not begun in time, then with a `CallerGone`, or the listener closes, as long as the request is being served. */
  readonly signal: AbortSignal;
  /** The owner to which the request is counted: the mailbox of its credential, or its network. */
  readonly owner: () => Owner;
  /** The whole body. Waits for memory in turns of the owners; the memory is held until the request is answered. `copies`: how
   *  many times over the octets are in memory until then. Throws `invalid` (too_large), `rate_limited`, `upstream_unavailable`. */
  readonly readBody: (limitBytes: number, copies: number) => Promise<Buffer<ArrayBuffer>>;
  /** Counts the connection for the owner of a valid credential. False when that owner has too many. */
  readonly claim: (owner: ConnectionOwner) => boolean;
}

export class OpenExchange implements Exchange {
  readonly requestId = newRequestId();
  readonly remoteAddress: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly begunAt = performance.now();
  /** The request had no valid credential. */
  isStranger = true;
  readonly #receiving: Receiving;
  /** Of bodies; none for most requests. */
  #memory: DisposableStack | undefined;
  #owner: Owner | undefined;
  /** Made when somebody asks for it. */
  #gone: AbortController | undefined;
  /** Why nobody waits for the answer any more. */
  #reason: unknown;
  #isServed = false;

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    remoteAddress: string,
    receiving: Receiving,
  ) {
    this.request = request;
    this.response = response;
    this.remoteAddress = remoteAddress;
    this.#receiving = receiving;
  }

  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      this.#gone = new AbortController();
      if (this.#reason !== undefined) this.#gone.abort(this.#reason);
    }
    return this.#gone.signal;
  }

  readonly owner = (): Owner => (this.#owner ??= addressOwner(this.remoteAddress));

  readonly readBody = (limitBytes: number, copies: number): Promise<Buffer<ArrayBuffer>> => {
    this.#memory ??= new DisposableStack();
    const options = { limitBytes, copies, receiving: this.#receiving, memory: this.#memory };
    return forCaller(this.signal, () => readBody(this.request, options), this.owner);
  };

  readonly claim = (login: ConnectionOwner): boolean => {
    this.#owner = mailboxOwner(login);
    this.isStranger = false;
    return HttpConnection.of(this.request.socket)?.claim(login) ?? true;
  };

  /** Aborts the signal, as long as the request is being served. */
  abort(reason: unknown = new CallerGone()): void {
    if (this.#isServed || this.#reason !== undefined) return;
    this.#reason = reason;
    this.#gone?.abort(reason);
  }

  /** The request has been served: the memory of its body is given back. */
  end(): void {
    this.#isServed = true;
    this.#memory?.dispose();
  }
}
