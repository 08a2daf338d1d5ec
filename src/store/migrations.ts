import type { Migration } from './migration.ts';
import { first } from './migrations/1-first.ts';
import { clientTokens } from './migrations/2-client-tokens.ts';
import { usageByTool } from './migrations/3-usage-by-tool.ts';
import { longWork } from './migrations/4-long-work.ts';
import { clientPrincipals } from './migrations/5-client-principals.ts';
import { auditProofs } from './migrations/6-audit-proofs.ts';

/** In order, without gaps: one file and one line here for each. */
export const MIGRATIONS: readonly Migration[] = [
  first,
  clientTokens,
  usageByTool,
  longWork,
  clientPrincipals,
  auditProofs,
];
