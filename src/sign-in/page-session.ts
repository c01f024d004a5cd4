/** A browser in which somebody is signed in. */
import type { Principal } from "#/src/accounts/accounts.ts";
import type { PageSessionRow, PageSettingsRow } from "#/storage/rows.ts";

export interface PageSession {
  readonly number: number;
  readonly principal: Principal;
  readonly device: string;
  readonly proof: PageSessionRow["proof"];
  readonly createdAt: number;
  /** Unless it is used or ended before. */
  readonly endsAt: number;
  readonly settings: PageSettingsRow;
}
