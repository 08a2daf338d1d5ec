import type { Migration } from './migrate.ts';
import { first } from './1-first.ts';
import { clientTokens } from './2-client-tokens.ts';
import { usageByTool } from './3-usage-by-tool.ts';
import { longWork } from './4-long-work.ts';
import { clientPrincipals } from './5-client-principals.ts';
import { auditProofs } from './6-audit-proofs.ts';
import { usageByClient } from './7-usage-by-client.ts';
import { storedResponses } from './8-responses.ts';
import { cachedPages } from './9-pages.ts';
import { turnReasoning } from './10-turn-reasoning.ts';
import { fileContents } from './11-file-contents.ts';
import { providerFileOwners } from './12-provider-file-owners.ts';
import { fileIndex } from './13-file-index.ts';
import { indexFolders } from './14-index-folders.ts';
import { indexVectors } from './15-index-vectors.ts';
import { pinSets } from './16-pin-sets.ts';
import { listOrder } from './17-list-order.ts';

/** All migrations in order, without gaps: one file and one line each. */
export const MIGRATIONS: readonly Migration[] = [
  first,
  clientTokens,
  usageByTool,
  longWork,
  clientPrincipals,
  auditProofs,
  usageByClient,
  storedResponses,
  cachedPages,
  turnReasoning,
  fileContents,
  providerFileOwners,
  fileIndex,
  indexFolders,
  indexVectors,
  pinSets,
  listOrder,
];
