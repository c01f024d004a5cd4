/** The invariants of calendars, addressbooks and their items. */

import { openSpanClass, spanMaxMs } from "../items.ts";
import { type Invariant, living } from "./invariant.ts";

const spanMax = `case t.span_class ${spanMaxMs.map((maxMs, at) => `when ${at} then ${maxMs}`).join(" ")} else 0 end`;

export const itemInvariants: readonly Invariant[] = [
  {
    sentence: "agent ? has some of the collections that everybody has, and not all, or one of them twice",
    query: `select agent_id
      from agent as t
      where state <> 'deleted' and (
        select count(*) || ' ' || count(distinct kind || ' ' || role)
        from collection as c
        where c.agent_id = t.agent_id and c.state = 'live' and c.role is not null) not in ('0 0', '3 3')`,
  },
  {
    sentence: "collection ? of agent ? counts ? items and ? octets; it has ? and ?",
    query: `select * from (
        select collection_id, agent_id, item_count, byte_count,
          (select count(*)
            from item as i
            where i.agent_id = t.agent_id and i.collection_id = t.collection_id) as items,
          (select coalesce(sum(i.size + i.attachment_bytes), 0)
            from item as i
            where i.agent_id = t.agent_id and i.collection_id = t.collection_id) as bytes
        from collection as t
        where t.state = 'live' and ${living}) as counted
      where item_count <> items or byte_count <> bytes`,
  },
  {
    sentence: "collection ? of agent ? has properties of a later MODSEQ than its own",
    query: "select collection_id, agent_id from collection where properties_modseq > modseq",
  },
  {
    sentence: "attachment ? of item ? of agent ? has no item, or no blob of its size in its account",
    query: `select managed_id, item_id, agent_id
      from item_attachment as t
      where not exists (select 1 from item as i where i.agent_id = t.agent_id and i.item_id = t.item_id)
        or not exists (
          select 1 from blob as b
          where b.account_id = t.account_id and b.blob_id = t.blob_id and b.size = t.size)`,
  },
  {
    sentence: "item ? of agent ? counts ? octets of attachments and has ?",
    query: `select * from (
        select item_id, agent_id, attachment_bytes,
          (select coalesce(sum(a.size), 0)
            from item_attachment as a
            where a.agent_id = t.agent_id and a.item_id = t.item_id) as bytes
        from item as t) as counted
      where attachment_bytes <> bytes`,
  },
  {
    sentence: "item ? of agent ? has a MODSEQ above its collection's",
    query: `select t.item_id, t.agent_id
      from item as t join collection as c on c.agent_id = t.agent_id and c.collection_id = t.collection_id
      where t.modseq > c.modseq and c.state = 'live'`,
  },
  {
    sentence: "collection ? of agent ? has ? items of the UID ?",
    query: `select t.collection_id, t.agent_id, count(*), t.uid
      from item as t
      join collection as c on c.agent_id = t.agent_id and c.collection_id = t.collection_id
      where coalesce(c.role, '') <> 'inbox'
      group by t.agent_id, t.uid, t.collection_id
      having count(*) > 1`,
  },
  {
    sentence: "an occurrence of item ? of agent ? ends before it starts, or is longer than its class",
    query: `select item_id, agent_id
      from occurrence as t
      where end_at < start_at or span_class > ${openSpanClass}
        or (span_class < ${openSpanClass} and end_at - start_at > ${spanMax})`,
  },
];
