/** What `mailauth` exports and does not declare. */
declare module "mailauth/lib/tools.js" {
  /** The entry of `domains` that has the organizational domain of `domain`, or is the same when `isStrict`. */
  export function getAlignment(domain: string, domains: readonly string[], isStrict: boolean): object | false;
}
