/** `Given` with `never` for each member that `Wanted` does not have, at any depth. Excess members are errors only in a literal; this refuses
 *  them in spreads and in values too. */
export type Exact<Given, Wanted> = Given extends Atom
  ? Given
  : Given extends readonly (infer One)[]
    ? readonly Exact<One, ElementOf<Wanted>>[]
    : { [Key in keyof Given]: Key extends KeyOf<Wanted> ? Exact<Given[Key], MemberOf<Wanted, Key>> : never };

// biome-ignore lint/suspicious/noExplicitAny: any function
type Atom = string | number | bigint | boolean | null | undefined | Uint8Array | ((...args: any) => unknown);
type ElementOf<List> = List extends readonly (infer One)[] ? One : never;
type KeyOf<Union> = Union extends unknown ? keyof Union : never;
type MemberOf<Union, Key> = Union extends unknown ? (Key extends keyof Union ? Union[Key] : never) : never;
