import type { BuildFacts } from '#core/ops.ts';
import { BUILD } from './build-info.ts';

/** What this program is, with the revisions of MCP it speaks, newest first. */
export const OPS_BUILD: BuildFacts = {
  ...BUILD,
  protocols: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'],
};
