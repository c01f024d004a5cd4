/** A hundred attacks: what a mail asks for, and the deed of an agent that obeys. */
import type { Attack } from "./attack.ts";
import { itemAttacks } from "./item-attacks.ts";
import { mailAttacks } from "./mail-attacks.ts";

export const attacks: readonly Attack[] = [...mailAttacks, ...itemAttacks];
