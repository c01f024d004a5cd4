export interface Invariant {
  /** The finding for a row of the query; each `?` is replaced by a column, in order. */
  readonly sentence: string;
  readonly query: string;
}

/** A condition on rows `t` of an agent: it is not deleted. */
export const living =
  "exists (select 1 from agent where agent.agent_id = t.agent_id and agent.state <> 'deleted')";
