/** GETQUOTA, GETQUOTAROOT and SETQUOTA (RFC 9208 section 4.1). Each owner's mailboxes have one quota root, named by the
 *  owner's address. The operator sets it, so SETQUOTA is refused and QUOTASET not announced.
 *
 *  getquota = "GETQUOTA" SP quota-root        getquotaroot = "GETQUOTAROOT" SP mailbox
 *  setquota = "SETQUOTA" SP quota-root SP "(" [resource SP number64 *(SP …)] ")" */
import type { AgentNumber } from "#/src/model/numbers.ts";
import { afterLogin, command } from "../command.ts";
import { no } from "../errors.ts";
import { decodeMailboxName } from "../mailboxes/mailbox-name.ts";
import type { Session } from "../session/session.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";
import { identifierText } from "../wire/strings.ts";
import { decodeUtf8, type WireReader } from "../wire/wire-reader.ts";

const facts = { states: afterLogin, forms: ["plain"], usesSequence: false } as const;

export const getQuota = command({
  ...facts,
  name: "GETQUOTA",
  capabilities: ["QUOTA", "QUOTA=RES-STORAGE", "QUOTA=RES-MESSAGE"],
  source: "RFC 9208 4.1.2",
  parse: readRoot,
  async run(session, root, out) {
    await writeQuota(session, root, await ownerOfRoot(session, root), out);
    return undefined;
  },
});

export const getQuotaRoot = command({
  ...facts,
  name: "GETQUOTAROOT",
  source: "RFC 9208 4.1.3",
  parse(reader, context) {
    reader.space();
    return decodeMailboxName(reader.astring(), context.names);
  },
  async run(session, name, out) {
    const { agent, owner } = await session.findMailbox(name);
    out.line(`* QUOTAROOT ${session.writeName(name)} ${identifierText(owner)}`);
    await writeQuota(session, owner, agent, out);
    return undefined;
  },
});

export const setQuota = command({
  ...facts,
  name: "SETQUOTA",
  source: "RFC 9208 4.1.4",
  parse(reader) {
    const root = readRoot(reader);
    reader.space();
    reader.list(
      () => {
        reader.atom();
        reader.space();
        reader.number64();
      },
      { max: 20, allowEmpty: true },
    );
    return root;
  },
  async run(session, root) {
    await ownerOfRoot(session, root);
    throw no("NOPERM", "Only the operator sets quotas");
  },
});

function readRoot(reader: WireReader): string {
  reader.space();
  return decodeUtf8(reader.astring());
}

async function ownerOfRoot(session: Session, root: string): Promise<AgentNumber> {
  const agent = await session.access.findReachedOwner(root);
  if (agent === undefined) throw no("NONEXISTENT", "There is no such quota root");
  return agent;
}

/** Writes QUOTA. STORAGE is in units of 1,024 octets (section 5.1). A resource without a limit is left out. */
async function writeQuota(
  session: Session,
  root: string,
  agent: AgentNumber,
  out: ResponseWriter,
): Promise<void> {
  const quota = await session.rooms.mail.readQuota(agent);
  if (quota === undefined) throw no("NONEXISTENT", "There is no such quota root");
  const { byteCount, byteLimit, messageCount, messageLimit } = quota;
  const resources = [`MESSAGE ${messageCount} ${messageLimit}`];
  if (byteLimit !== undefined)
    resources.unshift(`STORAGE ${Math.ceil(byteCount / 1024)} ${Math.floor(byteLimit / 1024)}`);
  out.line(`* QUOTA ${identifierText(root)} (${resources.join(" ")})`);
}
