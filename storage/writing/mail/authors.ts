/** What a mailbox knows of the author of an arriving mail, by the keys of `src/model/likeness.ts`. Each look-up is one of an index, and
 *  gives a bounded number of rows, however many contacts, mailboxes and addresses there are. */
import { exactKey, presenceKey, seenKey } from "#/src/model/likeness.ts";
import type { AccountNumber, AgentNumber, ItemNumber } from "#/src/model/numbers.ts";
import { paddedList, placesFor, type Reader } from "../../sql.ts";

export interface MailboxName {
  readonly agent: AgentNumber;
  readonly account: AccountNumber;
}

export interface ExactAuthor {
  /** The card that a person has vouched for. */
  readonly contact: ItemNumber | undefined;
  /** The mailbox of the account that has the address. */
  readonly owner: AgentNumber | undefined;
  /** Mail of the mailbox was delivered to the address, or a person wrote there. */
  readonly isWrittenTo: boolean;
  /** Some contact, some address that a person wrote to, or the account has the domain, or that of the organization. */
  readonly isOfKnownDomain: boolean;
  /** There are contacts, or addresses that a person wrote to: their domains may be like this one. */
  readonly hasReferences: boolean;
  /** When the first authenticated mail came that was not judged unwanted. */
  readonly firstSeen: number | undefined;
}

const card = "select item_id as value from item_address where agent_id = ? and is_vouched = 1";
/** Constant, because a text that is made anew is hashed anew when its statement is looked up. */
const exactAuthor = `select 'contact' as kind, value from (${card} and name = ? order by item_id limit 1) as a
    union all select 'domain', value from (${card} and name in (?, ?) limit 1) as b
    union all select 'domain', since from (select since from author_key where agent_id = ? and name in (?, ?) limit 1) as c
    union all select 'domain', created_at from domain where name in (?, ?) and account_id = ?
    union all select 'written', since from author_key where agent_id = ? and name = ? and address = ?
    union all select 'written', since from correspondent where agent_id = ? and name = ?
    union all select 'seen', since from author_key where agent_id = ? and name = ? and address = ?
    union all select 'owner', value from
      (select agent_id as value from owner_key where account_id = ? and name = ? order by agent_id limit 1) as d
    union all select 'reference', value from (select item_id as value from item_address where agent_id = ? limit 1) as e
    union all select 'reference', since from (select since from author_key where agent_id = ? and name < ? limit 1) as f`;

export async function findAuthor(
  reader: Reader,
  { agent, account }: MailboxName,
  address: string,
  organization: string | undefined,
): Promise<ExactAuthor> {
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const domains = [domain, organization ?? domain];
  const rows = await reader.all<{ kind: string; value: number }>(
    exactAuthor,
    ...[agent, address, agent, ...domains],
    ...[agent, ...domains.map(presenceKey), ...domains, account],
    ...[agent, exactKey(address), address, agent, address],
    ...[agent, seenKey, address, account, exactKey(address)],
    // Keys of addresses that were written to come before it.
    ...[agent, agent, seenKey],
  );
  const value = (kind: string): number | undefined => rows.find((row) => row.kind === kind)?.value;
  return {
    contact: value("contact") as ItemNumber | undefined,
    owner: value("owner") as AgentNumber | undefined,
    isWrittenTo: value("written") !== undefined,
    isOfKnownDomain: value("domain") !== undefined,
    hasReferences: value("reference") !== undefined,
    firstSeen: value("seen"),
  };
}

/** What one of the keys belongs to. */
export interface KeyedReference {
  readonly kind: "contact" | "mailbox" | "written";
  readonly id: number;
  /** The keys by which it was found. */
  readonly keys: readonly string[];
  readonly addresses: readonly string[];
}

/** Rows of one look-up: many may have one name. */
const rowsMax = 100;
/** Domains of an account, which a domain that looks like one of them is compared with. */
const domainsMax = 100;

export interface LikeAuthors {
  readonly references: readonly KeyedReference[];
  /** Domains of the account. */
  readonly domains: readonly string[];
}

/** Keys of `src/model/likeness.ts`, by where they are looked up. The domains of the account are listed instead. */
export interface LikenessKeys {
  readonly cards: readonly string[];
  readonly mailboxes: readonly string[];
  readonly written: readonly string[];
}

