/** Passkeys (WebAuthn level 3): what a browser is asked, and whether its answer is right. The library that checks answers is loaded at the
 *  first one. A passkey is made and used with user verification only, so it proves a person and not a device. */
import { createHmac } from "node:crypto";
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { PasskeyRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { NewPasskey, SpentChallenge } from "#/storage/writing/accounts/page-sessions.ts";
import type { Challenges, Purpose } from "./challenges.ts";

/** Whom a passkey is made for. */
export interface PasskeyOwner {
  /** Kind and number. */
  readonly id: string;
  readonly address: string;
  readonly name: string;
}

/** JSON for `PublicKeyCredential.parseRequestOptionsFromJSON` and its like. */
export type PasskeyOptions = Readonly<Record<string, unknown>>;

/** What is stored of one, whosever it is. */
type StoredPasskey = Omit<PasskeyRow, "agent">;

export interface Answer<Row extends StoredPasskey> {
  readonly passkey: Row;
  readonly signCount: number;
  readonly challenge: SpentChallenge;
}

export interface Passkeys<Row extends StoredPasskey> {
  request(purpose: Purpose, bound: string): PasskeyOptions;
  creation(
    purpose: Purpose,
    bound: string,
    owner: PasskeyOwner,
    known: readonly StoredPasskey[],
  ): PasskeyOptions;
  /** Throws `unauthorized` unless a known passkey has signed this challenge. */
  checkAnswer(text: string, purpose: Purpose, bound: string): Promise<Answer<Row>>;
  /** Throws `unauthorized` unless the text is a new passkey for this challenge. */
  checkCreated(
    text: string,
    purpose: Purpose,
    bound: string,
    name: string,
  ): Promise<NewPasskey & { readonly challenge: SpentChallenge }>;
}

const answerLengthMax = 16 * 1024;
const timeoutMs = 300_000;
/** ES256, EdDSA and RS256, which all systems have between them (RFC 8152). */
const algorithms = [-7, -8, -257];

/** Those that have certificates (WebAuthn level 3 section 8). */
export const attestationFormats = [
  "android-key",
  "android-safetynet",
  "apple",
  "fido-u2f",
  "packed",
  "tpm",
] as const;

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);
const answered = z.object({
  id: base64url,
  rawId: base64url,
  type: z.literal("public-key"),
  clientExtensionResults: z.record(z.string(), z.unknown()).default({}),
  authenticatorAttachment: z.string().nullish(),
});
const assertion = answered.extend({
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z.string().nullish(),
  }),
});
const attestation = answered.extend({
  response: z.object({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(30)).max(20).optional(),
  }),
});

/** `find`: a passkey by its id. People and operators have their own. */
export function createPasskeys<Row extends StoredPasskey>(
  store: Store,
  challenges: Challenges,
  origin: string,
  find: (credential: Uint8Array) => Promise<Row | undefined>,
): Passkeys<Row> {
  const host = new URL(origin).hostname;
  const expected = { expectedOrigin: origin, expectedRPID: host, requireUserVerification: true };

  return {
    request: (purpose, bound) => ({
      challenge: challenges.create(purpose, bound),
      rpId: host,
      timeout: timeoutMs,
      userVerification: "required",
    }),

    creation: (purpose, bound, { id, address, name }, known) => ({
      challenge: challenges.create(purpose, bound),
      rp: { id: host, name: "Waypost" },
      user: { id: userHandle(store, id), name: address, displayName: name },
      pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
      excludeCredentials: known.map(({ credential, transports }) => ({
        type: "public-key",
        id: Buffer.from(credential).toString("base64url"),
        transports,
      })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
      timeout: timeoutMs,
    }),

    async checkAnswer(text, purpose, bound) {
      const response = readAnswer(assertion, text);
      const passkey = await find(Buffer.from(response.id, "base64url"));
      if (passkey === undefined) throw notAccepted();
      const challenge = openChallenge(response.response.clientDataJSON, purpose, bound);
      const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        ...expected,
        response: response as Parameters<typeof verifyAuthenticationResponse>[0]["response"],
        expectedChallenge: () => true,
        credential: {
          id: response.id,
          publicKey: new Uint8Array(passkey.publicKey),
          counter: passkey.signCount,
        },
      }).catch(refuse);
      if (!verified) throw notAccepted();
      return { passkey, signCount: authenticationInfo.newCounter, challenge };
    },

    async checkCreated(text, purpose, bound, name) {
      const response = readAnswer(attestation, text);
      const challenge = openChallenge(response.response.clientDataJSON, purpose, bound);
      const { SettingsService, verifyRegistrationResponse } = await import("@simplewebauthn/server");
      // Who has made the authenticator is asked of nobody: a certificate in the answer names addresses, which the library would ask.
      for (const identifier of attestationFormats)
        SettingsService.setRootCertificates({ identifier, certificates: [] });
      const { registrationInfo } = await verifyRegistrationResponse({
        ...expected,
        response: response as Parameters<typeof verifyRegistrationResponse>[0]["response"],
        expectedChallenge: () => true,
        supportedAlgorithmIDs: algorithms,
      }).catch(refuse);
      if (registrationInfo === undefined) throw notAccepted();
      const { credential } = registrationInfo;
      return {
        credential: Buffer.from(credential.id, "base64url"),
        publicKey: credential.publicKey,
        signCount: credential.counter,
        transports: response.response.transports ?? [],
        host,
        name,
        challenge,
      };
    },
  };

  /** The challenge is compared here and not by the library, which takes one that it was told before. */
  function openChallenge(clientData: string, purpose: Purpose, bound: string): SpentChallenge {
    let challenge: unknown;
    try {
      ({ challenge } = JSON.parse(Buffer.from(clientData, "base64url").toString("utf8")) as {
        readonly challenge?: unknown;
      });
    } catch {
      throw notAccepted();
    }
    if (typeof challenge !== "string") throw notAccepted();
    return challenges.open(challenge, purpose, bound);
  }
}

/** It says nothing about its owner, and is another one on each deployment. */
function userHandle(store: Store, id: string): string {
  return createHmac("sha256", store.key("page-user-handle"))
    .update(id)
    .digest()
    .subarray(0, 16)
    .toString("base64url");
}

function readAnswer<T>(schema: z.ZodType<T>, text: string): T {
  if (text.length > answerLengthMax) throw notAccepted();
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) throw notAccepted();
    throw error;
  }
}

/** The library throws an Error for each way in which an answer is wrong. */
function refuse(cause: unknown): never {
  throw new WaypostError("unauthorized", "The passkey was not accepted.", { cause });
}

function notAccepted(): WaypostError {
  return new WaypostError("unauthorized", "The passkey was not accepted.");
}
