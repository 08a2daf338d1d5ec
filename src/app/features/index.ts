import { accessFeature } from './access.ts';
import type { MountFeature } from './feature.ts';
import { fileIndexFeature } from './file-index.ts';
import { filesFeature } from './files.ts';
import { gatewayFeature } from './gateway.ts';
import { hubFeature } from './hub.ts';
import { jobsFeature } from './jobs.ts';
import { modelsFeature } from './models.ts';
import { ownerTokenFeature } from './owner-token.ts';
import { pageFeature } from './page.ts';
import { promptsFeature } from './prompts.ts';
import { providerFilesFeature } from './provider-files.ts';
import { readingFeature } from './reading.ts';
import { statusFeature } from './status.ts';
import { threadsFeature } from './threads.ts';
import { toolsFeature } from './tools.ts';
import { usageFeature } from './usage.ts';
import { webFeature } from './web.ts';

/**
 * The features of every daemon, mounted in this order and drained in reverse. A feature is a file
 * here and a line in this list, above `promptsFeature` where its tools have prompts:
 *
 *     // notes.ts
 *     export async function notesFeature({ loaded, store, log }: Pick<FeatureContext, …>) {
 *       const notes = await openNotes(…);
 *       return { name: 'notes', tools: noteTools(notes), drain: () => notes.close() };
 *     }
 */
export const FEATURES: readonly MountFeature[] = [
  toolsFeature,
  providerFilesFeature,
  webFeature,
  jobsFeature,
  filesFeature,
  fileIndexFeature,
  threadsFeature,
  modelsFeature,
  statusFeature,
  usageFeature,
  gatewayFeature,
  accessFeature,
  ownerTokenFeature,
  pageFeature,
  readingFeature,
  hubFeature,
  promptsFeature,
];
