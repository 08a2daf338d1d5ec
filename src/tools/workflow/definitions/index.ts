import type { WorkflowDefinition } from '../definition.ts';
import { analyze } from './analyze.ts';
import { codereview } from './codereview.ts';
import { debug } from './debug.ts';
import { docgen } from './docgen.ts';
import { precommit } from './precommit.ts';
import { refactor } from './refactor.ts';
import { secaudit } from './secaudit.ts';
import { testgen } from './testgen.ts';
import { thinkdeep } from './thinkdeep.ts';
import { tracer } from './tracer.ts';

/** All workflows. */
export const WORKFLOWS: readonly WorkflowDefinition[] = [
  analyze,
  codereview,
  debug,
  docgen,
  precommit,
  refactor,
  secaudit,
  testgen,
  thinkdeep,
  tracer,
];
