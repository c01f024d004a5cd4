/** How much longer one piece of work takes than another, by the processor time of this thread. Some systems count it in ticks of a few
 *  milliseconds, so both are done in turns until the shorter one has taken many. */
const countedMs = 150;
const roundsMax = 100;

/** The quotient of both times. */
export function timesAsLong(longer: () => unknown, shorter: () => unknown): number {
  const took = (work: () => unknown): number => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  took(longer);
  took(shorter);
  let [long, short] = [0, 0];
  for (let round = 0; round < roundsMax && short < countedMs; round++) {
    long += took(longer);
    short += took(shorter);
  }
  return long / short;
}
