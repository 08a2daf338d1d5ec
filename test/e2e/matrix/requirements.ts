/**
 * What MCP asks of a server, one row each. Every row is tried over every transport and in every era it
 * belongs to.
 */
import type { Requirement } from './requirement.ts';
import { askingRows } from './rows/asking.ts';
import { callRows } from './rows/calls.ts';
import { changeRows } from './rows/changes.ts';
import { listRows } from './rows/lists.ts';
import { messageRows } from './rows/messages.ts';
import { openingRows } from './rows/opening.ts';
import { promptRows } from './rows/prompts.ts';
import { resourceRows } from './rows/resources.ts';
import { stoppingRows } from './rows/stopping.ts';
import { tellingRows } from './rows/telling.ts';

export const REQUIREMENTS: readonly Requirement[] = [
  ...openingRows,
  ...messageRows,
  ...listRows,
  ...callRows,
  ...tellingRows,
  ...askingRows,
  ...resourceRows,
  ...promptRows,
  ...changeRows,
  ...stoppingRows,
];
