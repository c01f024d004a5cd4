/** Prepares a message for another server: adds signatures and gives it its own return path. */
import type { Settings } from "#/config/schema.ts";
import { bodyOffset, withCrlf } from "#/src/formats/mime/line-ends.ts";
import { createReturnPaths, type SubmissionName } from "#/src/model/return-path.ts";
import type { Store } from "#/storage/store.ts";
import { createSigner } from "./dkim/signer.ts";
import type { DueDelivery, Outbound } from "./outbound.ts";
import { createStsPolicies, type StsPolicies } from "./sts-policies.ts";

export interface PreparedMessage {
  /** DKIM-Signature fields, to put before the bytes. */
  readonly signatures: Buffer;
  /** The signed message, with CRLF line ends. */
  readonly bytes: Buffer;
  readonly headerBytes: number;
  /** The return path; "" for the null reverse path. */
  readonly reversePath: string;
  /** Identifies the submission in reports that come back. */
  readonly token: string;
}

export interface Dispatch {
  /** Reads and signs the message; uses as much memory as the message. */
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