/** In one statement, because each delivery asks. */
export async function listLikeAuthors(
  reader: Reader,
  { agent, account }: MailboxName,
  asked: LikenessKeys,
): Promise<LikeAuthors> {
  // No row has an empty name: it fills the lists.
  const [cards, mailboxNames, written] = [asked.cards, asked.mailboxes, asked.written].map((keys) =>
    paddedList([...keys, ""]),
  ) as [string[], string[], string[]];
  const valuesOf = (keys: readonly string[]): string => keys.map(() => "(?)").join(", ");
  const found = await reader.all<{
    kind: KeyedReference["kind"] | "domain";
    id: number;
    name: string;
    address: string;
  }>(
    `with of_card (name) as (values ${valuesOf(cards)}),
      of_mailbox (name) as (values ${valuesOf(mailboxNames)}),
      of_written (name) as (values ${valuesOf(written)})
    select 'contact' as kind, id, name, '' as address from
      (select item_id as id, asked.name
      from of_card as asked
      cross join item_address
      where asked.name <> '' and agent_id = ? and item_address.name = asked.name and is_vouched = 1
      limit ${rowsMax}) as a
    union all select 'mailbox', id, name, '' from
      (select agent_id as id, asked.name
      from of_mailbox as asked
      cross join owner_key
      where asked.name <> '' and account_id = ? and owner_key.name = asked.name
      limit ${rowsMax}) as b
    union all select 'written', 0, name, address from
      (select asked.name, address
      from of_written as asked
      cross join author_key
      where asked.name <> '' and agent_id = ? and author_key.name = asked.name
      limit ${rowsMax}) as c
    union all select 'domain', 0, name, '' from
      (select name from domain where account_id = ? order by name limit ${domainsMax}) as d`,
    ...cards,
    ...mailboxNames,
    ...written,
    ...[agent, account, agent, account],
  );
  const domains = found.filter(({ kind }) => kind === "domain").map(({ name }) => name);
  const idsOf = (kind: string): number[] => [
    ...new Set(found.filter((row) => row.kind === kind).map(({ id }) => id)),
  ];
  const [contacts, mailboxes] = [
    await addressesOfContacts(reader, agent, idsOf("contact")),
    await addressesOfMailboxes(reader, idsOf("mailbox")),
  ];
  const keyed = found.filter((row) => row.kind !== "domain");
  const groups = Map.groupBy(keyed, ({ kind, id, address }) => `${kind} ${id} ${address}`);
  const references = [...groups.values()]
    .map((rows): KeyedReference => {
      const { kind, id, address } = rows[0]! as { kind: KeyedReference["kind"]; id: number; address: string };
      const others = kind === "contact" ? contacts : mailboxes;
      const addresses = kind === "written" ? [address] : (others.get(id) ?? []);
      return { kind, id, keys: rows.map(({ name }) => name), addresses };
    })
    .toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind) || one.id - other.id);
  return { references, domains };
}

const order = ["contact", "mailbox", "written"];

/** Addresses of the cards that were vouched for. */
export async function addressesOfContacts(
  reader: Reader,
  agent: AgentNumber,
  items: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (items.length === 0) return new Map();
  const padded = paddedList(items);
  return grouped(
    await reader.all(
      `select item_id as id, name
      from item_address
      where agent_id = ? and item_id in (${placesFor(padded)}) and is_vouched = 1 and name like '%@%' and name not like '=%'
      order by item_id, name`,
      agent,
      ...padded,
    ),
  );
}

async function addressesOfMailboxes(
  reader: Reader,
  agents: readonly number[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  if (agents.length === 0) return new Map();
  const padded = paddedList(agents);
  const rows = await reader.all<{ id: number; name: string }>(
    `select agent_id as id, name
    from owner_key
    where agent_id in (${placesFor(padded)}) and name like '=a%'
    order by agent_id, name`,
    ...padded,
  );
  return grouped(rows.map(({ id, name }) => ({ id, name: name.slice(exactKey("").length) })));
}

function grouped(
  rows: readonly { readonly id: number; readonly name: string }[],
): ReadonlyMap<number, readonly string[]> {
  const groups = Map.groupBy(rows, ({ id }) => id);
  return new Map([...groups].map(([id, its]) => [id, its.map(({ name }) => name)]));
}

/** The mailbox of the account with exactly this address. */
export async function findOwnerOf(
  reader: Reader,
  account: AccountNumber,
  address: string,
): Promise<AgentNumber | undefined> {
  const [agent] = await reader.column<AgentNumber>(
    "select agent_id from owner_key where account_id = ? and name = ? order by agent_id limit 1",
    account,
    exactKey(address),
  );
  return agent;
}
