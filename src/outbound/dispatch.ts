/** What a message becomes when it is handed to another server: signed, under a return path of its own. */
import type { Settings } from "#/config/schema.ts";
import { bodyOffset, withCrlf } from "#/src/formats/mime/line-ends.ts";
import { createReturnPaths, type SubmissionName } from "#/src/model/return-path.ts";
import type { Store } from "#/storage/store.ts";
import { createSigner } from "./dkim/signer.ts";
import type { DueDelivery, Outbound } from "./outbound.ts";
import { createStsPolicies, type StsPolicies } from "./sts-policies.ts";

export interface PreparedMessage {
  /** DKIM-Signature fields, to stand before it. */
  readonly signatures: Buffer;
  /** With CRLF line ends: what was signed. */
  readonly bytes: Buffer;
  readonly headerBytes: number;
  /** "" for the null reverse path. */
  readonly reversePath: string;
  /** Names the submission in what comes back. */
  readonly token: string;
}

export interface Dispatch {
  /** Reads and signs; as large as the message. */
  prepare(delivery: DueDelivery): Promise<PreparedMessage>;
  tokenOf(name: SubmissionName): string;
  readonly policies: StsPolicies;
}

export interface DispatchRooms {
  readonly store: Store;
  readonly outbound: Pick<Outbound, "readMessage">;
  readonly settings: Pick<Settings, "outbound">;
}

export function createDispatch({ store, outbound, settings }: DispatchRooms): Dispatch {
  const signer = createSigner(store);
  const returnPaths = createReturnPaths(store.key("return-path"));
  return {
    tokenOf: returnPaths.tokenOf,
    policies: createStsPolicies(store),
    async prepare(delivery) {
      const bytes = withCrlf(await outbound.readMessage(delivery));
      const { envelopeFrom } = delivery;
      return {
        signatures: Buffer.from(await signer.sign(bytes, envelopeFrom), "latin1"),
        bytes,
        headerBytes: bodyOffset(bytes),
        reversePath: settings.outbound.returnPathTags
          ? returnPaths.seal(envelopeFrom, delivery)
          : envelopeFrom,
        token: returnPaths.tokenOf(delivery),
      };
    },
  };
}
