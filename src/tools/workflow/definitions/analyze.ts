import * as z from 'zod';
import type { WorkflowDefinition } from '../definition.ts';
import { ANALYZE_PROMPT } from './analyze.prompt.ts';
import { END, stageOf, type Stages } from './stage.ts';

const TYPES = ['architecture', 'performance', 'security', 'quality', 'general'] as const;
const FORMATS = ['summary', 'detailed', 'actionable'] as const;

const FIELDS = {
  analysis_type: z.enum(TYPES).default('general'),
  output_format: z.enum(FORMATS).default('detailed'),
};

/** Where the caller and the expert should look. */
const LOOK: Readonly<Record<(typeof TYPES)[number], string>> = {
  architecture:
    'Map the modules and which way their dependencies run, and note each place where the direction is broken.',
  performance:
    'Find the hot paths and what grows in them with load: queries in loops, copies, locks, collections without a bound.',
  security:
    'Follow untrusted input from where it enters to where it is used, and note each boundary of trust on the way.',
  quality:
    'Take the largest and most often changed files, and see what is duplicated, untested or known to too many places.',
  general:
    'Find the entry points, the main flow and the data it works on before you judge anything.',
};

const FORM: Readonly<Record<(typeof FORMATS)[number], readonly string[]>> = {
  summary: ['Be brief: the few findings that matter most, each in a sentence or two.'],
  detailed: [],
  actionable: [
    'Report only what can be acted on, each with its first concrete step, ordered by effect for effort.',
  ],
};

const ACTIONS: Stages = {
  first: [
    'Read the manifest, the settings and the README for what the system says of itself, then check it against the code.',
    'Open the files of the main flow in the order of execution, and note file and line of what carries weight.',
    'Put every file you opened into files_checked, and only what the outcome rests on into relevant_files.',
    'Write down which questions the next step must answer.',
  ],
  middle: [
    'Take the strongest suspicion so far, and look for the place in the code that would refute it.',
    'Follow one request or one record through all layers, and note where state changes hands.',
    'See what happens in the paths for errors, restarts and load, not only in the good case.',
    'Give each thing found its file, line and consequence in issues_found.',
  ],
  last: [
    'Open once more the files behind your most important statements, and check file and line.',
    'For each finding, say which users or teams it affects and when; drop it if you cannot say.',
    'Add what must not be changed because other parts rely on it.',
    END,
  ],
};

export const analyze: WorkflowDefinition<typeof FIELDS> = {
  name: 'analyze',
  title: 'Analyze',
  description:
    'Investigate a codebase or part of it step by step, then have an expert model assess it. For architecture, performance, security and overall quality.',
  profile: 'standard',
  category: 'extended_reasoning',
  stem: 'analysis',
  fields: FIELDS,
  skipped: 'skipped_due_to_certain_confidence',
  ready: 'analysis_complete_ready_for_implementation',
  expert: 'asked',
  prompt: ANALYZE_PROMPT,
  actions(view) {
    const stage = stageOf(view);
    const { analysis_type: type } = view.args;
    return stage === 'last' ? ACTIONS.last : [LOOK[type], ...ACTIONS[stage]];
  },
  brief: ({ analysis_type: type, output_format: format }) => [
    ...(type === 'general' ? [] : [`This is about ${type}. ${LOOK[type]}`]),
    ...FORM[format],
  ],
};
