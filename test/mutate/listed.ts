/** Mutations of rules that must have a test: who may do what, what is counted, what is bounded, what is said twice. `from` stands once in its file. */
interface Listed {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export const listed: readonly Listed[] = [
  [
    "protocols/json/scopes.ts",
    'return scope === "any" || scope === "kind" || hasScope',
    'return scope === "any" || hasScope',
  ],
  ["src/accounts/principal.ts", 'isBillable: row.accountState === "active"', "isBillable: true"],
  ["src/accounts/principal.ts", 'scope !== "approve" || row.kind === "person"', "true"],
  [
    "src/accounts/principal.ts",
    'author.kind !== "program" && scopes.has("approve")',
    'author.kind !== "program"',
  ],
  [
    "src/accounts/principal.ts",
    "hasRight(owned, right) && hasRight(granted, right)",
    "hasRight(granted, right)",
  ],
  [
    "storage/idempotency.ts",
    "own === undefined || Buffer.compare(own.hash, once.requestHash) !== 0",
    "own === undefined",
  ],
  [
    "storage/idempotency.ts",
    "if (stored.length === 0) return undefined;",
    "if (stored.length <= 1) return undefined;",
  ],
  [
    "src/arrival/scan-header.ts",
    "if (receivedCount > receivedFieldsMax)",
    "if (receivedCount >= receivedFieldsMax)",
  ],
  [
    "src/accounts/login-limiter.ts",
    "entry === undefined || entry.count < free",
    "entry === undefined || entry.count <= free",
  ],
  ["src/accounts/login-limiter.ts", "failures.size > limits.loginTableEntries", "false"],
  ["src/accounts/token-buckets.ts", "fullAt.set(key, at - intervalMs)", "fullAt.set(key, at)"],
  ["src/accounts/token-buckets.ts", "if (at <= now) fullAt.delete(key)", "fullAt.delete(key)"],
  ["src/accounts/proven-passwords.ts", "return age >= 0 && age < provenPasswordMs;", "return age >= 0;"],
  ["src/accounts/proven-passwords.ts", "proofs.delete(nameOf(typed));", ""],
  [
    "protocols/json/idempotency.ts",
    "context.rooms.mail.clock.now() + keyMemoryMs",
    "context.rooms.mail.clock.now()",
  ],
  [
    "protocols/smtp/mail-transaction.ts",
    "assertRecipientCount(forwardPaths.size + 1, rooms.settings)",
    "assertRecipientCount(forwardPaths.size, rooms.settings)",
  ],
  [
    "protocols/smtp/mail-transaction.ts",
    "if (sizeBytes > rooms.settings.smtp.maxMessageBytes)",
    "if (sizeBytes >= rooms.settings.smtp.maxMessageBytes)",
  ],
  [
    "protocols/smtp/path.ts",
    "Buffer.byteLength(written) > pathBytesMax",
    "Buffer.byteLength(written) >= pathBytesMax",
  ],
  [
    "protocols/smtp/path.ts",
    'else if (local.localPart.toLowerCase() !== "postmaster") return undefined;',
    "",
  ],
  ["storage/writer-lanes.ts", "(long.isEmpty || !this.#wasQuick)", "long.isEmpty"],
  ["storage/writer-lanes.ts", 'this.#wasQuick = lane === "quick";', ""],
  ["src/evidence/dmarc.ts", 'if (result !== "pass" && result !== "fail") return unknown(result);', ""],
  ["src/daemon/log-trace.ts", "if (lines.length >= traceLinesMax) return;", ""],
  ["src/daemon/log-trace.ts", "pass === passesMax", "false"],
  ["src/formats/mime/encoded-words.ts", "if (!isNeighbour) text.push", "text.push"],
  ["src/model/ids.ts", "block.writeBigUInt64BE(BigInt(object), 8);", ""],
  [
    "src/fairness/gate.ts",
    "owner.isExempt !== true && isOver(this.takenBy(owner), amount, ofOwner)",
    "false",
  ],
  ["src/fairness/gate.ts", "accountShare !== undefined && isOver(ofAccount, amount, accountShare)", "false"],
  ["storage/sqlite/writer-loop.ts", "if (isUntrustworthy(failure)) throw failure;", ""],
  ["src/outbound/gate/route.ts", "if (isReservedDomain(senderDomain))", "if (false)"],
].map(([file, from, to]) => ({ file: file!, from: from!, to: to! }));
