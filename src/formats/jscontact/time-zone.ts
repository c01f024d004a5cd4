/** Time zones of TZ (RFC 9555 section 2.3 and 2.8): JSContact requires a name of IANA's database; offsets of whole hours have
 *  one (`Etc/GMT+5` is five hours behind UTC). */

export function toZone(value: string): string | undefined {
  const offset = /^([+-])(\d\d):?(\d\d)?$/.exec(value);
  if (offset === null) return /^[A-Za-z]/.test(value) ? value : undefined;
  const [, sign, hours, minutes = "00"] = offset;
  if (minutes !== "00" || Number(hours) > 14) return undefined;
  if (Number(hours) === 0) return "Etc/UTC";
  return `Etc/GMT${sign === "+" ? "-" : "+"}${Number(hours)}`;
}

export function fromZone(zone: string): string | undefined {
  return /^[A-Za-z]/.test(zone) ? zone : undefined;
}
